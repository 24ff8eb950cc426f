import { sql } from "../platform/database/sql.ts";
import { dayMs, type Retention } from "../platform/retention.ts";

export const copyRetention: readonly Retention[] = [
  // a copy that is further behind is built anew
  { table: "changes", keptMs: 7 * dayMs, olderThan: (moment) => sql`at < ${new Date(moment)}` },
  // a day after its process would have deleted it: the row of one whose process is gone for good, disk and all
  { table: "facts_copies", keptMs: 8 * dayMs, olderThan: (moment) => sql`seen_at < ${new Date(moment)}` },
];
