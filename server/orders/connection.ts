import { createHmac } from "node:crypto";
import {
  type CommerceConnection,
  getCommerce,
  rotateCommerceSecret,
  setCommerceSecret,
  testCommerce,
} from "../../contract/dashboard/settings.ts";
import { connectionCountsAtMost } from "../../contract/limits.ts";
import type { Store } from "../platform/caller.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../platform/http/dashboard.ts";
import { readRoute, writeRoute } from "../platform/http/operations.ts";
import type { RandomBytes } from "../platform/ids.ts";
import { invalid } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { sealCommerceSecret, shopOfDomain } from "../stores/public.ts";
import { topics } from "./topics.ts";

/** The connection to the commerce platform, which an owner can view, change and test [dashboard-api.commerce]. */

export interface ConnectionDeps {
  secrets: Secrets;
  random: RandomBytes;
  baseUrl: string;
  /** sends a message to the service itself, as the platform would; returns the HTTP status */
  deliver: (headers: Record<string, string>, body: string) => Promise<number>;
}

/** messages shown, the newest */
const listed = 50;

interface ConnectionRow {
  secret_set: boolean;
  last_order_at: Date | null;
  orders: number;
  products: number;
}

interface MessageRow {
  webhook_id: string;
  topic: string | null;
  received_at: Date;
}

async function readConnection(db: StoreRunner, store: Store, baseUrl: string): Promise<CommerceConnection> {
  const row = await db.first(sql<ConnectionRow>`
    SELECT s.commerce_secret <> '' AS secret_set,
      (SELECT max(o.created_at) FROM orders o WHERE o.store_id = ${ownStore}) AS last_order_at,
      (SELECT count(*) FROM (
        SELECT 1 FROM orders o WHERE o.store_id = ${ownStore} LIMIT ${connectionCountsAtMost}) AS counted) AS orders,
      (SELECT count(*) FROM (
        SELECT 1 FROM products p WHERE p.store_id = ${ownStore} AND p.deleted_at IS NULL
        LIMIT ${connectionCountsAtMost}) AS counted) AS products
    FROM stores s WHERE s.id = ${ownStore}`);
  const messages = await db.all(sql<MessageRow>`
    SELECT webhook_id, topic, received_at FROM commerce_deliveries WHERE store_id = ${ownStore}
    ORDER BY received_at DESC, webhook_id LIMIT ${listed}`);
  const last = messages[0]?.received_at ?? null;
  const { secret_set = false, last_order_at = null, orders = 0, products = 0 } = row ?? {};
  return {
    state: last !== null || orders + products > 0 ? "connected" : "waiting",
    shop_domain: store.shopDomain,
    messages_url: `${baseUrl}/commerce/v1/shopify/webhooks`,
    secret_set,
    last_message_at: last && isoTime(last),
    last_order_at: last_order_at && isoTime(last_order_at),
    orders,
    products,
    topics: [...topics.keys()],
    messages: messages.map(({ webhook_id, topic, received_at }) => ({
      message_id: webhook_id,
      topic,
      received_at: isoTime(received_at),
    })),
  };
}

type Check = { check: "secret" | "signature" | "messages" | "orders" | "products"; ok: boolean; text: string };

/** Tests the whole path of a message without changing anything: no topic is registered for the test message. */
async function tryOut(db: StoreRunner, store: Store, deps: ConnectionDeps): Promise<Check[]> {
  const { secret_set, last_message_at, last_order_at, products } = await readConnection(db, store, deps.baseUrl);
  const shop = secret_set ? await shopOfDomain(db, deps.secrets, store.shopDomain) : undefined;
  const has = (check: Check["check"], ok: boolean, yes: string, no: string): Check => ({
    check,
    ok,
    text: ok ? yes : no,
  });
  const known = products < connectionCountsAtMost ? products : `${products} or more`;
  const body = "{}";
  const status = shop
    ? await deps.deliver(
        {
          "content-type": "application/json",
          "x-shopify-topic": "quizstore/test",
          "x-shopify-shop-domain": store.shopDomain,
          "x-shopify-hmac-sha256": createHmac("sha256", shop.commerceSecret).update(body).digest("base64"),
        },
        body,
      )
    : null;
  return [
    has("secret", shop !== undefined, "There is a secret.", "There is no secret: set the one that the platform shows."),
    has(
      "signature",
      status === 200,
      "A message signed with the secret is taken.",
      status === null ? "Without a secret no message is taken." : `A signed message was refused with ${status}.`,
    ),
    has(
      "messages",
      last_message_at !== null,
      `The newest message came in at ${last_message_at}.`,
      "No message from the shop has arrived recently.",
    ),
    has("orders", last_order_at !== null, `The newest order is from ${last_order_at}.`, "No order is known yet."),
    has("products", products > 0, `${known} products are known.`, "No product is known yet."),
  ];
}

export const connectionRoutes = (deps: ConnectionDeps): DashboardRoute[] => [
  memberRoute(readRoute(getCommerce, ({ caller }, db) => readConnection(db, caller.store, deps.baseUrl))),
  memberRoute(
    writeRoute(setCommerceSecret, async ({ caller, body }, tx) => {
      const secret = body.secret.trim();
      if (secret.length < 16) throw invalid("body.secret", "must have at least 16 characters");
      await sealCommerceSecret(tx, deps.secrets, secret);
      return { body: await readConnection(tx, caller.store, deps.baseUrl) };
    }),
  ),
  memberRoute(
    writeRoute(rotateCommerceSecret, async (_request, tx) => {
      const secret = Buffer.from(deps.random(32)).toString("hex");
      await sealCommerceSecret(tx, deps.secrets, secret);
      return { body: { secret } };
    }),
  ),
  memberRoute(
    // a read route, since inside a transaction the test would wait for its own message
    readRoute(testCommerce, async ({ caller }, db) => {
      const checks = await tryOut(db, caller.store, deps);
      return { ok: checks.every(({ ok }) => ok), checks };
    }),
  ),
];
