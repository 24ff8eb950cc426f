import { ownStore, raw, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";

/** Deliveries are inserted from an event of the outbox, one for each endpoint that it is for, or as a ping. */

export interface NewDelivery {
  /** UUID of the `whd_` id, made by `uuidAt(now, random)` */
  id: string;
  /** UUID; an endpoint that is enabled and locked by the transaction */
  endpointId: string;
  /** UUID of the `evt_` id, one for all endpoints */
  eventId: string;
  topic: string;
  /** the envelope, byte for byte as it will be signed */
  payload: string;
  /** whom an erasure has to look for: UUIDs, null where the event is of no session or person */
  sessionId: string | null;
  profileId: string | null;
}

/**
 * `next_attempt_at` of a delivery that ends [webhooks.next-attempt]: when the last attempt that was made was due, never
 * a time at which nothing will happen. The first attempt is due when a delivery is made.
 */
export const lastDue = raw(
  "CASE WHEN status = 'retrying' THEN coalesce(last_due_at, created_at) ELSE next_attempt_at END",
);

/**
 * Locks the store's endpoints until the transaction ends. Whoever builds payloads, or rewrites those that wait (the
 * privacy switch, an erasure), does so behind this lock: otherwise a payload that was built from what was read just
 * before could be inserted just after, with the very contact that was to go. It also gives a store's deliveries one
 * order. Where the store's revision is needed too, lock it before the endpoints.
 */
export async function lockEndpoints(tx: StoreTransaction): Promise<void> {
  await tx.all(sql`SELECT id FROM webhook_endpoints WHERE store_id = ${ownStore} ORDER BY id FOR NO KEY UPDATE`);
}

/**
 * Inserts deliveries as `pending`, due at once, and lowers their endpoints' `next_due_at`.
 *
 * The endpoints are updated whether or not that lowers anything: it makes a sender that is about to raise `next_due_at`
 * wait for these rows. Such a sender locks the endpoint first and looks for what waits in a later statement; a subquery
 * of the raising statement itself would not see what was committed while that waited for the lock.
 */
export async function insertDeliveries(tx: StoreTransaction, rows: readonly NewDelivery[], now: Date): Promise<void> {
  if (rows.length === 0) return;
  const column = <Name extends keyof NewDelivery>(name: Name) => rows.map((row) => row[name]);
  await tx.all(sql`
    INSERT INTO webhook_deliveries (store_id, id, endpoint_id, event_id, topic, status, created_at, next_attempt_at,
      session_id, profile_id, payload)
    SELECT ${ownStore}::uuid, d.id, d.endpoint_id, d.event_id, d.topic, 'pending', ${now}::timestamptz,
      ${now}::timestamptz, d.session_id, d.profile_id, d.payload
    FROM unnest(${column("id")}::uuid[], ${column("endpointId")}::uuid[], ${column("eventId")}::uuid[],
      ${column("topic")}::text[], ${column("sessionId")}::uuid[], ${column("profileId")}::uuid[],
      ${column("payload")}::text[]) AS d (id, endpoint_id, event_id, topic, session_id, profile_id, payload)`);
  await wakeEndpoints(tx, [...new Set(column("endpointId"))].sort(), now);
  tx.announce("deliveries");
}

/** Lets a sender look at these endpoints from `at` on, if it would not earlier. */
export async function wakeEndpoints(db: StoreRunner, endpointIds: readonly string[], at: Date): Promise<void> {
  await db.all(sql`
    UPDATE webhook_endpoints SET next_due_at = LEAST(next_due_at, ${at}::timestamptz)
    WHERE store_id = ${ownStore} AND id = ANY(${endpointIds}::uuid[])`);
}
