import { ownStore, type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";

/** Deliveries as they come into being: from an event of the outbox for each endpoint it is for, or as a ping. */

export interface NewDelivery {
  /** UUID of the `whd_` id, made by `uuidAt(now, random)` */
  id: string;
  /** UUID; an endpoint that is enabled and locked by the transaction */
  endpointId: string;
  /** UUID of the `evt_` id, one for all endpoints */
  eventId: string;
  topic: string;
  /** the envelope of 6.2, byte for byte as it will be signed */
  payload: string;
  /** whom an erasure has to look for: UUIDs, null where the event is of no session or person */
  sessionId: string | null;
  profileId: string | null;
}

/**
 * `next_attempt_at` of a delivery that ends [webhooks.next-attempt]: when the last attempt that was made was due, never
 * a time at which nothing will happen. The first attempt is due when a delivery is made.
 */
export const lastDue = "CASE WHEN status = 'retrying' THEN coalesce(last_due_at, created_at) ELSE next_attempt_at END";

/**
 * Locks the store's endpoints until the transaction ends, and answers their UUIDs. Whoever builds payloads, or rewrites
 * those that wait (the privacy switch, an erasure), does so behind this lock: a payload built from what was read just
 * before could otherwise come in just after, with the very contact that was to go. It also gives a store's deliveries
 * one order. Lock a store's revision, where that is needed, before its endpoints.
 */
export async function lockEndpoints(tx: Transaction, storeId: string): Promise<string[]> {
  return (
    await tx.forStore(storeId).all(
      sql<{
        id: string;
      }>`SELECT id FROM webhook_endpoints WHERE store_id = ${ownStore} ORDER BY id FOR NO KEY UPDATE`,
    )
  ).map((row) => row.id);
}

const wakeSql = `
  UPDATE webhook_endpoints SET next_due_at = LEAST(next_due_at, $3::timestamptz)
  WHERE store_id = $1 AND id = ANY($2::uuid[])`;

/**
 * Inserts deliveries as `pending`, due at once, and lowers their endpoints' `next_due_at`.
 *
 * The update comes whether or not it lowers anything: it is what makes a deliverer that is about to raise `next_due_at`
 * wait for these rows. Such a deliverer locks the endpoint first and looks for what waits in a later statement; a
 * subquery of the raising statement itself would not see what was committed while that waited for the lock.
 */
export async function insertDeliveries(
  tx: Transaction,
  storeId: string,
  rows: readonly NewDelivery[],
  now: Date,
): Promise<void> {
  if (rows.length === 0) return;
  const column = <Name extends keyof NewDelivery>(name: Name) => rows.map((row) => row[name]);
  await tx.forStore(storeId).all(sql<never>`
  INSERT INTO webhook_deliveries (store_id, id, endpoint_id, event_id, topic, status, created_at, next_attempt_at,
    session_id, profile_id, payload)
  SELECT ${ownStore}::uuid, d.id, d.endpoint_id, d.event_id, d.topic, 'pending', ${now}::timestamptz, ${now}::timestamptz,
    d.session_id, d.profile_id, d.payload
  FROM unnest(${column("id")}::uuid[], ${column("endpointId")}::uuid[], ${column("eventId")}::uuid[], ${column("topic")}::text[], ${column("sessionId")}::uuid[], ${column("profileId")}::uuid[], ${column("payload")}::text[])
    AS d (id, endpoint_id, event_id, topic, session_id, profile_id, payload)`);
  await tx.all(written<never>(wakeSql, [storeId, [...new Set(column("endpointId"))].sort(), now]));
  tx.announce("deliveries");
}

/** Lets a deliverer look at these endpoints from `at` on, if it would not earlier. The same lock as above stands. */
export async function wakeEndpoint(db: Runner, storeId: string, endpointId: string, at: Date): Promise<void> {
  await db.all(written<never>(wakeSql, [storeId, [endpointId], at]));
}
