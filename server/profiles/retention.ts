import { ownStore, sql } from "../platform/database/sql.ts";
import { dayMs, type Retention } from "../platform/retention.ts";

export const peopleRetention: readonly Retention[] = [
  // as long as the changes that ended them: whoever pages through a list for longer misses those seen again
  {
    table: "earlier_places",
    keptMs: 7 * dayMs,
    olderThan: (moment) => sql`NOT EXISTS (SELECT 1 FROM changes c WHERE c.store_id = ${ownStore}
      AND c.revision = until_revision + 1 AND c.at >= ${new Date(moment)})`,
  },
];
