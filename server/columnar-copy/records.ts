import { ownStore, type Runner, sql } from "../platform/database/sql.ts";

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
  await db
    .forStore(storeId)
    .all(sql<never>`INSERT INTO facts_copies (store_id, node, slot, revision, seen_at) VALUES (${ownStore}, ${node}, ${slot}, ${revision}, ${at})
       ON CONFLICT (store_id, node, slot) DO UPDATE SET revision = excluded.revision, seen_at = excluded.seen_at,
         discard = facts_copies.discard AND excluded.revision IS NOT NULL`);
}

/** The copy's file is gone. */
export async function forgetCopy(db: Runner, storeId: string, { node, slot }: CopyPlace): Promise<void> {
  await db
    .forStore(storeId)
    .all(sql<never>`DELETE FROM facts_copies WHERE store_id = ${ownStore} AND node = ${node} AND slot = ${slot}`);
}

/** The copies of every folder but this one are gone, with their folders. */
export async function forgetCopiesElsewhere(db: Runner, storeId: string, node: string): Promise<void> {
  await db.forStore(storeId).all(sql<never>`DELETE FROM facts_copies WHERE store_id = ${ownStore} AND node <> ${node}`);
}

/** Whether a copy is to be thrown away, and when it was last seen; undefined for one that is not recorded. */
export const findRecord = (
  db: Runner,
  storeId: string,
  { node, slot }: CopyPlace,
): Promise<{ discard: boolean; seen_at: Date } | undefined> =>
  db.forStore(storeId).first(
    sql<{
      discard: boolean;
      seen_at: Date;
    }>`SELECT discard, seen_at FROM facts_copies WHERE store_id = ${ownStore} AND node = ${node} AND slot = ${slot}`,
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
  db.forStore(storeId).first(sql<StorePosition>`SELECT r.revision,
         (SELECT c.token FROM changes c WHERE c.store_id = ${ownStore} AND c.revision = r.revision LIMIT 1) AS newest,
         (SELECT c.token FROM changes c WHERE c.store_id = ${ownStore} AND c.revision = ${revision} LIMIT 1) AS own,
         CASE WHEN r.revision > ${revision} THEN (SELECT count(DISTINCT c.revision) FROM changes c
           WHERE c.store_id = ${ownStore} AND c.revision > ${revision}) ELSE 0 END AS told,
         coalesce((SELECT f.discard FROM facts_copies f WHERE f.store_id = ${ownStore} AND f.node = ${node} AND f.slot = ${slot}), false)
           AS discard, (SELECT s.currency FROM stores s WHERE s.id = ${ownStore}) AS currency
       FROM store_revisions r WHERE r.store_id = ${ownStore}`);
