import type { Runner } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";

/** `facts_copies`: which copies of a store exist, wherever they lie. */

export interface CopyPlace {
  /** UUID of the folder of copies */
  node: string;
  slot: number;
}

/** Records a copy before its file is made, later how far it is. */
export async function recordCopy(
  db: Runner,
  storeId: string,
  { node, slot }: CopyPlace,
  revision: number | null,
  at: Date,
): Promise<void> {
  await db.all(
    written<never>(
      `INSERT INTO facts_copies (store_id, node, slot, revision, seen_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (store_id, node, slot) DO UPDATE SET revision = excluded.revision, seen_at = excluded.seen_at,
         discard = facts_copies.discard AND excluded.revision IS NOT NULL`,
      [storeId, node, slot, revision, at],
    ),
  );
}

/** The copy's file is gone. */
export async function forgetCopy(db: Runner, storeId: string, { node, slot }: CopyPlace): Promise<void> {
  await db.all(
    written<never>("DELETE FROM facts_copies WHERE store_id = $1 AND node = $2 AND slot = $3", [storeId, node, slot]),
  );
}

/** The copies of every folder but this one are gone, with their folders. */
export async function forgetCopiesElsewhere(db: Runner, storeId: string, node: string): Promise<void> {
  await db.all(written<never>("DELETE FROM facts_copies WHERE store_id = $1 AND node <> $2", [storeId, node]));
}

/** Whether a copy is to be thrown away, and when it was last seen; undefined for one that is not recorded. */
export const findRecord = (
  db: Runner,
  storeId: string,
  { node, slot }: CopyPlace,
): Promise<{ discard: boolean; seen_at: Date } | undefined> =>
  db.first(
    written<{ discard: boolean; seen_at: Date }>(
      "SELECT discard, seen_at FROM facts_copies WHERE store_id = $1 AND node = $2 AND slot = $3",
      [storeId, node, slot],
    ),
  );

export interface StorePosition {
  revision: number;
  /** of the newest change; null without one, or when it was pruned */
  newest: string | null;
  /** of the change at the copy's own revision; null when it was pruned */
  own: string | null;
  /** how many revisions after the copy's own are still told */
  told: number;
  /** an erasure wants the copy's file gone */
  discard: boolean;
  /** the store's currency */
  currency: string;
}

/** How a store's present stands to a copy at `revision` (0 without a copy). Every change of one revision has one token. */
export const findPosition = (
  db: Runner,
  storeId: string,
  { node, slot }: CopyPlace,
  revision: number,
): Promise<StorePosition | undefined> =>
  db.first(
    written<StorePosition>(
      `SELECT r.revision,
         (SELECT c.token FROM changes c WHERE c.store_id = $1 AND c.revision = r.revision LIMIT 1) AS newest,
         (SELECT c.token FROM changes c WHERE c.store_id = $1 AND c.revision = $4 LIMIT 1) AS own,
         CASE WHEN r.revision > $4 THEN (SELECT count(DISTINCT c.revision) FROM changes c
           WHERE c.store_id = $1 AND c.revision > $4) ELSE 0 END AS told,
         coalesce((SELECT f.discard FROM facts_copies f WHERE f.store_id = $1 AND f.node = $2 AND f.slot = $3), false)
           AS discard, (SELECT s.currency FROM stores s WHERE s.id = $1) AS currency
       FROM store_revisions r WHERE r.store_id = $1`,
      [storeId, node, slot, revision],
    ),
  );
