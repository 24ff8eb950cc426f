import { createHmac, randomInt, randomUUID } from "node:crypto";
import { type Answer, request } from "./http.ts";
import type { Place } from "./program.ts";
import type { Shop } from "./shop.ts";

/** Shopify as a shop experiences it: complete payloads of its Admin API, and the webhooks that carry them. */

const twoHours = 7_200_000;

/** A time in Shopify's format: whole seconds, with the shop's offset. */
export const offsetTime = (ms: number): string => `${new Date(ms + twoHours).toISOString().slice(0, 19)}+02:00`;

/** The same time in the format of `/v1`. */
export const wholeSecond = (ms: number): string => new Date(Math.floor(ms / 1000) * 1000).toISOString();

let lastId = 5_123_456_789_000 + randomInt(100_000);
const nextId = (): number => {
  lastId += 1;
  return lastId;
};

interface Note {
  name: string;
  value: string;
}

export interface Bought {
  /** Null: a line without a product, such as a custom sale. */
  product: number | null;
  variant?: number;
  title?: string;
  price: string;
  quantity?: number;
  discount?: string;
  properties?: Note[];
}

export interface OrderFacts {
  id?: number;
  name?: string;
  /** Epoch ms of the order and of the message's last change. */
  at: number;
  updated?: number;
  total: string;
  currency?: string;
  /** The currency and total shown to the buyer; the shop's currency by default. */
  presentment?: { currency: string; total: string };
  email?: string | null;
  phone?: string | null;
  attributes?: Note[];
  lines?: Bought[];
  cancelledAt?: number;
  test?: boolean;
  /** False: a sale over the counter, without customer and addresses. */
  customer?: boolean;
  /** The remaining total after refunds. */
  current?: string;
}

export type Payload = Record<string, unknown> & { id: number };

const moneySet = (amount: string, currency: string, shown = { currency, total: amount }) => ({
  shop_money: { amount, currency_code: currency },
  presentment_money: { amount: shown.total, currency_code: shown.currency },
});

const address = (phone: string | null) => ({
  ...{ first_name: "Zoë", address1: "Gürtelstraße 5 / 7", phone, city: "Berlin", zip: "10247", province: null },
  ...{ country: "Germany", last_name: "O’Neil & Søn", address2: "", company: null, latitude: 52.5, longitude: 13.46 },
  ...{ name: "Zoë O’Neil & Søn", country_code: "DE", province_code: null },
});

function customer(email: string | null, phone: string | null, at: number) {
  return {
    ...{ id: nextId(), email, created_at: offsetTime(at), updated_at: offsetTime(at), first_name: "Zoë" },
    ...{ last_name: "O’Neil & Søn", state: "disabled", note: null, verified_email: true, multipass_identifier: null },
    ...{ tax_exempt: false, phone, currency: "EUR", tax_exemptions: [], tags: "", default_address: address(null) },
    email_marketing_consent: { state: "not_subscribed", opt_in_level: "single_opt_in", consent_updated_at: null },
    sms_marketing_consent: null,
    admin_graphql_api_id: `gid://shopify/Customer/${lastId}`,
  };
}

function line(bought: Bought, currency: string) {
  const { product, price, discount = "0.00", quantity = 1, title = "Cream", properties = [] } = bought;
  const id = nextId();
  const allocated = { amount: discount, amount_set: moneySet(discount, currency), discount_application_index: 0 };
  return {
    ...{ id, admin_graphql_api_id: `gid://shopify/LineItem/${id}`, attributed_staffs: [], fulfillable_quantity: 1 },
    ...{ fulfillment_service: "manual", fulfillment_status: null, gift_card: false, grams: 50, name: title },
    ...{ price, price_set: moneySet(price, currency), product_exists: product !== null, product_id: product, quantity },
    ...{ current_quantity: quantity, properties, requires_shipping: true, sku: "", taxable: true, title },
    ...{ total_discount: "0.00", total_discount_set: moneySet("0.00", currency), variant_id: bought.variant ?? null },
    ...{ variant_inventory_management: null, variant_title: null, vendor: null, tax_lines: [], duties: [] },
    discount_allocations: discount === "0.00" ? [] : [allocated],
  };
}

const totals = ({ total, current = total, currency = "EUR", presentment }: OrderFacts) => {
  const set = (amount: string) => moneySet(amount, currency, presentment);
  return {
    ...{ currency, presentment_currency: presentment?.currency ?? currency, taxes_included: true },
    ...{ current_subtotal_price: current, current_subtotal_price_set: set(current), current_total_price: current },
    ...{ current_total_price_set: set(current), current_total_tax: "0.00", subtotal_price: total },
    ...{ subtotal_price_set: set(total), total_discounts: "0.00", total_discounts_set: moneySet("0.00", currency) },
    ...{ total_line_items_price: total, total_line_items_price_set: set(total), total_outstanding: "0.00" },
    ...{ total_price: total, total_price_set: set(total), total_tax: "0.00", total_tip_received: "0.00" },
    ...{ total_shipping_price_set: moneySet("0.00", currency), total_weight: 50, current_total_duties_set: null },
    ...{ tax_lines: [], discount_codes: [{ code: "QUIZ", amount: "1.00", type: "fixed_amount" }] },
  };
};

/** One refund of all that does not remain. */
function refundsOf({ total, current = total, currency = "EUR", updated, at }: OrderFacts, order_id: number): object[] {
  if (current === total) return [];
  const created_at = offsetTime(updated ?? at);
  const amount = (Number(total) - Number(current)).toFixed(2);
  const transaction = {
    id: order_id + 3,
    kind: "refund",
    status: "success",
    gateway: "bogus",
    amount,
    currency,
    order_id,
  };
  return [{ id: order_id + 2, order_id, created_at, transactions: [transaction], refund_line_items: [], note: null }];
}

/** A complete order payload; the customer is `Zoë` unless it was sold over the counter. */
export function order(facts: OrderFacts): Payload {
  const { at, email = null, phone = null, cancelledAt, currency = "EUR" } = facts;
  const id = facts.id ?? nextId();
  const known = facts.customer ?? true;
  const updated = facts.updated ?? at;
  const lines = facts.lines ?? [{ product: 103, price: facts.total, title: "Soap" }];
  return {
    ...{ id, admin_graphql_api_id: `gid://shopify/Order/${id}`, app_id: 580_111, browser_ip: "203.0.113.9" },
    ...{ buyer_accepts_marketing: false, cancel_reason: cancelledAt === undefined ? null : "customer" },
    ...{ cancelled_at: cancelledAt === undefined ? null : offsetTime(cancelledAt), cart_token: "c1-77f0" },
    ...{ checkout_id: id + 1, checkout_token: "9be0", client_details: { user_agent: "Mozilla/5.0", browser_ip: null } },
    ...{ closed_at: null, company: null, confirmation_number: "JN7VQ1K2H", confirmed: true, contact_email: email },
    ...{ created_at: offsetTime(at), processed_at: offsetTime(at), updated_at: offsetTime(updated) },
    ...{ customer_locale: "de-DE", device_id: null, email: email ?? "", estimated_taxes: false },
    ...{ financial_status: "paid", fulfillment_status: null, landing_site: "/pages/quiz?x=1", location_id: null },
    ...{ merchant_of_record_app_id: null, name: facts.name ?? `#${id % 100_000}`, note: null, number: id % 1000 },
    ...{ note_attributes: facts.attributes ?? [], order_number: id % 100_000, payment_gateway_names: ["bogus"], phone },
    ...{ order_status_url: "https://shop.example/1/orders/9be0/authenticate?key=a&b=1", po_number: null },
    ...{ referring_site: "", source_name: "web", tags: "", test: facts.test ?? false, token: "9be0", user_id: null },
    ...totals(facts),
    ...(known ? { billing_address: address(phone), shipping_address: address(phone) } : {}),
    ...{ customer: known ? customer(email, phone, at) : null, fulfillments: [], payment_terms: null },
    refunds: refundsOf(facts, id),
    ...{ discount_applications: [], shipping_lines: [], line_items: lines.map((bought) => line(bought, currency)) },
  };
}

export interface ProductFacts {
  id: number;
  title: string;
  image?: string;
  variants: { id: number; title: string; price: string }[];
}

/** A complete product payload. */
export function product({ id, title, image, variants }: ProductFacts, at = Date.now()): Payload {
  const times = { created_at: offsetTime(at), updated_at: offsetTime(at) };
  const images = image === undefined ? [] : [{ id: id + 7, position: 1, ...times, src: image, alt: null, width: 100 }];
  const gid = `gid://shopify/Product/${id}`;
  return {
    ...{ id, admin_graphql_api_id: gid, title, handle: title.toLowerCase(), body_html: `<p>${title} &amp; more</p>` },
    ...{ ...times, published_at: offsetTime(at), product_type: "", status: "active", published_scope: "global" },
    ...{ tags: "", template_suffix: null, vendor: "Shop", image: images[0] ?? null, images, media: [] },
    options: [{ id: id + 9, product_id: id, name: "Size", position: 1, values: variants.map(({ title: of }) => of) }],
    variants: variants.map((variant, index) => ({
      ...{
        ...variant,
        product_id: id,
        position: index + 1,
        ...times,
        compare_at_price: null,
        sku: null,
        taxable: true,
      },
      ...{ option1: variant.title, option2: null, option3: null, inventory_policy: "deny", inventory_quantity: 5 },
      ...{ admin_graphql_api_id: `gid://shopify/ProductVariant/${variant.id}`, image_id: null, barcode: null },
    })),
  };
}

export interface Sent {
  id?: string;
  secret?: string;
  domain?: string;
  /** Replaces the correct signature; null: none is sent. */
  signature?: string | null;
}

export class Shopify {
  readonly program: Place;
  readonly shop: Shop;

  constructor(program: Place, shop: Shop) {
    this.program = program;
    this.shop = shop;
  }

  /**
   * Sends one webhook. Slashes are escaped, as by some JSON writers, so that the signature only matches the exact
   * bytes.
   */
  send(topic: string, payload: unknown, sent: Sent = {}): Promise<Answer<unknown>> {
    const body = JSON.stringify(payload).replaceAll("/", "\\/");
    const hmac = createHmac("sha256", sent.secret ?? this.shop.commerce_secret).update(body, "utf8");
    const signature = sent.signature === undefined ? hmac.digest("base64") : sent.signature;
    return request(`${this.program.url}/commerce/v1/shopify/webhooks`, {
      method: "POST",
      headers: {
        ...{ "content-type": "application/json", "user-agent": "Shopify-Captain-Hook", "x-shopify-topic": topic },
        ...{ "x-shopify-shop-domain": sent.domain ?? this.shop.domain, "x-shopify-api-version": "2025-01" },
        ...{ "x-shopify-webhook-id": sent.id ?? randomUUID(), "x-shopify-triggered-at": new Date().toISOString() },
        ...(signature === null ? {} : { "x-shopify-hmac-sha256": signature }),
      },
      body,
    });
  }
}
