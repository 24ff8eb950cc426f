import type { Store } from "../platform/caller.ts";
import { ownStore, type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import { appendEvents, type OutboxEvent } from "../platform/outbox.ts";
import { confirmByOrders } from "../profiles/public.ts";
import { holdRevision, raiseRevision, recordChanges, type StoreChange } from "../stores/public.ts";
import { concernedOrders } from "./concerned.ts";
import { linkOrders } from "./link.ts";
import { type OrderTopic, readOrder, type ShopOrder } from "./order.ts";
import { PayloadError, parsePlatformJson } from "./payload.ts";
import { putOrders } from "./put-orders.ts";

/** What other slices and the command line may ask of orders. */

export interface OrderDeps {
  /** ms, the calendar's */
  now: number;
  random: RandomBytes;
}

export interface ImportedOrders {
  /** orders that were written */
  orders: number;
  /** test orders, and orders of which something newer is kept */
  ignored: number;
  /** by their place among the payloads, from 0 */
  refused: { index: number; detail: string }[];
}

/**
 * Takes in order payloads of the commerce platform, such as its API lists them [orders.import]; one that cannot be read
 * does not keep the others out. No webhooks come of imported orders.
 */
export async function importOrders(
  tx: Transaction,
  store: Pick<Store, "id" | "currency">,
  payloads: readonly unknown[],
  context: OrderDeps,
): Promise<ImportedOrders> {
  const refused: ImportedOrders["refused"] = [];
  const orders: ShopOrder[] = [];
  for (const [index, payload] of payloads.entries()) {
    try {
      const order = readOrder(payload, { topic: "orders/updated", currency: store.currency, now: context.now });
      if (order) orders.push(order);
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
      refused.push({ index, detail: error.message });
    }
  }
  const { taken } = await keepOrders(tx, store.id, orders, context);
  return { orders: taken, ignored: payloads.length - refused.length - taken, refused };
}

/** Takes in one order as a webhook of that topic brings it. Throws a PayloadError for what is no order. */
export async function ingestOrder(
  tx: Transaction,
  store: Pick<Store, "id" | "currency">,
  message: { topic: OrderTopic; payload: unknown },
  context: OrderDeps,
): Promise<void> {
  const { topic, payload } = message;
  const order = readOrder(payload, { topic, currency: store.currency, now: context.now });
  if (!order) return;
  const { events } = await keepOrders(tx, store.id, [order], context);
  await appendEvents(tx, store.id, context.now, events);
}

interface Kept {
  /** orders that were written */
  taken: number;
  /** of people who turned out to be one */
  events: OutboxEvent[];
}

async function keepOrders(
  tx: Transaction,
  storeId: string,
  orders: readonly ShopOrder[],
  context: OrderDeps,
): Promise<Kept> {
  if (orders.length === 0) return { taken: 0, events: [] };
  await holdRevision(tx, storeId);
  const put = await putOrders(tx, storeId, orders);
  const carried = [...put.values()].map((keys) => ({
    emails: keys.flatMap(({ tier, value }) => (tier === "email" ? value : [])),
    phones: keys.flatMap(({ tier, value }) => (tier === "phone" ? value : [])),
  }));
  const { changes, events } = await confirmByOrders(tx, storeId, carried, context);
  const concerned = await concernedOrders(tx, storeId, changedIds(changes));
  const ids = new Set([...put.keys(), ...concerned]);
  const linked = await linkOrders(tx, storeId, [...ids], new Set(put.keys()));
  await recordRevision(tx, storeId, [...changes, ...linked], context);
  return { taken: put.size, events };
}

const changedIds = (changes: readonly StoreChange[]) => {
  const idsOf = (kind: StoreChange["kind"]) => [
    ...new Set(changes.filter((change) => change.kind === kind).map((change) => change.id)),
  ];
  return { sessionIds: idsOf("session"), profileIds: idsOf("profile") };
};

/** Raises the store's revision for changes that were made while it was held; without any it stays. */
export async function recordRevision(
  tx: Transaction,
  storeId: string,
  changes: readonly StoreChange[],
  { now, random }: OrderDeps,
): Promise<void> {
  if (changes.length === 0) return;
  const { revision } = await raiseRevision(tx, storeId);
  await recordChanges(tx, storeId, revision, uuidAt(now, random), new Date(now), changes);
}

/**
 * Attributes anew whatever orders the changes of sessions and people concern [orders.rematch]: an order that came
 * before its session's contact, a session that came late, people who were merged. Answers what that changes in turn.
 *
 * To be called last in a transaction that has raised the store's revision, with everything that it changed; the caller
 * records the changes that are answered.
 */
export async function rematchOrders(
  tx: Transaction,
  storeId: string,
  changes: readonly StoreChange[],
): Promise<StoreChange[]> {
  const concerned = await concernedOrders(tx, storeId, changedIds(changes));
  return linkOrders(tx, storeId, concerned);
}

/** One line of a file of payloads: like JSON.parse, but no digit of an id or an amount is lost. */
export const parsePayload = (text: string): unknown => parsePlatformJson(text);

export interface CatalogEntry {
  title: string;
  had_variants: boolean;
  /** false: it was deleted */
  in_store: boolean;
}

/** What the catalog knows of products, by global id; those that it never had are not in the map. */
export async function catalogEntries(
  db: Runner,
  storeId: string,
  productIds: readonly string[],
): Promise<Map<string, CatalogEntry>> {
  if (productIds.length === 0) return new Map();
  const rows = await db
    .forStore(storeId)
    .all(sql<
      CatalogEntry & { product_id: string }
    >`SELECT product_id, title, had_variants, deleted_at IS NULL AS in_store FROM products
       WHERE store_id = ${ownStore} AND product_id = ANY(${productIds}::text[])`);
  return new Map(rows.map(({ product_id, ...entry }) => [product_id, entry]));
}
