import { ownStore, sql } from "../platform/database/sql.ts";
import { positionAt } from "../platform/outbox.ts";
import { dayMs, type Retention } from "../platform/retention.ts";

// as long as deliveries can be read and sent again, and never before they are made [webhooks.kept]
const eventIsDone = sql`due_at IS NULL
  AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.store_id = ${ownStore} AND d.event_id = outbox.id)`;

export const webhookRetention: readonly Retention[] = [
  // before the events that they are of
  {
    table: "webhook_deliveries",
    keptMs: 30 * dayMs,
    olderThan: (moment) => sql`created_at < ${new Date(moment)}`,
  },
  {
    table: "outbox",
    keptMs: 30 * dayMs,
    olderThan: (moment) => sql`feed_position > 0 AND feed_position < ${positionAt(moment)}::bigint AND ${eventIsDone}`,
  },
  // of before events had places
  {
    table: "outbox",
    keptMs: 30 * dayMs,
    olderThan: (moment) => sql`feed_position IS NULL AND created_at < ${new Date(moment)} AND ${eventIsDone}`,
  },
];
