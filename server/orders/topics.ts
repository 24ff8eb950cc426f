import type { Store } from "../platform/caller.ts";
import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";
import { isCurrency } from "../platform/money.ts";
import { isTimeZone } from "../platform/time-zones.ts";
import { countOrders } from "../profiles/public.ts";
import { holdRevision, updateShop } from "../stores/public.ts";
import { deleteProduct, putProducts } from "./catalog.ts";
import { currencyOf, fieldsOf, PayloadError, textOf } from "./payload.ts";
import { ingestOrder, type OrderDeps, recordRevision } from "./public.ts";
import { type Eraser, recordRequest } from "./requests.ts";

/** What each topic of the commerce platform does, in the transaction that remembers the message. */

export interface TopicDeps extends OrderDeps {
  /** revokes every key and deletes every endpoint of a store */
  disconnect: (tx: Transaction, storeId: string) => Promise<unknown>;
  eraser: Eraser | null;
}

interface Message {
  store: Store;
  topic: string;
  payload: unknown;
}

interface Topic {
  take: (tx: Transaction, message: Message, context: TopicDeps) => Promise<unknown>;
  /** whether it is still heard once the app is gone from the shop, as the platform's rules on privacy ask */
  afterDisconnect: boolean;
}

const order = (topic: Parameters<typeof ingestOrder>[2]["topic"]): Topic => ({
  take: (tx, { store, payload }, context) => ingestOrder(tx, store, { topic, payload }, context),
  afterDisconnect: false,
});

const product: Topic = {
  take: (tx, { store, payload }, { now }) => putProducts(tx, store.id, [payload], now),
  afterDisconnect: false,
};

const request: Topic = {
  take: (tx, { store, topic, payload }, context) => recordRequest(tx, store.id, { topic, payload }, context),
  afterDisconnect: true,
};

export const topics: ReadonlyMap<string, Topic> = new Map<string, Topic>([
  ["orders/create", order("orders/create")],
  ["orders/updated", order("orders/updated")],
  ["orders/cancelled", order("orders/cancelled")],
  ["products/create", product],
  ["products/update", product],
  [
    "products/delete",
    {
      take: (tx, { store, payload }, { now }) => deleteProduct(tx, store.id, payload, now),
      afterDisconnect: false,
    },
  ],
  ["shop/update", { take: takeShop, afterDisconnect: false }],
  ["app/uninstalled", { take: (tx, { store }, { disconnect }) => disconnect(tx, store.id), afterDisconnect: false }],
  ["customers/redact", request],
  ["customers/data_request", request],
  ["shop/redact", request],
]);

/**
 * A name or currency that this program does not know leaves the store's own; a timezone that is none is refused
 * [orders.shop].
 */
async function takeShop(tx: Transaction, { store, payload }: Message, context: TopicDeps): Promise<void> {
  const shop = fieldsOf(payload);
  const name = textOf(shop?.["name"])?.trim();
  const currency = currencyOf(shop?.["currency"]);
  const timezone = zoneOf(shop?.["iana_timezone"]);
  await updateShop(tx, store.id, {
    ...(name === undefined ? {} : { name }),
    ...(currency !== null && isCurrency(currency) ? { currency } : {}),
    ...(timezone === null ? {} : { timezone }),
  });
  if (currency === null || !isCurrency(currency) || currency === store.currency) return;
  // only orders in the store's currency add to what people spent
  await holdRevision(tx, store.id);
  const buyers = await tx
    .forStore(store.id)
    .all<{ profile_id: string }>(
      sql`SELECT DISTINCT profile_id FROM orders WHERE store_id = ${ownStore} AND profile_id IS NOT NULL`,
    );
  const counted = await countOrders(
    tx,
    store.id,
    buyers.map((buyer) => buyer.profile_id),
  );
  await recordRevision(
    tx,
    store.id,
    counted.map((id) => ({ kind: "profile", id })),
    context,
  );
}

/** Days would go on being cut at another zone's midnight, and nobody would know. */
function zoneOf(given: unknown): string | null {
  if (given === undefined || given === null) return null;
  if (typeof given !== "string" || !isTimeZone(given))
    throw new PayloadError("iana_timezone is not the name of a timezone", { field: "iana_timezone" });
  return given;
}
