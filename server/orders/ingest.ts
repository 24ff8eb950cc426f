import { anyOf, ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { appendEvents, type OutboxEvent } from "../platform/outbox.ts";
import { confirmByOrders } from "../profiles/resolve-people.ts";
import { holdRevision, recordRevision, type StoreChange } from "../stores/public.ts";
import { readDeletions } from "./deletions.ts";
import { insertOrders } from "./insert-orders.ts";
import { linkOrders } from "./link-orders.ts";
import type { OrderDeps } from "./order-deps.ts";
import { type Refused, readEach } from "./payload.ts";
import { type OrderTopic, readOrder, type ShopOrder } from "./read-order.ts";

/** Ingests orders from messages and files, and attributes them along with all orders they affect. */

export interface OrderMessage {
  topic: OrderTopic;
  payload: unknown;
  /** the store's */
  currency: string;
  /** when the platform sent it, in ms; null if it does not say */
  triggeredAt: number | null;
}

/** Ingests one order from a message with this topic. Throws a PayloadError for a payload that is not an order. */
export async function ingestOrder(
  tx: StoreTransaction,
  { topic, payload, currency, triggeredAt }: OrderMessage,
  deps: OrderDeps,
): Promise<void> {
  const order = readOrder(payload, { topic, currency, now: deps.now, triggeredAt });
  if (!order) return;
  const { events } = await ingest(tx, [order], deps);
  await appendEvents(tx, tx.storeId, deps.now, events);
}

export interface ImportedOrders {
  /** number of orders written */
  orders: number;
  /** test orders, and orders of which a newer version is stored */
  ignored: number;
  refused: Refused[];
}

/**
 * Ingests order payloads of the commerce platform, for example from its API [orders.import]. Skips and reports those
 * that cannot be read. Imported orders cause no webhooks.
 */
export async function importOrders(
  tx: StoreTransaction,
  { currency }: { currency: string },
  payloads: readonly unknown[],
  deps: OrderDeps,
): Promise<ImportedOrders> {
  const { items, refused } = readEach(payloads, (payload) =>
    readOrder(payload, { topic: "orders/updated", currency, now: deps.now }),
  );
  const orders = items.filter((order) => order !== null);
  const { inserted } = await ingest(tx, orders, deps);
  return { orders: inserted, ignored: payloads.length - refused.length - inserted, refused };
}

/** Returns how many orders were written, and the events of people who were merged. */
async function ingest(
  tx: StoreTransaction,
  orders: readonly ShopOrder[],
  deps: OrderDeps,
): Promise<{ inserted: number; events: OutboxEvent[] }> {
  if (orders.length === 0) return { inserted: 0, events: [] };
  // sent together and run one after the other: under the lock
  const [, deleted] = await together([
    holdRevision(tx, tx.storeId),
    readDeletions(
      tx,
      orders.map(({ gid }) => gid),
    ),
  ]);
  const inserted = await insertOrders(
    tx,
    orders.filter(({ gid }) => !deleted.has(gid)),
  );
  const carried = [...inserted.values()].map((keys) => ({
    emails: keys.flatMap(({ tier, value }) => (tier === "email" ? value : [])),
    phones: keys.flatMap(({ tier, value }) => (tier === "phone" ? value : [])),
  }));
  const { changes, events } = await confirmByOrders(tx, carried, deps);
  const concerned = await concernedOrders(tx, changes);
  const linked = await linkOrders(tx, new Set([...inserted.keys(), ...concerned]), new Set(inserted.keys()));
  await recordRevision(tx, [...changes, ...linked], deps);
  return { inserted: inserted.size, events };
}

/**
 * Attributes all orders again that changes of sessions and people may affect [orders.rematch]: for example an order
 * that came before its session's contact, a session that arrived late, or people who were merged. Returns the resulting
 * changes.
 *
 * Call it last in a transaction that holds the store's revision, with everything the transaction changed; the caller
 * records the returned changes.
 */
export async function rematchOrders(tx: StoreTransaction, changes: readonly StoreChange[]): Promise<StoreChange[]> {
  return linkOrders(tx, new Set(await concernedOrders(tx, changes)));
}

const idsOf = (changes: readonly StoreChange[], kind: StoreChange["kind"]): string[] => [
  ...new Set(changes.flatMap((change) => (change.kind === kind ? change.id : []))),
];

/** UUIDs of what may change in a transaction. */
export interface MayChange {
  sessionIds: readonly string[];
  profileIds: readonly string[];
}

/**
 * Whether any order names what these changes lead to. Where none does, `rematchOrders` changes nothing, and takes three
 * times as long to find that out; so it is with nearly every group of shoppers' events. Extra changes are
 * harmless. Its statement is sent at once.
 */
export async function mayConcernOrders(tx: StoreTransaction, { sessionIds, profileIds }: MayChange): Promise<boolean> {
  if (sessionIds.length + profileIds.length === 0) return false;
  const found = await tx.first(sql`
  WITH touched AS MATERIALIZED (
    SELECT s.id, s.visitor_id, s.profile_id FROM sessions s
    WHERE s.store_id = ${ownStore} AND s.id = ${anyOf(sessionIds)} AND NOT s.preview
  ), people AS MATERIALIZED (
    SELECT profile_id FROM touched WHERE profile_id IS NOT NULL
    UNION ALL SELECT p.id FROM unnest(${profileIds}::uuid[]) AS p (id)
  )
  SELECT 1 FROM order_keys k WHERE k.store_id = ${ownStore} AND k.value = ANY (ARRAY(
    SELECT unnest(${sessionIds}::text[]) UNION ALL SELECT t.visitor_id::text FROM touched t
    UNION ALL SELECT i.value FROM identities i
      WHERE i.store_id = ${ownStore} AND i.profile_id = ANY (ARRAY(SELECT profile_id FROM people))))
  UNION ALL SELECT 1 FROM orders o WHERE o.store_id = ${ownStore} AND o.session_id = ${anyOf(sessionIds)}
  UNION ALL SELECT 1 FROM orders o
    WHERE o.store_id = ${ownStore} AND o.profile_id = ANY (ARRAY(SELECT profile_id FROM people))`);
  return found !== undefined;
}

/**
 * Whether any order names these sessions or visitors, or is attributed to one of the sessions: all that may concern
 * orders of sessions without a person. Statements of one table, since a cluster's node keeps their plans; the one above
 * takes it twice as long as both. They are sent at once.
 */
export async function ordersName(
  tx: StoreTransaction,
  { sessionIds, visitorIds }: { sessionIds: readonly string[]; visitorIds: readonly string[] },
): Promise<boolean> {
  const [named, attributed] = await together([
    tx.first(sql`
      SELECT 1 FROM order_keys WHERE store_id = ${ownStore}
        AND value = ${anyOf([...sessionIds, ...visitorIds], "text")} LIMIT 1`),
    tx.first(sql`SELECT 1 FROM orders WHERE store_id = ${ownStore} AND session_id = ${anyOf(sessionIds)} LIMIT 1`),
  ]);
  return named !== undefined || attributed !== undefined;
}

/**
 * The orders whose attribution may change with these sessions and people: orders that name such a session or its
 * visitor, or a contact of its person, and are in its window; orders attributed to such a session; orders with a
 * contact of one of the people that belong to another person, or are matched by a weaker tier; and orders of people who
 * no longer hold any contact of the order. Every branch uses an index, and most find nothing.
 */
async function concernedOrders(tx: StoreTransaction, changes: readonly StoreChange[]): Promise<string[]> {
  const [sessionIds, profileIds] = [idsOf(changes, "session"), idsOf(changes, "profile")];
  if (sessionIds.length === 0 && profileIds.length === 0) return [];
  // An order's time is a whole second, hence the second before the session's start. Each table is read once, by arrays,
  // since PostgreSQL planned joins of the same steps as scans of whole tables (173 ms for 200 sessions among 30,000
  // orders instead of 11, both on a busy machine; 200 sessions that affect no order take 2).
  const rows = await tx.all(sql<{ id: string }>`
  WITH touched AS MATERIALIZED (
    SELECT s.id, s.visitor_id, s.profile_id, s.started_at FROM sessions s
    WHERE s.store_id = ${ownStore} AND s.id = ${anyOf(sessionIds)} AND NOT s.preview
  ), people AS MATERIALIZED (
    SELECT profile_id FROM touched WHERE profile_id IS NOT NULL UNION SELECT p.id FROM unnest(${profileIds}::uuid[]) AS p (id)
  ), held AS MATERIALIZED (
    SELECT i.kind, i.value, i.profile_id FROM identities i
    WHERE i.store_id = ${ownStore} AND i.profile_id = ANY (ARRAY(SELECT profile_id FROM people))
  ), reached AS MATERIALIZED (
    SELECT t.id::text AS value, t.started_at FROM touched t WHERE t.started_at IS NOT NULL
    UNION ALL SELECT t.visitor_id::text, t.started_at FROM touched t WHERE t.started_at IS NOT NULL
    UNION ALL SELECT h.value, t.started_at FROM touched t JOIN held h ON h.profile_id = t.profile_id
      WHERE t.started_at IS NOT NULL
  ), keyed AS MATERIALIZED (
    SELECT k.order_id, k.tier, k.value FROM order_keys k
    WHERE k.store_id = ${ownStore} AND k.value = ANY (ARRAY(SELECT value FROM reached UNION SELECT value FROM held))
  ), near AS MATERIALIZED (
    SELECT o.id, o.created_at, o.profile_id, o.matched_tier, o.profile_tier FROM orders o
    WHERE o.store_id = ${ownStore} AND o.id = ANY (ARRAY(SELECT order_id FROM keyed))
  ), bought AS MATERIALIZED (
    SELECT o.id, o.profile_id, o.profile_tier FROM orders o
    WHERE o.store_id = ${ownStore} AND o.profile_id = ANY (ARRAY(SELECT profile_id FROM people))
      AND o.profile_tier IN ('email', 'phone')
  )
  SELECT o.id FROM reached r JOIN keyed k ON k.value = r.value JOIN near o ON o.id = k.order_id
    WHERE o.created_at > r.started_at - interval '1 second' AND o.created_at <= r.started_at + interval '90 days'
  UNION SELECT o.id FROM orders o WHERE o.store_id = ${ownStore} AND o.session_id = ${anyOf(sessionIds)}
  UNION SELECT o.id FROM held h
    JOIN keyed k ON k.value = h.value AND k.tier = h.kind
    JOIN near o ON o.id = k.order_id
    WHERE o.profile_id IS DISTINCT FROM h.profile_id
      OR k.tier = 'email' AND (o.matched_tier = 'phone' OR o.profile_tier = 'phone')
  UNION SELECT b.id FROM bought b
    WHERE NOT EXISTS (SELECT 1 FROM keyed k JOIN held h ON h.kind = k.tier AND h.value = k.value
      WHERE k.order_id = b.id AND k.tier = b.profile_tier AND h.profile_id = b.profile_id)`);
  return rows.map(({ id }) => id);
}
