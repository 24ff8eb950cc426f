import type { Happened } from "../../../demo/storefront/receipt.ts";
import { globalId, uuidOfGlobalId } from "../../orders/payload.ts";
import type { Database } from "../../platform/database/database.ts";
import { ownStore, sql } from "../../platform/database/sql.ts";
import type { Deadline } from "../../platform/deadline.ts";
import { formatId, parseId, uuidAt } from "../../platform/ids.ts";

/** What the server has made of an order from the demo's storefront, and of the session behind it. */

export interface Asked {
  storeId: string;
  /** the platform's number */
  orderId: number;
  sessionIds: readonly string[];
  /** calendar ms */
  orderedAt: number;
}

/** A quiz is taken within the hours before; events that lie further back are not looked for. */
const lookedBackMs = 6 * 60 * 60 * 1000;

interface OrderRow {
  session_id: string | null;
  matched_tier: string | null;
  profile_tier: string | null;
  profile_id: string | null;
}

export async function whatHappened(
  database: Database,
  { storeId, orderId, sessionIds, orderedAt }: Asked,
  deadline: Deadline,
): Promise<Happened> {
  const db = database.reader(deadline).forStore(storeId);
  const order = await db.first(sql<OrderRow>`
  SELECT session_id, matched_tier, profile_tier, profile_id FROM orders
  WHERE store_id = ${ownStore} AND id = ${uuidOfGlobalId(globalId("Order", orderId))}`);
  const ids = sessionIds.flatMap((id) => parseId("sess", id) ?? []);
  const found = await db.all(sql<{ id: string; status: string; profile_id: string | null }>`
  SELECT id, status, profile_id FROM sessions WHERE store_id = ${ownStore} AND id = ANY (${ids}::uuid[])`);
  // ids begin with the time at which they were made
  const bound = uuidAt(orderedAt - lookedBackMs, () => new Uint8Array(16));
  const events = await db.all(sql<{ id: string; topic: string }>`
  SELECT id, topic FROM outbox WHERE store_id = ${ownStore} AND id > ${bound} AND session_id = ANY (${ids}::uuid[])
  ORDER BY id LIMIT 20`);
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
