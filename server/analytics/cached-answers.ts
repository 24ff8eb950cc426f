import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { filterNames } from "../../contract/analytics-filters.ts";
import type { Operation } from "../../contract/operation.ts";
import type { Cache } from "../platform/cache/types.ts";
import type { Deadline } from "../platform/deadline.ts";
import type { Selection } from "./selection.ts";

/** A cached answer: made once, sent many times. */
export interface CachedAnswer<Body> {
  /** ETag; changes exactly when the figures are made again [analytics.etag] */
  tag: string;
  /** calendar ms up to which all changes are included */
  asOf: number;
  body: Body;
}

/** cached for stores whose facts have to be loaded again; no older answer is ever shown */
const cachedMs = 3_600_000;
/** how many soft TTLs old an answer may be and still be sent while a newer one is made */
const staleSoftTtls = 10;
/** how long another process is awaited before the answer is made here as well [analytics.other-process] */
const makingMs = 2_000;
const pollMs = 50;

/** @returns ms */
export const softTtlOf = ({ store }: Selection): number => store.allowances.analytics_soft_ttl_seconds * 1_000;
/** The age in ms up to which an answer is sent at once while a newer one is made. */
export const staleAtMostOf = (selection: Selection): number => staleSoftTtls * softTtlOf(selection);

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** The tag of a JSON body, including its freshness, so that newly made figures differ by their `as_of`. */
export const tagOf = (json: string): string => digest(json).slice(0, 22);

const shapes = new WeakMap<Operation, string>();

/** Part of the key, so that a program with another response shape does not send what an older one cached. */
function shapeOf(operation: Operation): string {
  const known = shapes.get(operation);
  if (known) return known;
  const shape = digest(JSON.stringify(operation.answer.shape));
  shapes.set(operation, shape);
  return shape;
}

/**
 * The cache key: covers everything that an answer depends on. `own` are the question's own parameters
 * [analytics.kept-apart].
 */
export function answerKey(operation: Operation, { store, quizId, range, filters }: Selection, own: unknown): string {
  const { from, to, timezone } = range;
  const question = [
    shapeOf(operation),
    operation.id,
    quizId,
    [from, to, timezone],
    filterNames.map((name) => filters[name]),
    own,
    store.currency,
    store.allowances.order_window_days,
  ];
  return `${store.id}:${digest(JSON.stringify(question))}`;
}

/** The cached answers of all stores. */
export class CachedAnswers {
  readonly #cache: Cache;

  constructor(cache: Cache) {
    this.#cache = cache;
  }

  async find<Body>(key: string): Promise<CachedAnswer<Body> | null> {
    const text = await this.#cache.get(key);
    if (text === null) return null;
    try {
      return JSON.parse(text) as CachedAnswer<Body>;
    } catch {
      // foreign or truncated data: treated as not cached
      return null;
    }
  }

  /** Does not wait for the cache: the answer is available whether or not it is stored. */
  keep<Body>(key: string, asOf: number, body: Body, staleAtMostMs: number): CachedAnswer<Body> {
    const json = JSON.stringify(body);
    const tag = tagOf(json);
    void this.#cache.set(key, `{"tag":"${tag}","asOf":${asOf},"body":${json}}`, Math.max(cachedMs, staleAtMostMs));
    return { tag, asOf, body };
  }

  /** Whether this process should make the answer, because no other one is making it. */
  begin(key: string): Promise<boolean> {
    return this.#cache.claim(key, makingMs);
  }

  end(key: string): void {
    void this.#cache.unclaim(key);
  }

  /** Waits for an answer that another process is making. Returns null if it has to be made here after all. */
  async awaitOther<Body>(
    key: string,
    deadline: Deadline,
    usable: (cached: CachedAnswer<Body>) => boolean,
  ): Promise<CachedAnswer<Body> | null> {
    for (let waited = 0; waited < makingMs && !deadline.expired; waited += pollMs) {
      await pause(pollMs);
      const cached = await this.find<Body>(key);
      if (cached && usable(cached)) return cached;
      if (await this.begin(key)) return null;
    }
    return null;
  }
}
