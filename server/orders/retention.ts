import { sql } from "../platform/database/sql.ts";
import { dayMs, type Retention } from "../platform/retention.ts";

/** The platform gives up on a message long before. */
export const orderRetention: Retention = {
  table: "commerce_deliveries",
  keptMs: 30 * dayMs,
  olderThan: (moment) => sql`received_at < ${new Date(moment)}`,
};
