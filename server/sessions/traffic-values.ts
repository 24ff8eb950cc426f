import { hash as digest } from "node:crypto";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
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
  async bound(tx: StoreRunner, opened: readonly SessionAttributes[]): Promise<void> {
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
  async #insert(tx: StoreRunner, unknown: readonly Named[]): Promise<Set<string>> {
    const distinct = new Map(unknown.map(({ dimension, hash }) => [keyOf(dimension, hash), { dimension, hash }]));
    const values = Array.from(distinct.values(), (value, place) => ({
      ...value,
      place,
      // counting is skipped where the limit was reached before
      most: this.#full.get(`${tx.storeId} ${value.dimension}`) ? 0 : boundAt(value.dimension)[1],
    }));
    // Each value is looked up by itself, and counts are kept as values come: a join, or counting, is a pass over
    // thousands of the store's values for each new one, and anybody can name new ones.
    const rows = await tx.all(sql<{ dimension: number; hash: string; held: boolean }>`
  WITH given AS (
    SELECT g.dimension, g.hash, g.place, g.most
    FROM jsonb_to_recordset(${JSON.stringify(values)}::jsonb)
      AS g (dimension smallint, hash bigint, place integer, most integer)
  ), held AS (
    SELECT g.dimension, g.hash FROM given g
    CROSS JOIN LATERAL (
      SELECT FROM traffic_values v
      WHERE v.store_id = ${ownStore} AND v.dimension = g.dimension AND v.hash = g.hash LIMIT 1
    ) AS v
  ), counted AS (
    SELECT g.dimension, coalesce(
      (SELECT c.held FROM traffic_value_counts c WHERE c.store_id = ${ownStore} AND c.dimension = g.dimension),
      (SELECT count(*) FROM traffic_values v WHERE v.store_id = ${ownStore} AND v.dimension = g.dimension)
    ) AS held
    FROM (SELECT DISTINCT dimension FROM given WHERE most > 0) g
  ), fresh AS (
    SELECT g.dimension, g.hash, g.most, row_number() OVER (PARTITION BY g.dimension ORDER BY g.place) AS place
    FROM given g WHERE (g.dimension, g.hash) NOT IN (SELECT h.dimension, h.hash FROM held h)
  ), added AS (
    INSERT INTO traffic_values (store_id, dimension, hash)
    SELECT ${ownStore}::uuid, f.dimension, f.hash FROM fresh f JOIN counted c ON c.dimension = f.dimension
    WHERE f.place + c.held <= f.most
    RETURNING dimension, hash
  ), grown AS (
    INSERT INTO traffic_value_counts AS t (store_id, dimension, held)
    SELECT ${ownStore}::uuid, c.dimension, c.held + (SELECT count(*) FROM added a WHERE a.dimension = c.dimension)
    FROM counted c
    ON CONFLICT (store_id, dimension) DO UPDATE SET held = excluded.held WHERE t.held <> excluded.held
  )
  SELECT h.dimension, h.hash, true AS held FROM held h
  UNION ALL SELECT a.dimension, a.hash, false FROM added a`);
    const named = new Set<string>();
    for (const { dimension, hash, held } of rows) {
      named.add(keyOf(dimension, Number(hash)));
      if (held) this.#known.set(`${tx.storeId} ${keyOf(dimension, Number(hash))}`, true);
    }
    return named;
  }
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
