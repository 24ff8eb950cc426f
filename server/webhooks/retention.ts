import { ownStore, sql } from "../platform/database/sql.ts";
import { positionAt } from "../platform/outbox.ts";
import { dayMs, type Retention } from "../platform/retention.ts";

// an event is kept as long as its deliveries can be read and sent again, and is never deleted before they are created
// [webhooks.kept]
const eventIsDone = sql`due_at IS NULL
  AND NOT EXISTS (SELECT FROM webhook_deliveries d WHERE d.store_id = ${ownStore} AND d.event_id = outbox.id)`;

export const webhookRetention: readonly Retention[] = [
  // deleted before their events
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
  // events written before feed positions existed
  {
    table: "outbox",
    keptMs: 30 * dayMs,
    olderThan: (moment) => sql`feed_position IS NULL AND created_at < ${new Date(moment)} AND ${eventIsDone}`,
  },
];
