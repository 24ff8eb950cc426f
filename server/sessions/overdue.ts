import { sql } from "../platform/database/sql.ts";
import type { OverdueQueue } from "../platform/metrics/overdue.ts";

/** Sessions that have ended, or count as abandoned, but have not been swept yet. */
export const overdueSessions: OverdueQueue = {
  queue: "idle_sessions",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(due_at) AS oldest FROM sessions WHERE due_at <= ${now} ${only} LIMIT 1`,
};
