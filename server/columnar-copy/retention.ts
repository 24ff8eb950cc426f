import { sql } from "../platform/database/sql.ts";
import { dayMs, type Retention } from "../platform/retention.ts";

export const copyRetention: readonly Retention[] = [
  // a copy that is further behind is rebuilt
  { table: "changes", keptMs: 7 * dayMs, olderThan: (moment) => sql`at < ${new Date(moment)}` },
  // one day longer than a process keeps an unused copy; removes records whose process is gone for good, with its disk
  {
    table: "facts_copies",
    keptMs: 8 * dayMs,
    olderThan: (moment) => sql`seen_at < ${new Date(moment)}`,
    inSharedTime: true,
  },
];
