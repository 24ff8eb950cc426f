import type { Database } from "../platform/database/database.ts";
import { ownStore, raw, type StoreRunner, sql } from "../platform/database/sql.ts";
import { childrenFirst, tenantTables } from "./tables.ts";

/**
 * What emptied test twins have left: nobody finds it any more, and there may be any amount of it, so that it is deleted a
 * bounded number of rows at a time [test-stores.emptied].
 */

const rowsAtOnce = 5_000;
const storesAtOnce = 1_000;
/** Whoever has looked the store up before, in any process, knows by then that it is gone. */
const restMs = 5 * 60_000;

/** Answers how many rows there were. `now`: calendar time in ms. */
export async function deleteEmptied(database: Database, now: number): Promise<number> {
  const reader = database.reader();
  const stores = await reader.all(sql<{ id: string }>`
    SELECT id FROM stores WHERE emptied_at <= ${new Date(now - restMs)} ORDER BY emptied_at LIMIT ${raw(storesAtOnce)}`);
  if (stores.length === 0) return 0;
  const tables = childrenFirst((await tenantTables(reader)).filter(({ name }) => name !== "stores"));
  let gone = 0;
  for (const { id } of stores) {
    if (database.isAway(id)) continue;
    for (const { name } of tables) gone += await deleteRows(reader.forStore(id), name);
    await reader.all(sql`DELETE FROM stores WHERE id = ${id}`);
  }
  return gone;
}

async function deleteRows(db: StoreRunner, table: string): Promise<number> {
  const from = raw(table);
  for (let gone = 0; ; ) {
    const row = await db.first(sql<{ gone: number }>`
      WITH gone AS (
        DELETE FROM ${from} WHERE store_id = ${ownStore} AND ctid = ANY (ARRAY(
          SELECT ctid FROM ${from} WHERE store_id = ${ownStore} LIMIT ${raw(rowsAtOnce)}
        )) RETURNING 1)
      SELECT count(*) AS gone FROM gone`);
    const deleted = row?.gone ?? 0;
    gone += deleted;
    if (deleted < rowsAtOnce) return gone;
  }
}
