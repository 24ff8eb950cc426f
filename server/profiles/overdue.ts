import { sql } from "../platform/database/sql.ts";
import type { OverdueQueue } from "../platform/metrics/overdue.ts";

/** People with very many sessions whose recount is due. */
export const overduePeople: OverdueQueue = {
  queue: "people",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(due_at) AS oldest FROM profiles WHERE due_at <= ${now} ${only} LIMIT 1`,
};
