import type { Calendar } from "./clock.ts";
import type { Database } from "./database/database.ts";
import { deleteRows } from "./database/delete-rows.ts";
import type { Statement } from "./database/sql.ts";
import { eachStore } from "./each-store.ts";

export const dayMs = 24 * 60 * 60 * 1000;

/** Rows that are deleted after a while [operations.retention]. Each slice defines this for its own tables. */
export interface Retention {
  table: string;
  keptMs: number;
  /** selects rows older than that moment of the calendar, in ms */
  olderThan: (moment: number) => Statement;
}

/** Deletes rows past their age, a store at a time and in the order of the list; returns the number of rows. */
export async function forgetOldRows(
  database: Database,
  calendar: Calendar,
  retentions: readonly Retention[],
): Promise<number> {
  const reader = database.reader();
  return eachStore(database, async (storeId) => {
    let gone = 0;
    for (const { table, keptMs, olderThan } of retentions) {
      gone += await deleteRows(reader.forStore(storeId), table, olderThan(calendar.now() - keptMs));
    }
    return gone;
  });
}
