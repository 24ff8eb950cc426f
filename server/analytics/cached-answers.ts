import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Operation } from "../../contract/operation.ts";
import type { Cache } from "../platform/cache/types.ts";
import type { Deadline } from "../platform/deadline.ts";
import type { Selection } from "./selection.ts";

/** An answer as it is kept: made once, sent many times. */
export interface CachedAnswer<Body> {
  /** changes exactly when the figures are made anew [analytics.etag] */
  tag: string;
  /** the calendar's ms up to which every change is counted */
  asOf: number;
  body: Body;
}

/** answers are kept for a store whose facts have to be loaded anew; no older one is ever shown */
const keptMs = 3_600_000;
/** how often an answer may have been due to be made anew and still be sent while that is done */
const staleSoftTtls = 10;
/** how long another process is waited for before its answer is made here as well [analytics.other-process] */
const makingMs = 2_000;
const pollMs = 50;

/** @returns ms */
export const softTtlOf = ({ store }: Selection): number => store.allowances.analytics_soft_ttl_seconds * 1_000;
/** Until what age, in ms, an answer is sent at once while a newer one is made. */
export const staleAtMostOf = (selection: Selection): number => staleSoftTtls * softTtlOf(selection);

const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Of a body as JSON, freshness included: figures made anew have another `as_of`. */
export const tagOf = (json: string): string => digest(json).slice(0, 22);

const shapes = new WeakMap<Operation, string>();

/** A program that answers in another shape must not send what an older one kept. */
function shapeOf(operation: Operation): string {
  const known = shapes.get(operation);
  if (known) return known;
  const shape = digest(JSON.stringify(operation.answer.shape));
  shapes.set(operation, shape);
  return shape;
}

/** Names everything that an answer is made from; `own` are the question's own parameters [analytics.kept-apart]. */
export function answerKey(operation: Operation, { store, quizId, range, filters }: Selection, own: unknown): string {
  const { from, to, timezone } = range;
  const { channel, device, new_returning: newReturning, country } = filters;
  const question = [
    shapeOf(operation),
    operation.id,
    quizId,
    [from, to, timezone],
    [channel, device, newReturning, country],
    own,
    store.currency,
    store.allowances.order_window_days,
  ];
  return `${store.id}:${digest(JSON.stringify(question))}`;
}

/** The answers of all stores, in the cache. */
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
      // somebody else's, or cut off: as good as none
      return null;
    }
  }

  /** Does not wait for the cache: the answer is at hand whether it is kept or not. */
  keep<Body>(key: string, asOf: number, body: Body, staleAtMostMs: number): CachedAnswer<Body> {
    const json = JSON.stringify(body);
    const tag = tagOf(json);
    void this.#cache.set(key, `{"tag":"${tag}","asOf":${asOf},"body":${json}}`, Math.max(keptMs, staleAtMostMs));
    return { tag, asOf, body };
  }

  /** Whether this process is to make the answer: no other one is at it. */
  begin(key: string): Promise<boolean> {
    return this.#cache.claim(key, makingMs);
  }

  end(key: string): void {
    void this.#cache.unclaim(key);
  }

  /** What another process is making, once it is there; null: it has to be made here after all. */
  async awaitOther<Body>(
    key: string,
    deadline: Deadline,
    usable: (kept: CachedAnswer<Body>) => boolean,
  ): Promise<CachedAnswer<Body> | null> {
    for (let waited = 0; waited < makingMs && !deadline.expired; waited += pollMs) {
      await pause(pollMs);
      const kept = await this.find<Body>(key);
      if (kept && usable(kept)) return kept;
      if (await this.begin(key)) return null;
    }
    return null;
  }
}
