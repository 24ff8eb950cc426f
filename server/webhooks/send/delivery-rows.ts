import { ownStore, raw, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { lastDue } from "../deliveries.ts";
import type { Claimed, Outcome } from "./outcome.ts";
import { attemptsAtMost } from "./schedule.ts";

/** Claims the deliveries of one endpoint and records their outcomes, under the endpoint's lock. */

interface ClaimedRow {
  id: string;
  event_id: string;
  attempts: number;
  next_attempt_at: Date;
  payload: string;
}

/** Claims due deliveries, the longest due first. The attempt counts from this moment. */
export async function claimDue(db: StoreRunner, endpointId: string, now: Date, atMost: number): Promise<Claimed[]> {
  const rows = await db.all(sql<ClaimedRow>`
    UPDATE webhook_deliveries AS d SET status = 'delivering', attempts = d.attempts + 1
    FROM (
      SELECT id FROM webhook_deliveries
      WHERE store_id = ${ownStore} AND endpoint_id = ${endpointId} AND status IN ('pending', 'retrying')
        AND next_attempt_at <= ${now}
      ORDER BY next_attempt_at, id LIMIT ${atMost} FOR UPDATE SKIP LOCKED
    ) AS due
    WHERE d.store_id = ${ownStore} AND d.id = due.id
    RETURNING d.id, d.event_id, d.attempts, d.next_attempt_at, d.payload`);
  return rows
    .map((row) => ({
      id: row.id,
      eventId: row.event_id,
      attempts: row.attempts,
      due: row.next_attempt_at,
      payload: row.payload,
    }))
    .sort((a, b) => a.due.getTime() - b.due.getTime() || (a.id < b.id ? -1 : 1));
}

/**
 * Records outcomes of deliveries that are unchanged since they were claimed; another sender, or a redelivery, would
 * have changed their status, attempts or due time. Due times are compared to the millisecond, the precision of a Date.
 * Returns the ids of the recorded deliveries.
 *
 * @param locked whether the endpoint is locked. If not, locked deliveries are skipped: a holder of the endpoint's lock
 * changes deliveries in its own order, so waiting for them could deadlock.
 */
export async function recordOutcomes(
  db: StoreRunner,
  endpointId: string,
  outcomes: readonly Outcome[],
  { locked }: { locked: boolean },
): Promise<ReadonlySet<string>> {
  if (outcomes.length === 0) return new Set();
  const ids = outcomes.map(({ claimed }) => claimed.id);
  const free = sql`
    JOIN (SELECT id FROM webhook_deliveries WHERE store_id = ${ownStore} AND id = ANY (${ids}::uuid[])
      FOR UPDATE SKIP LOCKED) AS free ON free.id = o.id`;
  const recorded = await db.all(sql<{ id: string }>`
    UPDATE webhook_deliveries AS d SET status = o.status, attempts = o.attempts,
      next_attempt_at = coalesce(o.next_attempt_at, d.next_attempt_at),
      last_due_at = CASE WHEN o.begun THEN d.next_attempt_at ELSE d.last_due_at END,
      delivered_at = o.delivered_at,
      last_status_code = CASE WHEN o.begun THEN o.status_code ELSE d.last_status_code END,
      last_response = CASE WHEN o.begun THEN o.response ELSE d.last_response END,
      last_error = CASE WHEN o.begun THEN o.error ELSE d.last_error END,
      tries = CASE WHEN o.tried IS NULL THEN d.tries ELSE coalesce(d.tries, '[]'::jsonb) || o.tried END
    FROM jsonb_to_recordset(${JSON.stringify(outcomes.map(outcomeRow))}::jsonb) AS o (id uuid,
      claimed_attempts integer, due timestamptz, due_end timestamptz, begun boolean, status text, attempts integer,
      next_attempt_at timestamptz, delivered_at timestamptz, status_code integer, response text, error text, tried jsonb)
    ${locked ? raw("") : free}
    WHERE d.store_id = ${ownStore} AND d.endpoint_id = ${endpointId} AND d.id = o.id AND d.status = 'delivering'
      AND d.attempts = o.claimed_attempts AND d.next_attempt_at >= o.due AND d.next_attempt_at < o.due_end
    RETURNING d.id`);
  return new Set(recorded.map((row) => row.id));
}

function outcomeRow({ claimed, status, at, nextAttemptAt, statusCode, response, error }: Outcome) {
  const begun = status !== "returned";
  const attempts = begun ? claimed.attempts : claimed.attempts - 1;
  const unbegun = attempts === 0 ? "pending" : "retrying";
  return {
    id: claimed.id,
    claimed_attempts: claimed.attempts,
    due: claimed.due,
    due_end: new Date(claimed.due.getTime() + 1),
    begun,
    status: begun ? status : unbegun,
    attempts,
    next_attempt_at: nextAttemptAt,
    delivered_at: status === "delivered" ? at : null,
    status_code: statusCode,
    response,
    error,
    // usually the first attempt succeeds, and the row's other columns already say everything about it
    tried: begun && (attempts > 1 || status !== "delivered") ? [{ at, status_code: statusCode, error }] : null,
  };
}

/** Takes back what a vanished sender had claimed; whether it was sent is unknown. `known`: ids in hand, left alone. */
export async function retryInterrupted(
  db: StoreRunner,
  endpointId: string,
  now: Date,
  known: readonly string[],
): Promise<void> {
  const hasMore = raw(`attempts < ${attemptsAtMost}`);
  await db.all(sql`
    UPDATE webhook_deliveries SET status = CASE WHEN ${hasMore} THEN 'retrying' ELSE 'dead' END,
      next_attempt_at = CASE WHEN ${hasMore} THEN ${now} ELSE next_attempt_at END, last_due_at = next_attempt_at,
      last_error = CASE WHEN ${hasMore} THEN 'interrupted' ELSE 'interrupted; no attempts left' END
    WHERE store_id = ${ownStore} AND endpoint_id = ${endpointId} AND status = 'delivering'
      AND id <> ALL (${known}::uuid[])`);
}

/**
 * Ends deliveries that will never be sent: the due ones if the store's plan is paused, all waiting ones if the endpoint
 * is disabled [webhooks.disabled-endpoint, webhooks.paused-plan]. `plan_paused` replaces the last error, since
 * redelivery recognizes by it which deliveries must not be sent again.
 */
export async function giveUp(
  db: StoreRunner,
  endpointId: string,
  reason: "plan_paused" | "endpoint_disabled",
  dueBy: Date | "infinity",
): Promise<void> {
  await db.all(sql`
    UPDATE webhook_deliveries SET status = 'dead', next_attempt_at = ${lastDue},
      last_error = CASE WHEN ${reason}::text = 'plan_paused' THEN ${reason}::text
        ELSE coalesce(last_error || '; ', '') || ${reason}::text END
    WHERE store_id = ${ownStore} AND endpoint_id = ${endpointId} AND status IN ('pending', 'retrying')
      AND next_attempt_at <= ${dueBy}`);
}

/** When the next waiting delivery is due. */
export async function firstWaiting(db: StoreRunner, endpointId: string): Promise<Date | null> {
  const row = await db.first(sql<{ next_attempt_at: Date }>`
    SELECT next_attempt_at FROM webhook_deliveries
    WHERE store_id = ${ownStore} AND endpoint_id = ${endpointId} AND status IN ('pending', 'retrying')
    ORDER BY next_attempt_at, id LIMIT 1`);
  return row?.next_attempt_at ?? null;
}
