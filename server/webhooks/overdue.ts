import { sql } from "../platform/database/sql.ts";
import type { OverdueQueue } from "../platform/metrics/overdue.ts";

/** Events that have not been turned into deliveries yet. */
export const overdueEvents: OverdueQueue = {
  queue: "outbox",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(due_at) AS oldest FROM outbox WHERE due_at <= ${now} ${only} LIMIT 1`,
};

/**
 * Endpoints with due deliveries that no process sends for. Leased endpoints are being worked on and paused ones are
 * waiting by their receiver's request, so neither counts. A busy endpoint keeps an early `next_due_at` for a long time;
 * only the missing lease shows that workers are lacking.
 */
export const overdueEndpoints: OverdueQueue = {
  queue: "webhook_endpoints",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(greatest(next_due_at, lease_until, paused_until)) AS oldest FROM webhook_endpoints
    WHERE next_due_at <= ${now} AND (lease_until IS NULL OR lease_until <= ${now})
      AND (paused_until IS NULL OR paused_until <= ${now}) ${only} LIMIT 1`,
};

/** Due deliveries, including those of paused and slow receivers. */
export const overdueDeliveries: OverdueQueue = {
  queue: "deliveries",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(next_attempt_at) AS oldest FROM webhook_deliveries
    WHERE status IN ('pending', 'retrying') AND next_attempt_at <= ${now} ${only} LIMIT 1`,
};
