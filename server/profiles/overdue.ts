import { sql } from "../platform/database/sql.ts";
import type { OverdueQueue } from "../platform/metrics/overdue.ts";

/** People with very many sessions who are due to be counted again. */
export const overduePeople: OverdueQueue = {
  queue: "people",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(due_at) AS oldest FROM profiles WHERE due_at <= ${now} ${only} LIMIT 1`,
};
