import type { Calendar } from "./clock.ts";
import type { Database } from "./database/database.ts";
import { ownStore, raw, type Statement, type StoreRunner, sql } from "./database/sql.ts";
import { eachStore } from "./each-store.ts";

export const dayMs = 24 * 60 * 60 * 1000;

/** Rows that are kept for a while only. Each slice says so of its own tables. */
export interface Retention {
  table: string;
  keptMs: number;
  /** which rows are older than that moment of the calendar, in ms */
  olderThan: (moment: number) => Statement;
}

const rowsAtOnce = 5_000;

/** Deletes what is past its age, a store at a time and in the order of the list; returns the number of rows. */
export async function forgetOldRows(
  database: Database,
  calendar: Calendar,
  retentions: readonly Retention[],
): Promise<number> {
  const reader = database.reader();
  return eachStore(database, async (storeId) => {
    let gone = 0;
    for (const retention of retentions) gone += await forget(reader.forStore(storeId), retention, calendar.now());
    return gone;
  });
}

/** In rounds, so that no statement holds many rows at once, and until nothing is left: a busy store adds many a day. */
async function forget(db: StoreRunner, { table, keptMs, olderThan }: Retention, now: number): Promise<number> {
  const from = raw(table);
  let gone = 0;
  for (;;) {
    const row = await db.first(sql<{ gone: number }>`
      WITH old AS (
        DELETE FROM ${from} WHERE store_id = ${ownStore} AND ctid = ANY (ARRAY(
          SELECT ctid FROM ${from} WHERE store_id = ${ownStore} AND ${olderThan(now - keptMs)} LIMIT ${raw(rowsAtOnce)}
        )) RETURNING 1)
      SELECT count(*) AS gone FROM old`);
    const deleted = row?.gone ?? 0;
    gone += deleted;
    if (deleted < rowsAtOnce) return gone;
  }
}
