import { parseId } from "../platform/ids.ts";
import { contactIdentity } from "../sessions/public.ts";
import type { OrderKey } from "./attribute.ts";
import {
  attributesNamed,
  currencyOf,
  type Fields,
  fieldsOf,
  globalId,
  listOf,
  moneyIn,
  PayloadError,
  platformId,
  shopMoney,
  textOf,
  timeOf,
  uuidOfGlobalId,
} from "./payload.ts";

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
  currency: string;
  /** decimal strings */
  total: string;
  keys: OrderKey[];
  lines: OrderLine[];
}

/** Decides between messages with the same `updated_at`, which has whole seconds: the later stage wins. */
export type OrderStage = 0 | 1 | 2;

export interface OrderLine {
  productId: string | null;
  variantId: string | null;
  title: string;
  quantity: number;
  amount: string;
  /** whether the line's own property says that it comes from a quiz [orders.buckets] */
  fromQuiz: boolean;
}

export type OrderTopic = "orders/create" | "orders/updated" | "orders/cancelled";

/**
 * Reads an order; returns null for a test order, which counts nowhere [orders.test-orders, orders.content]. Throws a
 * PayloadError for a payload that is not an order.
 *
 * @param now ms; replaces missing times
 */
export function readOrder(
  payload: unknown,
  { topic, currency, now }: { topic: OrderTopic; currency: string; now: number },
): ShopOrder | null {
  const order = fieldsOf(payload);
  const id = platformId(order?.["id"]);
  if (!order || id === null) throw new PayloadError("must be the id of an order", { field: "id" });
  if (order["test"] === true) return null;
  const gid = globalId("Order", id);
  const createdAt = timeOf(order["created_at"]) ?? timeOf(order["processed_at"]) ?? now;
  const updatedAt = timeOf(order["updated_at"]) ?? createdAt;
  const cancelledAt = timeOf(order["cancelled_at"]) ?? (topic === "orders/cancelled" ? updatedAt : null);
  return {
    id: uuidOfGlobalId(gid),
    gid,
    name: textOf(order["name"]),
    createdAt,
    updatedAt,
    cancelledAt,
    stage: cancelledAt !== null ? 2 : topic === "orders/create" ? 0 : 1,
    currency: currencyOf(order["currency"]) ?? shopMoney(order["total_price_set"]).currency ?? currency,
    total: moneyIn(order, "total_price"),
    keys: keysOf(order),
    lines: listOf(order["line_items"]).flatMap((line, index) => readLine(line, `line_items[${index}].`)),
  };
}

function readLine(payload: unknown, place: string): OrderLine[] {
  const line = fieldsOf(payload);
  if (!line) return [];
  const product = platformId(line["product_id"]);
  const variant = platformId(line["variant_id"]);
  const quantity = wholeNumber(line["quantity"]);
  return [
    {
      productId: product === null ? null : globalId("Product", product),
      variantId: variant === null ? null : globalId("ProductVariant", variant),
      title: textOf(line["title"]) ?? textOf(line["name"]) ?? "",
      quantity,
      amount: lineAmount(moneyIn(line, "price", place), quantity, discountsOf(line, place)),
      fromQuiz: attributesNamed(line["properties"], "_quiz_session").length > 0,
    },
  ];
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

/** Sums of decimal strings are exact: integers in units of 10^-10, without floating point. */
const digits = 10;

/** Takes plain digits with at most 10 after the point. */
function unitsOf(decimal: string): bigint {
  const negative = decimal.startsWith("-");
  const [whole = "0", fraction = ""] = (negative ? decimal.slice(1) : decimal).split(".");
  const units = BigInt(whole + fraction.padEnd(digits, "0"));
  return negative ? -units : units;
}

function decimalOfUnits(units: bigint): string {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, "0");
  const fraction = text.slice(-digits).replace(/0{1,8}$/, "");
  return `${units < 0n ? "-" : ""}${text.slice(0, -digits)}.${fraction}`;
}

/** The amount of a line: price x quantity - discounts [orders.line-amount], with at least two decimals. */
function lineAmount(price: string, quantity: number, discounts: readonly string[]): string {
  const off = discounts.reduce((sum, discount) => sum + unitsOf(discount), 0n);
  return decimalOfUnits(unitsOf(price) * BigInt(quantity) - off);
}
