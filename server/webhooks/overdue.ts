import { sql } from "../platform/database/sql.ts";
import type { OverdueQueue } from "../platform/metrics/overdue.ts";

/** Events that were not handed over to deliveries yet. */
export const overdueEvents: OverdueQueue = {
  queue: "outbox",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(due_at) AS oldest FROM outbox WHERE due_at <= ${now} ${only} LIMIT 1`,
};

/**
 * Endpoints with due deliveries for which nobody sends: those that are leased, or paused by their receiver, are seen
 * to. A busy endpoint keeps an early due time for long, so that only those without a lease tell of a lack of workers.
 */
export const overdueEndpoints: OverdueQueue = {
  queue: "webhook_endpoints",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(greatest(next_due_at, lease_until, paused_until)) AS oldest FROM webhook_endpoints
    WHERE next_due_at <= ${now} AND (lease_until IS NULL OR lease_until <= ${now})
      AND (paused_until IS NULL OR paused_until <= ${now}) ${only} LIMIT 1`,
};

/** Deliveries whose time has come, of paused and slow receivers too. */
export const overdueDeliveries: OverdueQueue = {
  queue: "deliveries",
  query: (now) => (only) =>
    sql`/* due: across stores */
    SELECT count(*) AS waiting, min(next_attempt_at) AS oldest FROM webhook_deliveries
    WHERE status IN ('pending', 'retrying') AND next_attempt_at <= ${now} ${only} LIMIT 1`,
};
