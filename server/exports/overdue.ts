import { sql } from "../platform/database/sql.ts";
import type { OverdueQueue } from "../platform/metrics/overdue.ts";

/** Files that were asked for and that nobody builds at the moment: not begun yet, or with a worker that was lost. */
export const overdueExports: OverdueQueue = {
  queue: "exports",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(due_at) AS oldest FROM exports
    WHERE due_at <= ${now} AND status IN ('pending', 'running') ${only} LIMIT 1`,
};

/** Files that nobody may read any more and that are still there. */
export const overdueExportFiles: OverdueQueue = {
  queue: "export_files",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(due_at) AS oldest FROM exports
    WHERE due_at <= ${now} AND status IN ('completed', 'failed', 'expired') ${only} LIMIT 1`,
};
