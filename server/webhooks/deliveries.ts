import { ownStore, raw, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";

/** Inserts deliveries: one per event and subscribed endpoint, or one for a ping. */

export interface NewDelivery {
  /** UUID of the `whd_` id, made by `uuidAt(now, random)` */
  id: string;
  /** UUID of an enabled endpoint that the transaction has locked */
  endpointId: string;
  /** UUID of the `evt_` id, the same for all endpoints */
  eventId: string;
  topic: string;
  /** the envelope exactly as it will be signed */
  payload: string;
  /** UUIDs by which an erasure finds the delivery; null if the event belongs to no session or person */
  sessionId: string | null;
  profileId: string | null;
}

/**
 * The `next_attempt_at` of a delivery that ends [webhooks.next-attempt]: when its last attempt was due, never a future
 * time at which nothing will happen. The first attempt is due when the delivery is created.
 */
export const lastDue = raw(
  "CASE WHEN status = 'retrying' THEN coalesce(last_due_at, created_at) ELSE next_attempt_at END",
);

/**
 * Locks the store's endpoints until the transaction ends. Code that builds payloads, and code that rewrites waiting
 * ones (the privacy switch, an erasure), must hold this lock. Otherwise a payload built from data read before the
 * rewrite could be inserted after it, with the very contact that had to be removed. The lock also gives a store's
 * deliveries a single order. A transaction that also needs the store's revision must lock the revision first.
 */
export async function lockEndpoints(tx: StoreTransaction): Promise<void> {
  await tx.all(sql`SELECT id FROM webhook_endpoints WHERE store_id = ${ownStore} ORDER BY id FOR NO KEY UPDATE`);
}

/**
 * Inserts deliveries as `pending` and due at once, and lowers their endpoints' `next_due_at`.
 *
 * The endpoints are updated even if that lowers nothing, so that a sender about to raise `next_due_at` waits for these
 * rows. Such a sender locks the endpoint first and looks for waiting deliveries in a later statement; a subquery in the
 * raising statement would not see rows that were committed while it waited for the lock.
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

/** Makes a sender look at these endpoints at `at`, unless one would do so earlier. */
export async function wakeEndpoints(db: StoreRunner, endpointIds: readonly string[], at: Date): Promise<void> {
  await db.all(sql`
    UPDATE webhook_endpoints SET next_due_at = LEAST(next_due_at, ${at}::timestamptz)
    WHERE store_id = ${ownStore} AND id = ANY(${endpointIds}::uuid[])`);
}
