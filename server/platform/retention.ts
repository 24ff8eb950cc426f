import type { Calendar } from "./clock.ts";
import type { Database } from "./database/database.ts";
import { deleteRows } from "./database/delete-rows.ts";
import type { Statement } from "./database/sql.ts";
import { eachStore } from "./each-store.ts";
import { StoreCalendars } from "./store-calendars.ts";

export const dayMs = 24 * 60 * 60 * 1000;

/** Rows that are deleted after a while [operations.retention]. Each slice defines this for its own tables. */
export interface Retention {
  table: string;
  keptMs: number;
  /** selects rows older than that moment of the calendar, in ms */
  olderThan: (moment: number) => Statement;
  /** for rows about the program's processes, whose age is counted in shared time for every store */
  inSharedTime?: true;
}

/** Deletes rows past their age, a store at a time and in the order of the list; returns the number of rows. */
export const forgetOldRows = (
  database: Database,
  calendar: Calendar,
  retentions: readonly Retention[],
): Promise<number> => eachStore(database, (storeId) => forgetOldRowsOf(database, calendar, retentions, storeId));

/** The same for one store, by its own calendar [test-stores.due]. */
export async function forgetOldRowsOf(
  database: Database,
  calendar: Calendar,
  retentions: readonly Retention[],
  storeId: string,
): Promise<number> {
  const calendars = StoreCalendars.over(calendar);
  const own = calendars.of(storeId);
  let gone = 0;
  for (const { table, keptMs, olderThan, inSharedTime = false } of retentions) {
    const now = inSharedTime ? calendars.sharedNow() : own.now();
    gone += await deleteRows(database.reader().forStore(storeId), table, olderThan(now - keptMs));
  }
  return gone;
}
