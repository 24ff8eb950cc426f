import type { Store } from "../platform/caller.ts";
import { ownStore, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { isCurrency } from "../platform/money.ts";
import { isTimeZone } from "../platform/time-zones.ts";
import { countOrders } from "../profiles/figures.ts";
import { noteShopUpdate, recordRevision, updateShop } from "../stores/public.ts";
import { deleteProduct, putInventoryItem, putProducts } from "./catalog.ts";
import { deleteOrder } from "./deletions.ts";
import { ingestOrder } from "./ingest.ts";
import type { OrderDeps } from "./order-deps.ts";
import { currencyOf, fieldsOf, isLeftOut, PayloadError, textOf, timeOf } from "./payload.ts";
import type { OrderTopic } from "./read-order.ts";
import { ingestRefund } from "./refunds.ts";
import { type Eraser, recordRequest } from "./requests.ts";

/** Handles each topic of the commerce platform, in the transaction that records the message. */

export interface TopicDeps extends OrderDeps {
  /** revokes every key and deletes every endpoint of a store */
  disconnect: (tx: Transaction, storeId: string) => Promise<unknown>;
  eraser: Eraser | null;
  /** the transaction itself, bound to no store: an erased store takes its test twin with it */
  transaction: Transaction;
}

interface Message {
  store: Store;
  topic: string;
  payload: unknown;
  /** when the platform sent it, in ms, not after now; null if it does not say */
  triggeredAt: number | null;
}

interface Topic {
  apply: (tx: StoreTransaction, message: Message, deps: TopicDeps) => Promise<unknown>;
  /**
   * whether it is handled after the app was removed from the shop, as the platform's privacy rules require
   * [orders.uninstalled]
   */
  afterDisconnect: boolean;
}

const order = (topic: OrderTopic): Topic => ({
  apply: (tx, { store: { currency }, payload, triggeredAt }, deps) =>
    ingestOrder(tx, { topic, payload, currency, triggeredAt }, deps),
  afterDisconnect: false,
});

const product: Topic = {
  apply: (tx, { payload, triggeredAt }, { now }) => putProducts(tx, [payload], now, triggeredAt),
  afterDisconnect: false,
};

const productDeletion: Topic = {
  apply: (tx, { payload, triggeredAt }, { now }) => deleteProduct(tx, payload, now, triggeredAt),
  afterDisconnect: false,
};

const inventoryItem: Topic = {
  apply: (tx, { payload, triggeredAt }, { now }) => putInventoryItem(tx, payload, { now, triggeredAt }),
  afterDisconnect: false,
};

const refund: Topic = {
  apply: (tx, { store: { currency }, payload }, deps) => ingestRefund(tx, { payload, currency }, deps),
  afterDisconnect: false,
};

const request: Topic = { apply: recordRequest, afterDisconnect: true };

export const topics: ReadonlyMap<string, Topic> = new Map<string, Topic>([
  ["orders/create", order("orders/create")],
  ["orders/updated", order("orders/updated")],
  ["orders/cancelled", order("orders/cancelled")],
  ["orders/delete", { apply: (tx, { payload }, deps) => deleteOrder(tx, payload, deps), afterDisconnect: false }],
  ["refunds/create", refund],
  ["products/create", product],
  ["products/update", product],
  ["products/delete", productDeletion],
  ["inventory_items/update", inventoryItem],
  ["shop/update", { apply: updateShopOf, afterDisconnect: false }],
  ["app/uninstalled", { apply: (tx, _message, { disconnect }) => disconnect(tx, tx.storeId), afterDisconnect: false }],
  ["customers/redact", request],
  ["customers/data_request", request],
  ["shop/redact", request],
]);

/**
 * A blank name leaves the store's own; an unknown currency or timezone is refused, and so not taken for the old one
 * [orders.shop].
 */
async function updateShopOf(tx: StoreTransaction, message: Message, deps: TopicDeps): Promise<void> {
  const { store, payload, triggeredAt } = message;
  const shop = fieldsOf(payload);
  const name = textOf(shop?.["name"])?.trim() ?? null;
  const [currency, timezone] = [shopCurrencyOf(shop?.["currency"]), zoneOf(shop?.["iana_timezone"])];
  const at = { updatedAt: timeOf(shop?.["updated_at"]), triggeredAt };
  if (!(await noteShopUpdate(tx, at))) return;
  await updateShop(tx, tx.storeId, { name, currency, timezone });
  if (currency === null || currency === store.currency) return;
  // only orders in the store's currency add to what people spent
  const buyers = await tx.all(sql<{ profile_id: string }>`
  SELECT DISTINCT profile_id FROM orders WHERE store_id = ${ownStore} AND profile_id IS NOT NULL`);
  const ids = buyers.map((buyer) => buyer.profile_id);
  const counted = await countOrders(tx, ids);
  const changes = counted.map((id) => ({ kind: "profile" as const, id }));
  await recordRevision(tx, changes, deps);
}

/** Refused rather than ignored: money would silently be added up in another currency. */
function shopCurrencyOf(value: unknown): string | null {
  if (isLeftOut(value)) return null;
  const currency = currencyOf(value);
  if (currency === null || !isCurrency(currency))
    throw new PayloadError("is not the code of a currency", { field: "currency" });
  return currency;
}

/** Refused rather than ignored: days would silently be cut at another zone's midnight. */
function zoneOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== "string" || !isTimeZone(value))
    throw new PayloadError("is not the name of a timezone", { field: "iana_timezone" });
  return value;
}
