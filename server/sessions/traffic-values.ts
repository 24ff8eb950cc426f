import { hash as digest } from "node:crypto";
import { ownStore, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";
import type { SessionAttributes } from "./attributes.ts";

/**
 * Limits the number of distinct values of a store's live sessions [storefront.traffic-values]: anybody may invent
 * channels and campaigns, and each would be a row of every breakdown and a word in every copy. Values past the limit
 * count as `other`. Imported history comes from an operator, and is not limited.
 */

const otherValue = "other";

/**
 * A shop has a handful of channels; a year's campaigns, and the pages and sites that link to them, number some
 * hundreds.
 */
const bounds = [
  ["channel", 50],
  ["placement", 5_000],
  ["page_url", 5_000],
  ["referrer_host", 5_000],
  ["utm_source", 5_000],
  ["utm_medium", 5_000],
  ["utm_campaign", 5_000],
  ["utm_content", 5_000],
  ["utm_term", 5_000],
] as const satisfies readonly (readonly [keyof SessionAttributes, number])[];

/** For all stores together: some tens of megabytes. Evicted values are looked up again. */
const rememberedAtMost = 100_000;
const fullAtMost = 10_000;

interface Named {
  attributes: SessionAttributes;
  /** index in `bounds` */
  dimension: number;
  hash: number;
}

/** The attributes of sessions that a group of requests opens, except those that only history names. */
export function openedLive(
  sessions: readonly { id: string; row: object | null; attributes: SessionAttributes | null }[],
  batches: readonly { sessionId: string; history: boolean }[],
): SessionAttributes[] {
  const live = new Set(batches.flatMap(({ sessionId, history }) => (history ? [] : [sessionId])));
  return sessions.flatMap(({ id, row, attributes }) =>
    row === null && attributes !== null && live.has(id) ? [attributes] : [],
  );
}

export class TrafficValues {
  /** values found committed, so that a rolled-back transaction leaves none here; by store, dimension and hash */
  readonly #known = new LeastRecentlyUsed<true>(rememberedAtMost);
  /** by store and dimension */
  readonly #full = new LeastRecentlyUsed<true>(fullAtMost);

  /**
   * Replaces values past the limits by `other`, in the attributes of sessions being opened. The transaction holds the
   * store's revision, so that nobody else counts at the same time. Values in the cache cost nothing.
   */
  async bound(tx: StoreTransaction, opened: readonly SessionAttributes[]): Promise<void> {
    const unknown = opened.flatMap((attributes) => this.#unknownOf(tx.storeId, attributes));
    if (unknown.length === 0) return;
    const held = await this.#insert(tx, unknown);
    for (const { attributes, dimension, hash } of unknown) {
      const [name] = boundAt(dimension);
      if (held.has(keyOf(dimension, hash))) continue;
      attributes[name] = otherValue;
      this.#full.set(`${tx.storeId} ${dimension}`, true);
    }
  }

  #unknownOf(storeId: string, attributes: SessionAttributes): Named[] {
    return bounds.flatMap(([name], dimension) => {
      const text = attributes[name];
      if (text === null || text === otherValue) return [];
      const hash = hashOf(storeId, dimension, text);
      return this.#known.get(`${storeId} ${keyOf(dimension, hash)}`) ? [] : [{ attributes, dimension, hash }];
    });
  }

  /** Adds new values up to the limit; returns which of the given values the store has, by dimension and hash. */
  async #insert(tx: StoreTransaction, unknown: readonly Named[]): Promise<Set<string>> {
    const distinct = new Map(unknown.map(({ dimension, hash }) => [keyOf(dimension, hash), { dimension, hash }]));
    const [held, counts] = await together([readHeld(tx, [...distinct.values()]), readCounts(tx)]);
    for (const key of held) this.#known.set(`${tx.storeId} ${key}`, true);
    // counting is skipped where the limit was reached before
    const fresh = Array.from(distinct.values()).filter(
      ({ dimension, hash }) => !held.has(keyOf(dimension, hash)) && !this.#full.get(`${tx.storeId} ${dimension}`),
    );
    if (fresh.length === 0) return held;
    const uncounted = new Set(fresh.flatMap(({ dimension }) => (counts.has(dimension) ? [] : [dimension])));
    for (const [dimension, count] of await countHeld(tx, [...uncounted])) counts.set(dimension, count);
    const added = fresh.filter(({ dimension }) => {
      const count = counts.get(dimension) ?? 0;
      if (count >= boundAt(dimension)[1]) return false;
      counts.set(dimension, count + 1);
      return true;
    });
    const counted = new Set([...uncounted, ...added.map(({ dimension }) => dimension)]);
    tx.beforeCommit(
      addValues(
        tx,
        added,
        Array.from(counted, (dimension) => ({ dimension, held: counts.get(dimension) ?? 0 })),
      ),
    );
    return new Set([...held, ...added.map(({ dimension, hash }) => keyOf(dimension, hash))]);
  }
}

interface Value {
  dimension: number;
  hash: number;
}

/**
 * Which of the values the store has. Each is looked up by itself: a join is a pass over thousands of the store's values
 * for each new one, and anybody can name new ones.
 */
async function readHeld(tx: StoreRunner, values: readonly Value[]): Promise<Set<string>> {
  const rows = await tx.all(sql<{ dimension: number; hash: string }>`
    SELECT g.dimension, g.hash
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS g (dimension smallint, hash bigint)
    CROSS JOIN LATERAL (
      SELECT FROM traffic_values v
      WHERE v.store_id = ${ownStore} AND v.dimension = g.dimension AND v.hash = g.hash LIMIT 1
    ) AS v`);
  return new Set(rows.map(({ dimension, hash }) => keyOf(dimension, Number(hash))));
}

/** How many values the store has of each dimension that was counted. */
async function readCounts(tx: StoreRunner): Promise<Map<number, number>> {
  const rows = await tx.all(sql<{ dimension: number; held: number }>`
    SELECT dimension, held FROM traffic_value_counts WHERE store_id = ${ownStore}`);
  return new Map(rows.map(({ dimension, held }) => [dimension, held]));
}

/** Counts the rows, which takes longer the more there are, so each dimension is counted once. */
async function countHeld(tx: StoreRunner, dimensions: readonly number[]): Promise<[dimension: number, held: number][]> {
  if (dimensions.length === 0) return [];
  const rows = await tx.all(sql<{ dimension: number; held: number }>`
    SELECT dimension, count(*) AS held FROM traffic_values
    WHERE store_id = ${ownStore} AND dimension = ANY (${dimensions}::smallint[]) GROUP BY dimension`);
  return rows.map(({ dimension, held }) => [dimension, held]);
}

/**
 * Sends its statements at once. They are separate ones: of a writing CTE, a cluster's node sends each part's rows to
 * every other node, and fails where one is away [database.one-node].
 */
async function addValues(
  tx: StoreRunner,
  values: readonly Value[],
  counts: readonly { dimension: number; held: number }[],
): Promise<void> {
  await Promise.all([
    tx.all(sql`
      INSERT INTO traffic_values (store_id, dimension, hash)
      SELECT ${ownStore}::uuid, v.dimension, v.hash
      FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb) AS v (dimension smallint, hash bigint)`),
    tx.all(sql`
      INSERT INTO traffic_value_counts AS t (store_id, dimension, held)
      SELECT ${ownStore}::uuid, c.dimension, c.held
      FROM jsonb_to_recordset(${JSON.stringify(counts)}::jsonb) AS c (dimension smallint, held integer)
      ON CONFLICT (store_id, dimension) DO UPDATE SET held = excluded.held`),
  ]);
}

function boundAt(dimension: number): (typeof bounds)[number] {
  const bound = bounds[dimension];
  if (bound === undefined) throw new Error(`there is no dimension ${dimension}`);
  return bound;
}

const keyOf = (dimension: number, hash: number): string => `${dimension} ${hash}`;

/** 48 bits: among 5,000 texts, two collide once in ten million stores. */
const hashOf = (storeId: string, dimension: number, text: string): number =>
  digest("sha256", `${storeId} ${dimension} ${text}`, "buffer").readUIntBE(0, 6);
