import { sql } from "../platform/database/sql.ts";
import type { OverdueQueue } from "../platform/metrics/overdue.ts";

/** Requested exports that nobody is building: either not started, or abandoned by a lost worker. */
export const overdueExports: OverdueQueue = {
  queue: "exports",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(due_at) AS oldest FROM exports
    WHERE due_at <= ${now} AND status IN ('pending', 'running') ${only} LIMIT 1`,
};

/** Exports that have ended but whose files have not been removed yet. */
export const overdueExportFiles: OverdueQueue = {
  queue: "export_files",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(due_at) AS oldest FROM exports
    WHERE due_at <= ${now} AND status IN ('completed', 'failed', 'expired') ${only} LIMIT 1`,
};
