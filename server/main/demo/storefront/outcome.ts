import type { Happened } from "../../../../demo/storefront/receipt.ts";
import { globalId, uuidOfGlobalId } from "../../../orders/payload.ts";
import type { Database } from "../../../platform/database/database.ts";
import { ownStore, type StoreRunner, sql } from "../../../platform/database/sql.ts";
import type { Deadline } from "../../../platform/deadline.ts";
import { formatId, parseId, uuidAt } from "../../../platform/ids.ts";

/** What the server made of an order from the demo's storefront, and of its session. */

export interface OrderLookup {
  storeId: string;
  /** the platform's order number */
  orderId: number;
  sessionIds: readonly string[];
}

/**
 * How many of the store's events are scanned, because no index leads to a session's: the number only grows while
 * somebody simulates shoppers.
 */
const mostLookedThrough = 10_000;

interface OrderRow {
  session_id: string | null;
  matched_tier: string | null;
  profile_tier: string | null;
  profile_id: string | null;
}

interface SessionRow {
  id: string;
  status: string;
  profile_id: string | null;
  first_received_at: Date;
}

interface EventRow {
  id: string;
  topic: string;
}

export async function whatHappened(
  database: Database,
  { storeId, orderId, sessionIds }: OrderLookup,
  deadline: Deadline,
): Promise<Happened> {
  const db = database.reader(deadline).forStore(storeId);
  const order = await db.first(sql<OrderRow>`
  SELECT session_id, matched_tier, profile_tier, profile_id FROM orders
  WHERE store_id = ${ownStore} AND id = ${uuidOfGlobalId(globalId("Order", orderId))}`);
  const ids = sessionIds.flatMap((id) => parseId("sess", id) ?? []);
  const found = await db.all(sql<SessionRow>`
  SELECT id, status, profile_id, first_received_at FROM sessions
  WHERE store_id = ${ownStore} AND id = ANY (${ids}::uuid[]) ORDER BY first_received_at`);
  const [earliest] = found;
  const events = earliest === undefined ? [] : await eventsOf(db, ids, earliest.first_received_at);
  const profile = order?.profile_id ?? found.find(({ profile_id }) => profile_id !== null)?.profile_id ?? null;
  const states = new Map(found.map(({ id, status }) => [formatId("sess", id), status]));
  return {
    sessions: sessionIds.map((id) => ({ id, status: states.get(id) ?? null })),
    countedFor: order?.session_id ? formatId("sess", order.session_id) : null,
    profileId: profile === null ? null : formatId("prof", profile),
    matchedTier: order?.matched_tier ?? order?.profile_tier ?? null,
    events: events.map(({ id, topic }) => ({ id: formatId("evt", id), topic })),
  };
}

function eventsOf(db: StoreRunner, sessions: readonly string[], since: Date): Promise<EventRow[]> {
  // ids begin with their creation time
  const bound = uuidAt(since.getTime(), () => new Uint8Array(16));
  return db.all(sql<EventRow>`
  SELECT id, topic FROM (
    SELECT id, topic, session_id FROM outbox WHERE store_id = ${ownStore} AND id > ${bound}
    ORDER BY id LIMIT ${mostLookedThrough}
  ) later
  WHERE session_id = ANY (${sessions}::uuid[]) ORDER BY id LIMIT 20`);
}
