import { ownStore, raw, type Statement, type StoreRunner, sql } from "./sql.ts";

/** Deletes rows of a store in batches, so that no statement locks many of them: there may be millions. */

const rowsAtOnce = 5_000;

/** Deletes until nothing is left; returns the number of rows. */
export async function deleteRows(db: StoreRunner, table: string, condition: Statement): Promise<number> {
  let gone = 0;
  for (;;) {
    const deleted = await deleteSomeRows(db, table, condition);
    gone += deleted;
    if (deleted < rowsAtOnce) return gone;
  }
}

export async function deleteSomeRows(db: StoreRunner, table: string, condition: Statement): Promise<number> {
  const from = raw(table);
  const gone = await db.all(sql`
    DELETE FROM ${from} WHERE store_id = ${ownStore} AND ctid = ANY (ARRAY(
      SELECT ctid FROM ${from} WHERE store_id = ${ownStore} AND ${condition} LIMIT ${raw(rowsAtOnce)}
    )) RETURNING 1`);
  return gone.length;
}
