import { createHmac } from "node:crypto";
import { ownStore, sql } from "../server/platform/database/sql.ts";
import type { Answered, TestApp, TestStore } from "./app.ts";

/** The commerce platform, for tests of its messages: complete payloads, like those of its webhooks. */

export const commerceUrl = "/commerce/v1/shopify/webhooks";

let sent = 0;

export interface Posted {
  topic: string;
  /** a string is sent unchanged */
  payload: unknown;
  /** the store's own secret by default */
  secret?: string;
  domain?: string;
  webhookId?: string;
  headers?: Record<string, string>;
}

/** The parts of a test's app that are needed to post. */
type Poster = Pick<TestApp, "request" | "database">;

export async function domainOf(t: Pick<Poster, "database">, store: TestStore): Promise<string> {
  const row = await t.database
    .reader()
    .forStore(store.uuid)
    .first(sql<{ shop_domain: string }>`SELECT shop_domain FROM stores WHERE id = ${ownStore}`);
  return row?.shop_domain ?? "";
}

/** Posts a message like the platform, with a signature of its bytes. */
export async function postWebhook(t: Poster, store: TestStore, message: Posted): Promise<Answered> {
  const { topic, payload, secret = store.commerceSecret, headers = {} } = message;
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  sent += 1;
  // before anything is awaited: messages posted at once have ids of their own
  const webhookId = message.webhookId ?? `b54557e4-bdd9-4b37-8a5f-${String(sent).padStart(12, "0")}`;
  return t.request("POST", commerceUrl, {
    body,
    headers: {
      "content-type": "application/json",
      "x-shopify-topic": topic,
      "x-shopify-shop-domain": message.domain ?? (await domainOf(t, store)),
      "x-shopify-hmac-sha256": createHmac("sha256", secret).update(body).digest("base64"),
      "x-shopify-webhook-id": webhookId,
      "x-shopify-api-version": "2025-10",
      ...headers,
    },
  });
}

const both = (amount: string, currency: string) => ({
  shop_money: { amount, currency_code: currency },
  presentment_money: { amount, currency_code: currency },
});

export interface LineGiven {
  id?: number;
  product_id?: number | null;
  title?: string;
  quantity?: number;
  price?: string;
  total_discount?: string;
  discount_allocations?: object[];
  properties?: unknown;
}

export function shopLine(given: LineGiven = {}, currency = "USD"): Record<string, unknown> {
  const { product_id = 632910392, title = "Calming cream", quantity = 1, price = "24.50", properties = [] } = given;
  const { total_discount = "0.00", discount_allocations = [] } = given;
  return {
    id: given.id ?? 866550311766439000 + (product_id ?? 0) / 1e12,
    admin_graphql_api_id: "gid://shopify/LineItem/866550311766439020",
    attributed_staffs: [],
    current_quantity: quantity,
    fulfillable_quantity: quantity,
    fulfillment_service: "manual",
    fulfillment_status: null,
    gift_card: false,
    grams: 120,
    name: title,
    price,
    price_set: both(price, currency),
    product_exists: product_id !== null,
    product_id,
    properties,
    quantity,
    requires_shipping: true,
    sales_line_item_group_id: null,
    sku: "CC-50",
    taxable: true,
    title,
    total_discount,
    total_discount_set: both(total_discount, currency),
    variant_id: product_id === null ? null : 808950810,
    variant_inventory_management: "shopify",
    variant_title: null,
    vendor: null,
    tax_lines: [{ channel_liable: null, price: "1.96", price_set: both("1.96", currency), rate: 0.08, title: "Tax" }],
    duties: [],
    discount_allocations,
  };
}

export type OrderGiven = Record<string, unknown> & { lines?: LineGiven[] };

/** A time in the platform's format: whole seconds, with the shop's offset. */
export const shopTime = (ms: number): string => `${new Date(ms - 5 * 3_600_000).toISOString().slice(0, 19)}-05:00`;

const address = {
  first_name: "Steve",
  address1: "123 Shipping Street",
  phone: null,
  city: "Shippington",
  zip: "40003",
  province: "Kentucky",
  country: "United States",
  last_name: "Shipper",
  address2: null,
  company: null,
  latitude: null,
  longitude: null,
  name: "Steve Shipper",
  country_code: "US",
  province_code: "KY",
};

/** Fields of real shops' orders that nothing here reads. */
const ornaments = {
  app_id: 580111,
  browser_ip: null,
  buyer_accepts_marketing: false,
  cancel_reason: null,
  cart_token: null,
  checkout_id: null,
  client_details: null,
  company: null,
  confirmation_number: null,
  confirmed: false,
  customer_locale: "en",
  device_id: null,
  discount_codes: [],
  duties_included: false,
  estimated_taxes: false,
  financial_status: "paid",
  fulfillment_status: null,
  landing_site: null,
  location_id: null,
  note: null,
  order_status_url: "https://shop.example.com/548380009/orders/123456abcd/authenticate?key=abcdefg",
  original_total_additional_fees_set: null,
  payment_gateway_names: ["visa", "bogus"],
  po_number: null,
  referring_site: null,
  source_identifier: null,
  source_name: "web",
  tags: "tag1, tag2",
  tax_exempt: false,
  tax_lines: [],
  total_cash_rounding_payment_adjustment_set: both("0.00", "USD"),
  user_id: null,
  discount_applications: [],
  fulfillments: [],
  payment_terms: null,
  refunds: [],
  shipping_lines: [
    { id: 271878346596884000, carrier_identifier: null, code: null, discounted_price: "10.00", title: "Standard" },
  ],
};

/** An order like that of a webhook; the given fields replace its own, and `lines` become `line_items`. */
export function shopOrder(id: number | string, createdAt: number, given: OrderGiven = {}): Record<string, unknown> {
  const { lines = [{}], ...fields } = given;
  const currency = String(fields["currency"] ?? "USD");
  const total = String(fields["total_price"] ?? "34.50");
  return {
    id,
    admin_graphql_api_id: `gid://shopify/Order/${id}`,
    ...ornaments,
    billing_address: null,
    cancelled_at: null,
    closed_at: null,
    contact_email: null,
    created_at: shopTime(createdAt),
    currency,
    current_subtotal_price: "24.50",
    current_total_price: total,
    current_total_price_set: both(total, currency),
    customer: null,
    email: "",
    line_items: lines.map((line, index) => shopLine({ id: Number(id) * 1000 + index, ...line }, currency)),
    name: `#${id}`,
    note_attributes: [],
    number: 234,
    order_number: 1234,
    phone: null,
    presentment_currency: currency,
    processed_at: shopTime(createdAt),
    shipping_address: address,
    test: false,
    token: "123456abcd",
    total_line_items_price: "24.50",
    total_price: total,
    total_price_set: both(total, currency),
    total_tax: "0.00",
    updated_at: shopTime(createdAt),
    ...fields,
  };
}

export interface OrderRecord {
  gid: string;
  name: string | null;
  created_at: Date;
  cancelled_at: Date | null;
  currency: string;
  total: string;
  session_id: string | null;
  matched_tier: string | null;
  profile_id: string | null;
  profile_tier: string | null;
}

export async function orderRow(t: TestApp, store: TestStore, id: number | string): Promise<OrderRecord | undefined> {
  return t.database
    .reader()
    .forStore(store.uuid)
    .first(sql<OrderRecord>`SELECT gid, name, created_at, cancelled_at, currency, total, session_id, matched_tier, profile_id, profile_tier
         FROM orders WHERE store_id = ${ownStore} AND gid = ${`gid://shopify/Order/${id}`}`);
}

export interface LineRecord {
  product_id: string | null;
  variant_id: string | null;
  title: string;
  quantity: number;
  amount: string;
  bucket: string | null;
}

export async function orderLines(t: TestApp, store: TestStore, id: number | string): Promise<LineRecord[]> {
  return t.database
    .reader()
    .forStore(store.uuid)
    .all(sql<LineRecord>`SELECT l.product_id, l.variant_id, l.title, l.quantity, l.amount, l.bucket
         FROM order_lines l JOIN orders o ON o.store_id = ${ownStore} AND o.id = l.order_id
         WHERE l.store_id = ${ownStore} AND o.gid = ${`gid://shopify/Order/${id}`} ORDER BY l.line_no`);
}
