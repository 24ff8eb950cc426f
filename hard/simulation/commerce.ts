import { payloadOf } from "../../testkit/analytics-model/feed.ts";
import { postWebhook, shopTime } from "../../testkit/commerce.ts";
import { emailOf, isErased, phoneOf } from "./contacts.ts";
import type { KnownOrder, Shop } from "./ledger.ts";
import type { World } from "./world.ts";

/** The commerce platform: orders of each tier, their updates and cancellations, repeats, and late messages. */

const second = 1_000;

interface Message {
  topic: string;
  payload: Record<string, unknown>;
}

/** Sends one message of the shop's platform. */
export async function commerceMessage(world: World, shop: Shop): Promise<void> {
  const { steps } = world.draws;
  const known = [...shop.orders.values()];
  const order = known.length > 0 && steps.chance(0.4) ? steps.pick(known) : newOrder(world, shop);
  const before = { ...order };
  const deed = shop.orders.has(order.id) ? steps.pick(["update", "update", "cancel", "repeat", "late"]) : "create";
  const message = messageOf(world, order, deed);
  if (!(await send(world, shop, message))) return;
  if (deed === "late") Object.assign(order, before);
  else tellPeople(shop, order);
  shop.orders.set(order.id, order);
  if (steps.chance(0.15)) await send(world, shop, message);
}

/** An order's contacts may merge two people [people.order-confirms]. */
function tellPeople(shop: Shop, { email, phone, cartVisitor }: KnownOrder): void {
  const contacts = { email: email && `email:${email}`, phone: phone && `phone:${phone}` };
  for (const { topic } of shop.people.order({ ...contacts, visitor: cartVisitor })) {
    shop.caused.set(topic, (shop.caused.get(topic) ?? 0) + 1);
  }
}

/** Changes the order as the message says. */
function messageOf(world: World, order: KnownOrder, deed: string): Message {
  const { steps } = world.draws;
  if (deed === "update" || deed === "cancel") {
    order.updatedAt = Math.max(order.updatedAt + 2 * second, Math.floor(world.time.now() / second) * second);
    if (deed === "cancel") order.cancelled = true;
    else order.total = `${steps.int(1, 200)}.${steps.int(10, 99)}`;
  }
  const cancelled_at = order.cancelled ? shopTime(order.updatedAt) : null;
  const payload = payloadOf(order, { updated_at: shopTime(order.updatedAt), cancelled_at });
  // outdated by what is known already: nothing of it counts
  if (deed === "late") {
    const older = { updated_at: shopTime(order.updatedAt - 60 * second), total_price: "999.00", cancelled_at: null };
    return { topic: "orders/updated", payload: { ...payload, ...older } };
  }
  const topic = deed === "create" ? "orders/create" : order.cancelled ? "orders/cancelled" : "orders/updated";
  return { topic, payload };
}

function newOrder(world: World, shop: Shop): KnownOrder {
  const { steps } = world.draws;
  const createdAt = Math.floor(world.time.now() / second) * second;
  const sessions = shop.sessions.filter((session) => session.kept.size > 0);
  const session = sessions.length > 0 ? steps.pick(sessions) : null;
  const tier = steps.pick(["line_item", "cart", "visitor", "email", "phone", "both", "none"]);
  const number = steps.int(1, 8);
  const fresh = (kind: "email" | "phone", contact: string) => (isErased(shop, kind, contact) ? null : contact);
  return {
    id: 1_000 + shop.orders.size + (shop.marker.endsWith("a") ? 0 : 500_000) + shop.messages * 1_000_000,
    createdAt,
    updatedAt: createdAt,
    cancelled: false,
    currency: steps.chance(0.9) ? "USD" : "EUR",
    total: `${steps.int(1, 200)}.50`,
    totalBefore: null,
    refunds: [],
    cartSession: tier === "cart" && session ? session.id : null,
    cartVisitor: tier === "visitor" && session ? session.visitor : null,
    email: tier === "email" || tier === "both" ? fresh("email", emailOf(shop, number)) : null,
    phone: tier === "phone" || tier === "both" ? fresh("phone", phoneOf(shop, steps.int(1, 8))) : null,
    lines: Array.from({ length: steps.int(1, 3) }, () => ({
      product: steps.int(1, 4),
      title: "Calming cream",
      units: steps.int(1, 3),
      price: "12.50",
      discount: steps.pick(["0.00", "2.50"]),
      session: tier === "line_item" && session ? session.id : null,
    })),
  };
}

/** Sends it until it is accepted, like the platform. Returns whether it was. */
async function send(world: World, shop: Shop, { topic, payload }: Message): Promise<boolean> {
  shop.messages += 1;
  const webhookId = `${shop.marker}-${shop.messages}`;
  for (let attempt = 0; attempt < 4; attempt++) {
    const answer = await postMessage(world, shop, { topic, payload, webhookId });
    if (answer.status === 200) return true;
    if (answer.status !== 503) {
      world.fail(`${topic} was answered ${answer.status}: ${answer.text.slice(0, 300)}`);
      return false;
    }
  }
  world.fail(`${topic} was refused again and again`);
  return false;
}

export function postMessage(
  world: World,
  shop: Shop,
  message: { topic: string; payload: Record<string, unknown>; webhookId: string },
) {
  const poster = { request: world.request.bind(world), database: world.foundations.database };
  return postWebhook(poster, shop.store, { ...message, domain: shop.store.domain });
}
