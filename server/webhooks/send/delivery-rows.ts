import { ownStore, type Runner, raw, sql } from "../../platform/database/sql.ts";
import { written } from "../../platform/database/statements.ts";
import { lastDue } from "../deliveries.ts";
import { attemptsAtMost } from "./schedule.ts";

/** The deliveries of one endpoint as its holder claims them, settles them and gives them up. Run behind the endpoint's lock. */

export interface Claimed {
  /** UUID of the `whd_` id */
  id: string;
  /** UUID of the `evt_` id */
  eventId: string;
  /** this attempt included */
  attempts: number;
  /** when this attempt was due */
  due: Date;
  payload: string;
}

/** What becomes of a claimed delivery. */
export interface Settled {
  claimed: Claimed;
  /** where it was sent */
  url: string;
  /** `returned`: the attempt was not begun, and is undone */
  status: "delivered" | "retrying" | "dead" | "returned";
  /** calendar time */
  at: Date;
  /** of the next attempt; null: there is none */
  nextAttemptAt: Date | null;
  statusCode: number | null;
  response: string | null;
  error: string | null;
}

export interface EndpointKey {
  /** UUID */
  storeId: string;
  /** UUID */
  id: string;
}

interface ClaimedRow {
  id: string;
  event_id: string;
  attempts: number;
  next_attempt_at: Date;
  payload: string;
}

/** Claims what is due, the longest due first; the attempt counts from here on. */
export async function claimDue(
  db: Runner,
  { storeId, id }: EndpointKey,
  now: Date,
  atMost: number,
): Promise<Claimed[]> {
  const rows = await db.forStore(storeId).all(sql<ClaimedRow>`
  UPDATE webhook_deliveries AS d SET status = 'delivering', attempts = d.attempts + 1
  FROM (
    SELECT id FROM webhook_deliveries
    WHERE store_id = ${ownStore} AND endpoint_id = ${id} AND status IN ('pending', 'retrying') AND next_attempt_at <= ${now}
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

// As claimed still: another holder, or a redelivery after it, has changed one of the three. Claimed times have passed
// through a Date, which knows milliseconds only.
const stillAsClaimed = `d.store_id = $1 AND d.endpoint_id = $2 AND d.id = s.id AND d.status = 'delivering'
    AND d.attempts = s.claimed_attempts AND d.next_attempt_at >= s.due AND d.next_attempt_at < s.due_end`;

const settleSql = `
  UPDATE webhook_deliveries AS d SET status = s.status, attempts = s.attempts,
    next_attempt_at = coalesce(s.next_attempt_at, d.next_attempt_at),
    last_due_at = CASE WHEN s.begun THEN d.next_attempt_at ELSE d.last_due_at END,
    delivered_at = s.delivered_at,
    last_status_code = CASE WHEN s.begun THEN s.status_code ELSE d.last_status_code END,
    last_response = CASE WHEN s.begun THEN s.response ELSE d.last_response END,
    last_error = CASE WHEN s.begun THEN s.error ELSE d.last_error END
  FROM jsonb_to_recordset($3::jsonb) AS s (id uuid, claimed_attempts integer, due timestamptz, due_end timestamptz,
    begun boolean, status text, attempts integer, next_attempt_at timestamptz, delivered_at timestamptz,
    status_code integer, response text, error text)
  WHERE ${stillAsClaimed}
  RETURNING d.id`;

/** Records outcomes; answers the ids of those that were still as they had been claimed. */
export async function settle(
  db: Runner,
  { storeId, id }: EndpointKey,
  settled: readonly Settled[],
): Promise<ReadonlySet<string>> {
  if (settled.length === 0) return new Set();
  const rows = JSON.stringify(settled.map(settledRow));
  const recorded = await db.all(written<{ id: string }>(settleSql, [storeId, id, rows]));
  return new Set(recorded.map((row) => row.id));
}

// Rows that somebody has locked are passed over: this statement holds the lock of no endpoint, and others that hold it
// change deliveries in an order of their own.
const settleDeliveredSql = `
  UPDATE webhook_deliveries AS d SET status = 'delivered', delivered_at = s.delivered_at,
    last_status_code = s.status_code, last_response = s.response, last_error = NULL
  FROM jsonb_to_recordset($3::jsonb) AS s (id uuid, claimed_attempts integer, due timestamptz, due_end timestamptz,
    delivered_at timestamptz, status_code integer, response text)
  JOIN (
    SELECT id FROM webhook_deliveries WHERE store_id = $1 AND id = ANY ($4::uuid[]) FOR UPDATE SKIP LOCKED
  ) AS free ON free.id = s.id
  WHERE ${stillAsClaimed}
  RETURNING d.id`;

/**
 * As `settle`, of outcomes that are all `delivered`, without the endpoint's lock and outside of its turns: for an endpoint
 * that is not failing, whose health they do not change. Answers the ids of those that were recorded.
 */
export async function settleDelivered(
  db: Runner,
  { storeId, id }: EndpointKey,
  settled: readonly Settled[],
): Promise<ReadonlySet<string>> {
  const ids = settled.map(({ claimed }) => claimed.id);
  const parameters = [storeId, id, JSON.stringify(settled.map(settledRow)), ids];
  const recorded = await db.all(written<{ id: string }>(settleDeliveredSql, parameters));
  return new Set(recorded.map((row) => row.id));
}

function settledRow({ claimed, status, at, nextAttemptAt, statusCode, response, error }: Settled) {
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
  };
}

/** Takes back what a holder that is gone had claimed: whether it was sent, nobody knows. `known`: ids that are in hand. */
export async function retryInterrupted(
  db: Runner,
  { storeId, id }: EndpointKey,
  now: Date,
  known: readonly string[],
): Promise<number> {
  return (
    await db.forStore(storeId).all(sql<{ id: string }>`
  UPDATE webhook_deliveries SET status = CASE WHEN attempts < ${raw(attemptsAtMost)} THEN 'retrying' ELSE 'dead' END,
    next_attempt_at = CASE WHEN attempts < ${raw(attemptsAtMost)} THEN ${now} ELSE next_attempt_at END,
    last_due_at = next_attempt_at,
    last_error = CASE WHEN attempts < ${raw(attemptsAtMost)} THEN 'interrupted' ELSE 'interrupted; no attempts left' END
  WHERE store_id = ${ownStore} AND endpoint_id = ${id} AND status = 'delivering' AND id <> ALL (${known}::uuid[])
  RETURNING id`)
  ).length;
}

// The plan's reason stands alone: what ended so is told by it, and is not sent again.

/** What is never sent: of a store whose plan is paused, those that are due; of an endpoint that is disabled, all. */
export async function giveUp(
  db: Runner,
  { storeId, id }: EndpointKey,
  reason: "plan_paused" | "endpoint_disabled",
  dueBy: Date | "infinity",
): Promise<number> {
  // The plan's reason stands alone: what ended so is told by it, and is not sent again.
  return (
    await db.forStore(storeId).all(sql<{ id: string }>`
  UPDATE webhook_deliveries SET status = 'dead', next_attempt_at = ${raw(lastDue)},
    last_error = CASE WHEN ${reason}::text = 'plan_paused' THEN ${reason}::text ELSE coalesce(last_error || '; ', '') || ${reason}::text END
  WHERE store_id = ${ownStore} AND endpoint_id = ${id} AND status IN ('pending', 'retrying') AND next_attempt_at <= ${dueBy}
  RETURNING id`)
  ).length;
}

/** When the first of those that wait is due. */
export async function firstWaiting(db: Runner, { storeId, id }: EndpointKey): Promise<Date | null> {
  const row = await db.forStore(storeId).first(sql<{ next_attempt_at: Date }>`
  SELECT next_attempt_at FROM webhook_deliveries
  WHERE store_id = ${ownStore} AND endpoint_id = ${id} AND status IN ('pending', 'retrying')
  ORDER BY next_attempt_at, id LIMIT 1`);
  return row?.next_attempt_at ?? null;
}
