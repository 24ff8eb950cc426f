import { sql } from "../platform/database/sql.ts";
import { dayMs, type Retention } from "../platform/retention.ts";

/** The platform stops repeating a message long before this. */
export const orderRetention: Retention = {
  table: "commerce_deliveries",
  keptMs: 30 * dayMs,
  olderThan: (moment) => sql`received_at < ${new Date(moment)}`,
};
