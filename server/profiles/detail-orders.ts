import type { ProfileDetail, ProfileSession } from "../../contract/profiles.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { formatId } from "../platform/ids.ts";
import { minorUnits, moneyFromMinor } from "../platform/money.ts";

/** The orders on a person's page. Cancelled orders are not listed, since they count nowhere [orders.cancelled]. */

export interface OrderRow {
  gid: string;
  name: string | null;
  created_at: Date;
  currency: string;
  total: string;
  tier: string;
  /** null if only a contact ties the order to the person [orders.holder] */
  session_id: string | null;
  quiz_id: string | null;
  quiz_name: string | null;
}

/** How many orders are listed, the newest; `orders_count` is the total. */
export const ordersListed = 1_000;

/** The listed orders, plus one more if there are more. */
export const readOrders = (db: StoreRunner, profileId: string): Promise<OrderRow[]> =>
  db.all(sql<OrderRow>`
  SELECT o.gid, o.name, o.created_at, o.currency, o.total, o.profile_tier AS tier, s.id AS session_id, s.quiz_id,
    q.name AS quiz_name
  FROM orders o
  LEFT JOIN sessions s ON s.store_id = ${ownStore} AND s.id = o.session_id AND s.profile_id = o.profile_id
  LEFT JOIN quizzes q ON q.store_id = ${ownStore} AND q.id = s.quiz_id
  WHERE o.store_id = ${ownStore} AND o.profile_id = ${profileId} AND o.cancelled_at IS NULL
  ORDER BY o.created_at DESC, o.id DESC LIMIT ${ordersListed + 1}`);

const orderFields = (row: OrderRow) => ({
  order_id: row.gid,
  order_name: row.name,
  amount: moneyFromMinor(minorUnits(row.total, row.currency), row.currency),
  created_at: isoTime(row.created_at),
  matched_tier: row.tier,
});

export const orderBody = (row: OrderRow): ProfileDetail["orders"][number] => ({
  ...orderFields(row),
  quiz_id: row.quiz_id === null ? null : formatId("quiz", row.quiz_id),
  quiz_name: row.quiz_name,
  session_id: row.session_id === null ? null : formatId("sess", row.session_id),
});

interface SessionTimes {
  started_at: Date | null;
  opened_at: Date;
  completed_at: Date | null;
}

/** The order of a session. If it has several, the first one: the quiz led to that order. */
export function sessionOrder(orders: readonly OrderRow[] | undefined, session: SessionTimes): ProfileSession["order"] {
  const row = orders?.at(-1);
  return row ? { ...orderFields(row), minutes_after: minutesAfter(row.created_at, session) } : null;
}

const minuteMs = 60_000;
const secondMs = 1_000;

/**
 * Whole minutes since completion, or since the start if not completed [orders.minutes-after]. A quiz completed after
 * the order did not lead to it. The platform's times are whole seconds, so a completion in the same second counts as
 * earlier.
 */
function minutesAfter(orderedAt: Date, { started_at, opened_at, completed_at }: SessionTimes): number {
  const passed = (since: Date) => orderedAt.getTime() - Math.floor(since.getTime() / secondMs) * secondMs;
  const completed = completed_at !== null && passed(completed_at) >= 0 ? completed_at : (started_at ?? opened_at);
  return Math.max(0, Math.floor((orderedAt.getTime() - completed.getTime()) / minuteMs));
}
