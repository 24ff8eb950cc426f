import { createRandom, type Random } from "../demo/random.ts";
import { shopOrder, shopTime } from "./commerce.ts";

/**
 * Payloads of the commerce platform in the shapes of its public documentation, and mutations of them, since another
 * program may send anything one day.
 */

export interface ShopMessage {
  topic: string;
  payload: unknown;
}

const currencies = ["USD", "EUR", "JPY", "KWD", "VND"];

const customer = (number: number) => ({
  id: 115_310_627_314_723 + number,
  email: `customer${number}@example.com`,
  created_at: null,
  first_name: "John",
  last_name: "Smith",
  orders_count: 0,
  state: "disabled",
  total_spent: "0.00",
  note: null,
  verified_email: true,
  multipass_identifier: null,
  tax_exempt: false,
  tags: "",
  phone: number % 3 === 0 ? `+1202555${String(1000 + number).slice(-4)}` : null,
  default_address: { id: 715_243_470_612_851, country_code: "CA", phone: "555-625-1199", country: "Canada" },
});

const product = (number: number) => ({
  id: 788_032_119_674_292 + number,
  admin_graphql_api_id: `gid://shopify/Product/788032119674292922`,
  body_html: "An example T-Shirt",
  created_at: null,
  handle: `example-t-shirt-${number}`,
  product_type: "Shirts",
  published_at: "2021-12-31T19:00:00-05:00",
  template_suffix: null,
  title: `Example T-Shirt ${number}`,
  updated_at: "2021-12-31T19:00:00-05:00",
  vendor: "Acme",
  status: "active",
  published_scope: "web",
  tags: "example, mens, t-shirt",
  variants: [1, 2].map((place) => ({
    id: 642_667_041_472_713 + place,
    product_id: 788_032_119_674_292 + number,
    title: place === 1 ? "Small" : "Medium",
    price: "19.99",
    position: place,
    inventory_policy: "deny",
    compare_at_price: "24.99",
    option1: "Small",
    taxable: true,
    sku: "example-shirt-s",
    inventory_quantity: 75,
    image_id: null,
  })),
  options: [{ name: "Size", values: ["Small", "Medium"] }],
  images: [{ id: 1, position: 1, alt: null, src: "https://cdn.example.com/t-shirt.png", variant_ids: [] }],
  image: null,
});

const shop = {
  id: 548380009,
  name: "Super Toys",
  email: "super@supertoys.com",
  domain: null,
  currency: "USD",
  iana_timezone: "America/New_York",
  timezone: "(GMT-05:00) Eastern Time (US & Canada)",
  plan_name: "enterprise",
  weight_unit: "kg",
};

/** Generates a message from its number; the same number gives the same message. */
export function shopMessage(number: number, now: number): ShopMessage {
  const currency = currencies[number % currencies.length] ?? "USD";
  const price = ["JPY", "VND"].includes(currency) ? "2490" : "24.90";
  const order = shopOrder(450_789_000 + number, now - number * 60_000, {
    currency,
    total_price: price,
    email: `customer${number % 7}@example.com`,
    customer: number % 4 === 0 ? null : customer(number % 7),
    billing_address: number % 2 === 0 ? null : { country_code: "US", phone: "+1 202-555-0123", name: "Steve" },
    note_attributes: [{ name: "_quiz_visitor", value: `vis_${String(number % 5).padStart(32, "0")}` }],
    refunds: number % 6 === 0 ? [{ id: 1, refund_line_items: [{ subtotal: "1.00" }] }] : [],
    lines: Array.from({ length: (number % 4) + 1 }, (_, place) => ({
      product_id: 632910392 + place,
      price,
      quantity: place + 1,
      discount_allocations: place === 1 ? [{ amount: "1.00", discount_application_index: 0 }] : [],
      properties: [{ name: "_quiz_session", value: `sess_${String(number % 5).padStart(32, "0")}` }],
    })),
  });
  const requested = { shop_id: 954889, shop_domain: "shop.example", orders_requested: [299938, 280263] };
  const messages: ShopMessage[] = [
    { topic: "orders/create", payload: order },
    { topic: "orders/updated", payload: { ...order, updated_at: shopTime(now), total_price: price } },
    { topic: "orders/cancelled", payload: { ...order, cancelled_at: shopTime(now), cancel_reason: "customer" } },
    { topic: "products/create", payload: product(number) },
    { topic: "products/update", payload: { ...product(number), updated_at: shopTime(now) } },
    { topic: "products/delete", payload: { id: 788_032_119_674_292 } },
    { topic: "shop/update", payload: shop },
    { topic: "customers/data_request", payload: { ...requested, customer: customer(1), data_request: { id: 9999 } } },
    {
      topic: "customers/redact",
      payload: {
        ...requested,
        customer: { id: 191167, email: "gone@example.com", phone: null },
        orders_to_redact: [7],
      },
    },
  ];
  // most of a shop's messages are orders
  return messages[number % 2 === 0 ? (number / 2) % 3 : ((number - 1) / 2) % messages.length] as ShopMessage;
}

type Path = (string | number)[];

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (value === null || typeof value !== "object") return path.length > 0 ? [path] : [];
  const own = path.length > 0 ? [path] : [];
  const keys = Array.isArray(value) ? value.map((_, index) => index) : Object.keys(value);
  return [...own, ...keys.flatMap((key) => pathsIn((value as Record<string | number, unknown>)[key], [...path, key]))];
}

const deep = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

/** Replacements for a value; undefined: it is removed. */
const odd: readonly unknown[] = [
  undefined,
  null,
  "",
  "abc",
  "1,234.56",
  "9".repeat(20),
  "9".repeat(400),
  "-1",
  "1e308",
  "\u0000\ud800",
  "x".repeat(10_000),
  -1,
  0,
  1.5,
  1e15,
  2 ** 53,
  -1e300,
  true,
  [],
  {},
  [[]],
  [null, 7, "x", {}],
  { shop_money: { amount: "abc", currency_code: "US" } },
  { __proto__: null, constructor: "x", toString: 1 },
  deep(40),
  "2026-13-45T99:99:99Z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59+14:00",
  "+275760-09-13T00:00:00Z",
];

/** Replaces one or several values anywhere in it. */
export function mutated(payload: unknown, seed: number): unknown {
  const random: Random = createRandom(`mutation ${seed}`);
  const copy = structuredClone(payload);
  const paths = pathsIn(copy);
  for (let count = random.pick([1, 1, 1, 3]); count > 0 && paths.length > 0; count--) {
    const path = random.pick(paths);
    let parent = copy as Record<string | number, unknown> | undefined;
    for (const key of path.slice(0, -1)) {
      const next: unknown = parent?.[key];
      parent = next !== null && typeof next === "object" ? (next as Record<string | number, unknown>) : undefined;
    }
    const last = path.at(-1);
    if (!parent || last === undefined) continue;
    const value = random.pick([...odd]);
    if (value === undefined && !Array.isArray(parent)) delete parent[last];
    else parent[last] = value ?? null;
  }
  return copy;
}
