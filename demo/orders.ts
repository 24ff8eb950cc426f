import { amountText, centsOf, platformTime, shippingOf } from "./amounts.ts";
import { demoShop, type ShopifyProduct, type ShopifyVariant } from "./catalog.ts";
import { createRandom, type Random } from "./random.ts";
import type { ShopperSession } from "./session.ts";

/**
 * An order in the form of the commerce platform's webhooks, with the fields that anything reads. Money in decimal
 * strings.
 */
export interface ShopifyOrder {
  id: number;
  name: string;
  order_number: number;
  created_at: string;
  updated_at: string;
  cancelled_at: string | null;
  cancel_reason: string | null;
  test: boolean;
  source_name: "web";
  financial_status: "paid" | "refunded";
  currency: string;
  email: string | null;
  phone: string | null;
  subtotal_price: string;
  total_discounts: string;
  total_price: string;
  note_attributes: Attribute[];
  customer: { id: number; email: string | null; phone: string | null } | null;
  line_items: ShopifyLine[];
}
interface Attribute {
  name: string;
  value: string;
}
interface ShopifyLine {
  id: number;
  product_id: number;
  variant_id: number;
  title: string;
  variant_title: string | null;
  sku: string;
  quantity: number;
  price: string;
  total_discount: string;
  discount_allocations: { amount: string }[];
  properties: Attribute[];
}

export interface PlannedOrder {
  topic: "orders/create" | "orders/cancelled";
  /** Unix milliseconds: when the platform sends it */
  at: number;
  order: ShopifyOrder;
}

export interface OrderPlan {
  seed: string | number;
  /** in order of opening, as `planShoppers` yields them */
  sessions: Iterable<ShopperSession>;
  catalog: readonly ShopifyProduct[];
  /** Unix milliseconds: no order or cancellation comes later */
  to: number;
}

/** What a session reveals about a potential customer. */
interface Prospect {
  sessionId: string;
  visitorId: string;
  endedAt: number;
  email: string | null;
  wanted: { product_id: string; variant_id: string | null }[];
  added: boolean;
}

/**
 * Fields that all orders of the demo share when they are placed; amounts in cents, `goods` with the discount `off`
 * already subtracted.
 */
export const placedOrder = (at: number, { goods, off, shipping }: { goods: number; off: number; shipping: number }) =>
  ({
    created_at: platformTime(at),
    updated_at: platformTime(at),
    cancelled_at: null,
    cancel_reason: null,
    test: false,
    source_name: "web",
    financial_status: "paid",
    currency: demoShop.currency,
    phone: null,
    subtotal_price: amountText(goods),
    total_discounts: amountText(off),
    total_price: amountText(goods + shipping),
  }) satisfies Partial<ShopifyOrder>;

const minute = 60_000;
const day = 1440 * minute;

function prospectOf({ session, batches }: ShopperSession): Prospect {
  const events = batches.flatMap((batch) => batch.events);
  const added = events.filter((event) => event.type === "product_added");
  const shown = events.flatMap((event) => (event.type === "products_shown" ? event.products : []));
  const emails = events.flatMap((event) =>
    event.type === "answer_saved" && typeof event.value === "string" && event.value.includes("@")
      ? [event.value.trim()]
      : [],
  );
  return {
    sessionId: session.id,
    visitorId: session.visitor_id,
    endedAt: Date.parse(events.at(-1)?.at ?? ""),
    email: emails.at(-1)?.toLowerCase() ?? null,
    wanted: (added.length > 0 ? added : shown).map(({ product_id, variant_id }) => ({
      product_id,
      variant_id: variant_id ?? null,
    })),
    added: added.length > 0,
  };
}

/** How an order can be attributed to a session; with `none` it cannot. */
type Link = "line" | "cart" | "visitor" | "email" | "none";
const linkOf = (random: Random, { email, added }: Prospect): Link => {
  if (added && random.chance(0.8)) return "line";
  const links: Link[] = email === null ? ["cart", "visitor", "none"] : ["cart", "visitor", "email", "email", "email"];
  return random.pick(links);
};

interface Good {
  product: ShopifyProduct;
  variant: ShopifyVariant;
}

class Till {
  readonly #goods = new Map<string, Good>();
  readonly #catalog: readonly ShopifyProduct[];
  /** depends on the seed, so that different seeds have different order ids */
  readonly #firstId: number;
  #sold = 0;

  constructor(catalog: readonly ShopifyProduct[], firstId: number) {
    this.#catalog = catalog;
    this.#firstId = firstId;
    for (const product of catalog) {
      for (const variant of product.variants.toReversed()) {
        this.#goods.set(`gid://shopify/ProductVariant/${variant.id}`, { product, variant });
        this.#goods.set(`gid://shopify/Product/${product.id}`, { product, variant });
      }
    }
  }

  /** Puts some of the wanted products into the cart, and occasionally other products of the shop. */
  cart(random: Random, wanted: Prospect["wanted"]): (Good & { wanted: boolean })[] {
    const chosen = wanted.flatMap(({ product_id, variant_id }) => {
      const good = this.#goods.get(variant_id ?? product_id);
      return good && random.chance(0.6) ? [{ ...good, wanted: true }] : [];
    });
    if (chosen.length === 0 || random.chance(0.3)) {
      const product = random.pick(this.#catalog);
      chosen.push({ product, variant: random.pick(product.variants), wanted: false });
    }
    return [...new Map(chosen.map((good) => [good.variant.id, good])).values()];
  }

  ring(random: Random, at: number, customer: Prospect | null): ShopifyOrder {
    const number = ++this.#sold;
    const link = customer ? linkOf(random, customer) : "none";
    const off = random.chance(0.15) ? 0.1 : 0;
    const lines = this.cart(random, customer?.wanted ?? []).map(({ product, variant, wanted }, index): ShopifyLine => {
      const quantity = random.chance(0.88) ? 1 : 2;
      return {
        id: 14_220_000_000_000 + number * 64 + index,
        product_id: product.id,
        variant_id: variant.id,
        title: product.title,
        variant_title: product.variants.length > 1 ? variant.title : null,
        sku: variant.sku,
        quantity,
        price: variant.price,
        total_discount: "0.00",
        discount_allocations:
          off > 0 ? [{ amount: amountText(Math.round(centsOf(variant.price) * quantity * off)) }] : [],
        properties: link === "line" && wanted && customer ? [{ name: "_quiz_session", value: customer.sessionId }] : [],
      };
    });
    return this.#receipt(at, number, lines, customer, link, random.hex(8));
  }

  #receipt(
    at: number,
    number: number,
    lines: ShopifyLine[],
    customer: Prospect | null,
    link: Link,
    guest: string,
  ): ShopifyOrder {
    const gross = lines.reduce((sum, { price, quantity }) => sum + centsOf(price) * quantity, 0);
    const off = lines
      .flatMap((line) => line.discount_allocations)
      .reduce((sum, { amount }) => sum + centsOf(amount), 0);
    const known = link === "email" || (link !== "none" && number % 2 === 0);
    const email = (known ? customer?.email : null) ?? `guest.${guest}@example.net`;
    const attributes: Attribute[] = [{ name: "gift_wrap", value: number % 9 === 0 ? "yes" : "no" }];
    if (customer && link === "cart") attributes.push({ name: "_quiz_session", value: customer.sessionId });
    if (customer && link === "visitor") attributes.push({ name: "_quiz_visitor", value: customer.visitorId });
    return {
      ...placedOrder(at, { goods: gross - off, off, shipping: shippingOf(gross - off) }),
      id: this.#firstId + number * 32_768,
      name: `#${1000 + number}`,
      order_number: 1000 + number,
      email,
      note_attributes: attributes,
      customer: { id: 7_330_000_000_000 + number * 512, email, phone: null },
      line_items: lines,
    };
  }
}

/** Minutes between a session's end and the order: mostly short, some within the week, a few weeks later. */
const delay = (random: Random): number =>
  random
    .weighted(
      [
        { share: 6, minutes: () => random.logNormal(9, 0.8) },
        { share: 3, minutes: () => random.logNormal(3 * 1440, 0.9) },
        { share: 1, minutes: () => random.int(15 * 1440, 80 * 1440) },
      ],
      ({ share }) => share,
    )
    .minutes();

const buys = (random: Random, session: ShopperSession, { added, wanted }: Prospect): boolean => {
  if (added) return random.chance(0.55);
  if (session.ending === "finished") return random.chance(wanted.length > 0 ? 0.09 : 0.05);
  return random.chance(0.012);
};

function cancelled(random: Random, order: ShopifyOrder, at: number): PlannedOrder {
  const later = at + Math.round(random.logNormal(600, 1) * minute);
  const when = platformTime(later);
  const reason = random.pick(["customer", "inventory", "fraud"]);
  const changed = {
    ...order,
    updated_at: when,
    cancelled_at: when,
    cancel_reason: reason,
    financial_status: "refunded" as const,
  };
  return { topic: "orders/cancelled", at: later, order: changed };
}

/**
 * Orders that follow from the sessions, and unrelated ones, in order of time. They can be attributed in every way: by a
 * line property, a cart attribute, a visitor, or only an email; some orders are cancelled later. The same plan gives
 * the same orders.
 */
export function* planOrders({ seed, sessions, catalog, to }: OrderPlan): Generator<PlannedOrder> {
  const random = createRandom(`${seed}/orders`);
  const firstId = 6_120_000_000_000 + createRandom(`${seed}/order-ids`).int(0, 9_999) * 100_000_000_000;
  const till = new Till(catalog, firstId);
  const waiting: PlannedOrder[] = [];
  const place = (at: number, customer: Prospect | null): void => {
    const order = till.ring(random, at, customer);
    waiting.push({ topic: "orders/create", at, order });
    soonest = Math.min(soonest, at);
    if (random.chance(0.04)) waiting.push(cancelled(random, order, at));
  };
  let soonest = Number.POSITIVE_INFINITY;
  const due = (until: number): PlannedOrder[] => {
    if (until < soonest) return [];
    const ready = waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
    waiting.splice(0, waiting.length, ...waiting.filter(({ at }) => at > until));
    soonest = waiting.reduce((least, { at }) => Math.min(least, at), Number.POSITIVE_INFINITY);
    return ready.filter(({ at }) => at <= to);
  };
  for (const session of sessions) {
    const opensAt = Date.parse(session.batches[0]?.events[0]?.at ?? "");
    yield* due(opensAt - 1);
    const prospect = prospectOf(session);
    if (buys(random, session, prospect)) place(prospect.endedAt + Math.round(delay(random) * minute), prospect);
    if (random.chance(0.035)) place(opensAt + random.int(0, day), null);
  }
  yield* due(to);
}
