import { anyOf, ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { erasedText } from "../platform/replace-texts.ts";
import type { OrderKey } from "./attribute.ts";
import { newestOfEach } from "./payload.ts";
import type { ShopOrder } from "./read-order.ts";
import { writeRefunds } from "./refunds.ts";

/**
 * Inserts orders with their keys and lines, in the newest version. A version older than the stored one changes nothing,
 * so messages may arrive in any order [orders.newest]. Returns the keys of the written orders, by UUID.
 */
export async function insertOrders(
  tx: StoreTransaction,
  received: readonly ShopOrder[],
): Promise<Map<string, OrderKey[]>> {
  const orders = newestOfEach(received, ({ id }) => id, comesAfter);
  const rows = orders.map((order) => ({
    id: order.id,
    gid: order.gid,
    name: order.name,
    created_at: new Date(order.createdAt),
    updated_at: new Date(order.updatedAt),
    stage: order.stage,
    triggered_at: order.triggeredAt === null ? null : new Date(order.triggeredAt),
    cancelled_at: order.cancelledAt === null ? null : new Date(order.cancelledAt),
    currency: order.currency,
    total: order.total,
    renewal: order.renewal,
  }));
  const written = await tx.all(sql<{ id: string }>`
  INSERT INTO orders AS o (store_id, id, gid, name, created_at, updated_at, stage, triggered_at, cancelled_at, currency,
    total, renewal)
  SELECT ${ownStore}::uuid, n.id, n.gid, n.name, n.created_at, n.updated_at, n.stage, n.triggered_at, n.cancelled_at,
    n.currency, n.total, n.renewal
  FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS n (id uuid, gid text, name text, created_at timestamptz,
    updated_at timestamptz, stage smallint, triggered_at timestamptz, cancelled_at timestamptz, currency text,
    total numeric, renewal boolean)
  ON CONFLICT (store_id, id) DO UPDATE SET name = excluded.name, created_at = excluded.created_at,
    updated_at = excluded.updated_at, stage = excluded.stage,
    triggered_at = coalesce(excluded.triggered_at, o.triggered_at), cancelled_at = excluded.cancelled_at,
    currency = excluded.currency, total = excluded.total, renewal = excluded.renewal
  WHERE (o.updated_at, coalesce(o.triggered_at, excluded.triggered_at, '-infinity'), o.stage)
    <= (excluded.updated_at, coalesce(excluded.triggered_at, o.triggered_at, '-infinity'), excluded.stage)
  RETURNING o.id`);
  const ids = new Set(written.map((row) => row.id));
  const inserted = orders.filter((order) => ids.has(order.id));
  // every round trip is time in which the store's shoppers wait for its lock
  const [erased] = await together([
    erasedOrders(tx, inserted),
    ...deleteParts(tx, inserted),
    insertLines(tx, inserted),
    ...writeRefunds(tx, inserted),
  ]);
  return insertKeys(tx, inserted, erased);
}

/** The same as the condition above. */
function comesAfter(order: ShopOrder, known: ShopOrder): boolean {
  if (order.updatedAt !== known.updatedAt) return order.updatedAt > known.updatedAt;
  const sent = order.triggeredAt ?? known.triggeredAt;
  const knownSent = known.triggeredAt ?? order.triggeredAt;
  return sent === knownSent || sent === null || knownSent === null ? order.stage >= known.stage : sent > knownSent;
}

const idsOf = (orders: readonly ShopOrder[]): string[] => orders.map(({ id }) => id);

/** Deletes the keys and lines of earlier versions. */
const deleteParts = (tx: StoreTransaction, orders: readonly ShopOrder[]) =>
  [
    tx.all(sql`DELETE FROM order_keys WHERE store_id = ${ownStore} AND order_id = ${anyOf(idsOf(orders))}`),
    tx.all(sql`DELETE FROM order_lines WHERE store_id = ${ownStore} AND order_id = ${anyOf(idsOf(orders))}`),
  ] as const;

/** @param erased orders that must not have contacts */
async function insertKeys(
  tx: StoreTransaction,
  orders: readonly ShopOrder[],
  erased: ReadonlySet<string>,
): Promise<Map<string, OrderKey[]>> {
  const mayStore = (id: string, { tier }: OrderKey) => !erased.has(id) || (tier !== "email" && tier !== "phone");
  const keysByOrder = new Map(orders.map(({ id, keys }) => [id, keys.filter((key) => mayStore(id, key))]));
  const rows = [...keysByOrder].flatMap(([id, own]) => own.map((key, rank) => ({ ...key, order_id: id, rank })));
  await tx.all(sql`
  INSERT INTO order_keys (store_id, order_id, tier, value, rank)
  SELECT ${ownStore}::uuid, k.order_id, k.tier, k.value, k.rank FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    AS k (order_id uuid, tier text, value text, rank smallint)`);
  return keysByOrder;
}

/** SQL condition on orders `o`: its person was erased, or a redaction named it [erasure.orders]. */
export const isErased = sql`(EXISTS (SELECT 1 FROM profiles p
    WHERE p.store_id = ${ownStore} AND p.id = o.profile_id AND p.removed_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM erasures e WHERE e.store_id = ${ownStore} AND o.gid = ANY (e.order_ids)))`;

/** Erased orders: received again, they must not bring a contact back. */
async function erasedOrders(tx: StoreTransaction, orders: readonly ShopOrder[]): Promise<Set<string>> {
  const rows = await tx.all(sql<{ id: string }>`
  SELECT o.id FROM orders o WHERE o.store_id = ${ownStore} AND o.id = ${anyOf(idsOf(orders))} AND ${isErased}`);
  return new Set(rows.map((row) => row.id));
}

/** Titles that may name a contact, which an erased order sent again must not bring back [erasure.orders]. */
const mayNameContact = "[@\uff20\ufe6b]|%40|(?:[^[:alpha:][:space:][:punct:]][^[:alpha:]]*){6}";

async function insertLines(tx: StoreTransaction, orders: readonly ShopOrder[]): Promise<void> {
  const lines = orders.flatMap((order) =>
    order.lines.map((line, index) => ({
      order_id: order.id,
      line_no: index + 1,
      line_id: line.lineId,
      product_id: line.productId,
      variant_id: line.variantId,
      title: line.title,
      quantity: line.quantity,
      amount: line.amount,
      from_quiz: line.fromQuiz,
      bundle_key: line.bundle?.key ?? null,
      bundle_product_id: line.bundle?.productId ?? null,
      bundle_units: line.bundle?.units ?? null,
    })),
  );
  await tx.all(sql`
  INSERT INTO order_lines (store_id, order_id, line_no, line_id, product_id, variant_id, title, quantity, amount,
    from_quiz, bundle_key, bundle_product_id, bundle_units)
  SELECT ${ownStore}::uuid, l.order_id, l.line_no, l.line_id, l.product_id, l.variant_id,
    CASE WHEN l.title ~ ${mayNameContact} AND EXISTS (SELECT 1 FROM orders o
      WHERE o.store_id = ${ownStore} AND o.id = l.order_id AND ${isErased}) THEN ${erasedText} ELSE l.title END,
    l.quantity, l.amount, l.from_quiz, l.bundle_key, l.bundle_product_id, l.bundle_units
  FROM jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) AS l (order_id uuid, line_no integer, line_id text,
    product_id text, variant_id text, title text, quantity integer, amount numeric, from_quiz boolean, bundle_key text,
    bundle_product_id text, bundle_units integer)`);
}
