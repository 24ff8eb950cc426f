import { anyOf, ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { holdRevision, recordRevision } from "../stores/public.ts";
import { decimalOfUnits, sumOf } from "./amounts.ts";
import type { OrderDeps } from "./order-deps.ts";
import { orderOfRefund, type Refund, readRefundMessage } from "./read-refunds.ts";

/**
 * Refunds of orders [orders.refunds]. Each is stored once, whichever message brings it, also before its order; what an
 * order and its lines have of them is summed up in their own rows, from which the figures are copied.
 */

/** Takes a message about one refund. Throws a PayloadError for a payload that is not a refund. */
export async function ingestRefund(
  tx: StoreTransaction,
  { payload, currency }: { payload: unknown; currency: string },
  deps: OrderDeps,
): Promise<void> {
  const orderId = orderOfRefund(payload);
  await holdRevision(tx, tx.storeId);
  const order = await tx.first(sql<{ currency: string }>`
  SELECT currency FROM orders WHERE store_id = ${ownStore} AND id = ${orderId}`);
  const refund = readRefundMessage(payload, order?.currency ?? currency);
  const [, orders, lines] = await together(writeRefunds(tx, [{ id: orderId, refunds: [refund] }]));
  const changed = orders.length + lines.length > 0 ? [{ kind: "order" as const, id: orderId }] : [];
  await recordRevision(tx, changed, deps);
}

interface RefundedOrder {
  /** UUID */
  id: string;
  refunds: readonly Refund[];
}

/**
 * Stores the refunds and sums up all that are known of these orders; the second and third of the statements, which are
 * sent at once, return the orders whose own sum or whose lines' sums changed. A refund only ever grows, when a payment
 * that was pending succeeds, so the order of messages does not matter.
 */
export function writeRefunds(tx: StoreTransaction, orders: readonly RefundedOrder[]) {
  const rows = orders.flatMap(({ id, refunds }) => refunds.flatMap((refund) => partsOf(id, refund)));
  const ids = orders.map(({ id }) => id);
  return [
    tx.all(sql`
    INSERT INTO order_refunds AS r (store_id, order_id, refund_id, line_id, amount)
    SELECT ${ownStore}::uuid, n.order_id, n.refund_id, n.line_id, max(n.amount)
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS n (order_id uuid, refund_id text, line_id text, amount numeric)
    GROUP BY n.order_id, n.refund_id, n.line_id
    ON CONFLICT (store_id, order_id, refund_id, line_id) DO UPDATE SET amount = greatest(r.amount, excluded.amount)`),
    tx.all(sql<{ id: string }>`
    UPDATE orders o SET refunded = s.amount
    FROM (SELECT r.order_id, sum(r.amount) AS amount FROM order_refunds r
      WHERE r.store_id = ${ownStore} AND r.order_id = ${anyOf(ids)} AND r.line_id = '' GROUP BY r.order_id) s
    WHERE o.store_id = ${ownStore} AND o.id = s.order_id AND o.refunded IS DISTINCT FROM s.amount
    RETURNING o.id`),
    tx.all(sql<{ id: string }>`
    UPDATE order_lines l SET refunded = s.amount
    FROM (SELECT r.order_id, r.line_id, sum(r.amount) AS amount FROM order_refunds r
      WHERE r.store_id = ${ownStore} AND r.order_id = ${anyOf(ids)} AND r.line_id <> '' GROUP BY r.order_id, r.line_id) s
    WHERE l.store_id = ${ownStore} AND l.order_id = s.order_id AND l.line_id = s.line_id
      AND l.refunded IS DISTINCT FROM s.amount
    RETURNING l.order_id AS id`),
  ] as const;
}

/** A refund's rows: one for the whole, with `line_id` empty, and one for each line. */
function partsOf(order_id: string, { id: refund_id, amount, lines }: Refund) {
  const byLine = Map.groupBy(lines, ({ lineId }) => lineId);
  const ofLines = Array.from(byLine, ([line_id, own]) => ({
    line_id,
    amount: decimalOfUnits(sumOf(own.map((line) => line.amount))),
  }));
  return [{ line_id: "", amount }, ...ofLines].map((part) => ({ order_id, refund_id, ...part }));
}
