import { parseId } from "../platform/ids.ts";
import { contactIdentity } from "../sessions/public.ts";
import { decimalOfUnits, shareOf, sumOf, unitsOf } from "./amounts.ts";
import type { OrderKey } from "./attribute.ts";
import {
  attributesNamed,
  currencyOf,
  type Fields,
  fieldsOf,
  globalId,
  isLeftOut,
  listOf,
  moneyIn,
  PayloadError,
  platformId,
  shopMoney,
  textOf,
  timeOf,
  uuidOfGlobalId,
} from "./payload.ts";
import { type Bundle, bundlesOf } from "./read-bundles.ts";
import { type Refund, readRefunds, refundedBy } from "./read-refunds.ts";

/** The part of a commerce platform's order that is stored. */
export interface ShopOrder {
  /** UUID, the same for every message about the order */
  id: string;
  gid: string;
  name: string | null;
  /** ms */
  createdAt: number;
  updatedAt: number;
  cancelledAt: number | null;
  stage: OrderStage;
  /** when the platform sent the message, in ms; null if it does not say */
  triggeredAt: number | null;
  currency: string;
  /** what was bought, whatever was refunded; decimal string [orders.amount] */
  total: string;
  /** whether a subscription renews itself, so that no quiz led to it [orders.renewals] */
  renewal: boolean;
  keys: OrderKey[];
  lines: OrderLine[];
  /** those that the message lists */
  refunds: Refund[];
}

/** Decides between messages with the same `updated_at`, which has whole seconds: the later stage wins. */
export type OrderStage = 0 | 1 | 2;

export interface OrderLine {
  /** the platform's number of the line, by which refunds name it */
  lineId: string | null;
  productId: string | null;
  variantId: string | null;
  title: string;
  quantity: number;
  amount: string;
  /** whether the line's own property says that it comes from a quiz [orders.buckets] */
  fromQuiz: boolean;
  /** of a component of a bundle */
  bundle: Bundle | null;
}

export type OrderTopic = "orders/create" | "orders/updated" | "orders/cancelled";

export interface ReadOrderOptions {
  topic: OrderTopic;
  currency: string;
  /** ms; replaces missing times */
  now: number;
  /** when the platform sent the message, in ms */
  triggeredAt?: number | null;
}

/**
 * Reads an order; returns null for a test order, which counts nowhere [orders.test-orders, orders.content]. Throws a
 * PayloadError for a payload that is not an order.
 */
export function readOrder(
  payload: unknown,
  { topic, currency, now, triggeredAt = null }: ReadOrderOptions,
): ShopOrder | null {
  const order = fieldsOf(payload);
  const id = platformId(order?.["id"]);
  if (!order || id === null) throw new PayloadError("must be the id of an order", { field: "id" });
  if (order["test"] === true) return null;
  const gid = globalId("Order", id);
  const createdAt = timeOf(order["created_at"]) ?? timeOf(order["processed_at"]) ?? now;
  const updatedAt = timeOf(order["updated_at"]) ?? createdAt;
  const cancelledAt = timeOf(order["cancelled_at"]) ?? (countsNowhere(order, topic) ? updatedAt : null);
  const shopCurrency = currencyOf(order["currency"]) ?? shopMoney(order["total_price_set"]).currency ?? currency;
  const refunds = readRefunds(order, shopCurrency);
  return {
    id: uuidOfGlobalId(gid),
    gid,
    name: textOf(order["name"]),
    createdAt,
    updatedAt,
    cancelledAt,
    stage: cancelledAt !== null ? 2 : topic === "orders/create" ? 0 : 1,
    triggeredAt,
    currency: shopCurrency,
    total: amountOf(order, refunds),
    renewal: textOf(order["source_name"])?.startsWith("subscription_contract") ?? false,
    keys: keysOf(order),
    lines: linesOf(order, refunds),
    refunds,
  };
}

/** A voided order was never paid, and its payment can no longer be collected [orders.cancelled]. */
const countsNowhere = (order: Fields, topic: OrderTopic): boolean =>
  topic === "orders/cancelled" || textOf(order["financial_status"])?.trim().toLowerCase() === "voided";

/**
 * What was bought [orders.amount]. `total_price` stays as it was when the order was placed; `current_total_price` falls
 * with edits and refunds alike, so what was refunded is added again.
 */
function amountOf(order: Fields, refunds: readonly Refund[]): string {
  const total = moneyIn(order, "total_price");
  if (isLeftOut(order["current_total_price"] ?? shopMoney(order["current_total_price_set"]).amount)) return total;
  return decimalOfUnits(unitsOf(moneyIn(order, "current_total_price")) + refundedBy(refunds));
}

function linesOf(order: Fields, refunds: readonly Refund[]): OrderLine[] {
  const payloads = listOf(order["line_items"]);
  const refunded = new Map<string, number>();
  for (const { lineId, quantity } of refunds.flatMap(({ pays, lines }) => (pays ? lines : []))) {
    refunded.set(lineId, (refunded.get(lineId) ?? 0) + quantity);
  }
  const bundles = bundlesOf(order);
  return payloads.flatMap((payload, index) => {
    const line = fieldsOf(payload);
    const read = line && readLine(line, `line_items[${index}].`, refunded);
    return read ? { ...read, bundle: bundles.of(line) } : [];
  });
}

/** Null for a line that was removed from the order. */
function readLine(
  line: Fields,
  place: string,
  refunded: ReadonlyMap<string, number>,
): Omit<OrderLine, "bundle"> | null {
  const lineId = platformId(line["id"]);
  const product = platformId(line["product_id"]);
  const variant = platformId(line["variant_id"]);
  const ordered = wholeNumber(line["quantity"]);
  const current = line["current_quantity"];
  const quantity =
    typeof current === "number"
      ? Math.min(wholeNumber(current) + (refunded.get(lineId ?? "") ?? 0), Math.max(ordered, wholeNumber(current)))
      : ordered;
  if (quantity === 0 && ordered > 0) return null;
  const discounts = sumOf(discountsOf(line, place));
  // the discounts are those of all pieces that were ordered
  const off = quantity < ordered ? shareOf(discounts, BigInt(quantity), BigInt(ordered)) : discounts;
  return {
    lineId,
    productId: product === null ? null : globalId("Product", product),
    variantId: variant === null ? null : globalId("ProductVariant", variant),
    title: textOf(line["title"]) ?? textOf(line["name"]) ?? "",
    quantity,
    amount: lineAmount(moneyIn(line, "price", place), quantity, off),
    fromQuiz: attributesNamed(line["properties"], "_quiz_session").length > 0,
  };
}

const wholeNumber = (value: unknown): number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31 ? value : 0;

/** The discounts of a line, including its share of the order's discounts; older payloads have only the line's own. */
function discountsOf(line: Fields, place: string): string[] {
  const allocations = listOf(line["discount_allocations"]).map(fieldsOf);
  const amounts = allocations.flatMap((each, index) =>
    each === null ? [] : moneyIn(each, "amount", `${place}discount_allocations[${index}].`),
  );
  return amounts.length > 0 ? amounts : [moneyIn(line, "total_discount", place)];
}

/** All keys by which an order can be matched [orders.tiers], within a tier in the order of lookup. */
function keysOf(order: Fields): OrderKey[] {
  const lines = listOf(order["line_items"]).map((line) => fieldsOf(line)?.["properties"]);
  const attributes = order["note_attributes"];
  const customer = fieldsOf(order["customer"]);
  const uuids = (prefix: "sess" | "vis", texts: string[]) => texts.flatMap((text) => parseId(prefix, text) ?? []);
  const emails = [order["email"], order["contact_email"], customer?.["email"]];
  const byTier = {
    line_item: uuids(
      "sess",
      lines.flatMap((properties) => attributesNamed(properties, "_quiz_session")),
    ),
    cart: uuids("sess", attributesNamed(attributes, "_quiz_session")),
    visitor: uuids("vis", attributesNamed(attributes, "_quiz_visitor")),
    email: emails.flatMap((email) => contactIdentity("email", textOf(email) ?? "", null) ?? []),
    phone: phonesOf(order, customer),
  };
  const tiers = Object.keys(byTier) as (keyof typeof byTier)[];
  return tiers.flatMap((tier) => [...new Set(byTier[tier])].map((value) => ({ tier, value })));
}

/**
 * A phone without a country prefix is read in the country of its address, or else of the billing address
 * [orders.contacts].
 */
function phonesOf(order: Fields, customer: Fields | null): string[] {
  const addresses = [order["billing_address"], order["shipping_address"], customer?.["default_address"]].map(fieldsOf);
  const countries = addresses.map((address) => textOf(address?.["country_code"]));
  const home = countries.find((country) => country !== null) ?? null;
  const candidates = [
    { phone: order["phone"], country: home },
    { phone: customer?.["phone"], country: countries[2] ?? home },
    ...addresses.map((address, index) => ({ phone: address?.["phone"], country: countries[index] ?? home })),
  ];
  return candidates.flatMap(({ phone, country }) => contactIdentity("phone", textOf(phone) ?? "", country) ?? []);
}

/** The amount of a line: price x quantity - discounts [orders.line-amount]. */
const lineAmount = (price: string, quantity: number, off: bigint): string =>
  decimalOfUnits(unitsOf(price) * BigInt(quantity) - off);
