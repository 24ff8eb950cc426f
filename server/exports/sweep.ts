import type { Calendar } from "../platform/clock.ts";
import type { Database, DueStatement } from "../platform/database/database.ts";
import { ownStore, raw, type StoreRunner, sql } from "../platform/database/sql.ts";
import { eachDueStore } from "../platform/each-store.ts";
import type { FileStorage } from "../platform/files/types.ts";
import type { Log } from "../platform/log.ts";
import { fileName } from "./export-rows.ts";

/**
 * Expires completed exports at their `due_at`, and removes the files of expired and failed ones [exports.expiry]. For
 * an ended export, `due_at` means that files are left, null that none are.
 */

export interface SweepDeps {
  database: Database;
  files: FileStorage;
  calendar: Calendar;
  log: Log;
}

const atOnce = 100;
/** calendar ms between attempts to remove a file */
const retryMs = 60_000;

interface DueRow {
  store_id: string;
  id: string;
}

interface EndedRow {
  id: string;
  format: string;
  claims: number;
}

/** Handles at most 100 due exports; returns for how many it removed the files. */
export async function sweepExports({ database, files, calendar, log }: SweepDeps): Promise<number> {
  const now = calendar.now();
  const ended: DueStatement<DueRow> = (only) => sql`
    /* due: across stores */
    SELECT store_id, id FROM exports
    WHERE due_at <= ${new Date(now)} AND status IN ('completed', 'failed', 'expired') ${only}
    ORDER BY due_at LIMIT ${raw(atOnce)}`;
  return eachDueStore(database, ended, async (storeId, due) => {
    const db = database.reader().forStore(storeId);
    let removed = 0;
    for (const { id } of due) {
      try {
        if (await removeFiles(db, files, { id, now })) removed += 1;
      } catch (error) {
        log.warn({ err: error, export_id: id }, "the file of an export could not be removed; it is tried again");
      }
    }
    return removed;
  });
}

async function removeFiles(
  db: StoreRunner,
  files: FileStorage,
  { id, now }: { id: string; now: number },
): Promise<boolean> {
  // postponed before its file is touched, so that a failing storage is not called again at once
  const row = await db.first(sql<EndedRow>`
    UPDATE exports SET due_at = ${new Date(now + retryMs)},
      status = CASE WHEN status = 'completed' THEN 'expired' ELSE status END
    WHERE store_id = ${ownStore} AND id = ${id} AND due_at <= ${new Date(now)}
      AND status IN ('completed', 'failed', 'expired')
    RETURNING id, format, claims`);
  // another process has handled it
  if (!row) return false;
  for (let claim = 1; claim <= row.claims; claim += 1) await files.remove(fileName(db.storeId, row, claim));
  await db.all(sql`
    UPDATE exports SET due_at = NULL
    WHERE store_id = ${ownStore} AND id = ${id} AND status IN ('failed', 'expired')`);
  return true;
}
