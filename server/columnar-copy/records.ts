import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";

/** `facts_copies`: records which copies of a store exist, in any folder. */

export interface CopyPlace {
  /** UUID of the directory of copies */
  node: string;
  slot: number;
}

/** Records a copy before its file is created, and later its revision. */
export async function recordCopy(
  db: StoreRunner,
  { node, slot }: CopyPlace,
  revision: number | null,
  at: Date,
): Promise<void> {
  await db.all(sql<never>`
    INSERT INTO facts_copies (store_id, node, slot, revision, seen_at)
    VALUES (${ownStore}, ${node}, ${slot}, ${revision}, ${at})
    ON CONFLICT (store_id, node, slot) DO UPDATE SET revision = excluded.revision, seen_at = excluded.seen_at,
      discard = facts_copies.discard AND excluded.revision IS NOT NULL`);
}

/** Removes the record of a copy whose file is gone. */
export async function forgetCopy(db: StoreRunner, { node, slot }: CopyPlace): Promise<void> {
  await db.all(sql<never>`DELETE FROM facts_copies WHERE store_id = ${ownStore} AND node = ${node} AND slot = ${slot}`);
}

/** Removes the records of copies in all other folders, which are gone with their folders. */
export async function forgetCopiesElsewhere(db: StoreRunner, node: string): Promise<void> {
  await db.all(sql<never>`DELETE FROM facts_copies WHERE store_id = ${ownStore} AND node <> ${node}`);
}

/** Whether a copy is to be deleted, and when it was last used; undefined if it is not recorded. */
export const findRecord = (
  db: StoreRunner,
  { node, slot }: CopyPlace,
): Promise<{ discard: boolean; seen_at: Date } | undefined> =>
  db.first(sql<{ discard: boolean; seen_at: Date }>`
    SELECT discard, seen_at FROM facts_copies WHERE store_id = ${ownStore} AND node = ${node} AND slot = ${slot}`);

export interface StorePosition {
  revision: number;
  /** token of the change at the copy's own revision; null if it was pruned */
  own: string | null;
  /** how many revisions after the copy's own still have recorded changes */
  recorded: number;
  /** an erasure wants the copy's file deleted */
  discard: boolean;
  /** the store's currency */
  currency: string;
}

/**
 * The store's current position relative to a copy at `revision` (0 without a copy). All changes of one revision have
 * the same token.
 */
export const findPosition = (
  db: StoreRunner,
  { node, slot }: CopyPlace,
  revision: number,
): Promise<StorePosition | undefined> =>
  db.first(sql<StorePosition>`
    SELECT r.revision,
      (SELECT c.token FROM changes c WHERE c.store_id = ${ownStore} AND c.revision = ${revision} LIMIT 1) AS own,
      CASE WHEN r.revision > ${revision} THEN (SELECT count(DISTINCT c.revision) FROM changes c
      WHERE c.store_id = ${ownStore} AND c.revision > ${revision}) ELSE 0 END AS recorded,
      coalesce((SELECT f.discard FROM facts_copies f
        WHERE f.store_id = ${ownStore} AND f.node = ${node} AND f.slot = ${slot}), false) AS discard,
      (SELECT s.currency FROM stores s WHERE s.id = ${ownStore}) AS currency
    FROM store_revisions r WHERE r.store_id = ${ownStore}`);

/**
 * Marks all copies of a store for deletion, in any folder: rows deleted from a file leave their content in its free
 * blocks [copy.erasure]. Each process deletes its own copy before it next answers from it, or during upkeep. Call it
 * within the erasure's transaction.
 */
export const discardCopies = (db: StoreRunner): Promise<unknown> =>
  db.all(sql<never>`UPDATE facts_copies SET discard = true WHERE store_id = ${ownStore}`);

export interface RecordedCopy {
  /** UUID of the directory of copies */
  node: string;
  slot: number;
  /** the copy has at least this revision; null while it is being created */
  revision: number | null;
  seen_at: Date;
  /** an erasure wants it deleted, and its deletion is not confirmed yet */
  discard: boolean;
}

/** All copies of a store that may exist. */
export const recordedCopies = (db: StoreRunner): Promise<RecordedCopy[]> =>
  db.all(
    sql<RecordedCopy>`SELECT node, slot, revision, seen_at, discard FROM facts_copies WHERE store_id = ${ownStore} ORDER BY node, slot`,
  );
