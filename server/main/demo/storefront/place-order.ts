import { createHmac } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { demoShop } from "../../../../demo/catalog.ts";
import type { Cart } from "../../../../demo/storefront/cart.ts";
import { orderOf } from "../../../../demo/storefront/order.ts";
import type { Calendar } from "../../../platform/clock.ts";
import type { Database } from "../../../platform/database/database.ts";
import type { Deadline } from "../../../platform/deadline.ts";
import type { RandomBytes } from "../../../platform/ids.ts";
import type { Secrets } from "../../../platform/secrets.ts";
import { shopOfDomain } from "../../../stores/public.ts";

/**
 * Sends an order of the storefront to this server as the commerce platform would: in a signed message [demo.orders].
 */

export interface OrderDeps {
  database: Database;
  secrets: Secrets;
  calendar: Calendar;
  random: RandomBytes;
}

export interface Placed {
  orderId: number;
  name: string;
  total: string;
  lines: number;
}

/** null: the message was refused, and why; the cart may be sent again. */
export type Outcome = { placed: Placed; problem: null } | { placed: null; problem: string };

export async function placeOrder(
  app: FastifyInstance,
  { database, secrets, calendar, random }: OrderDeps,
  { cart, email, deadline }: { cart: Cart; email: string; deadline: Deadline },
): Promise<Outcome> {
  const shop = await shopOfDomain(database.reader(deadline), secrets, demoShop.shop_domain);
  if (!shop || shop.disconnected) return { placed: null, problem: "The demo shop is not connected any more." };
  const order = orderOf({ cart, email, now: calendar.now(), draw: (random(1)[0] ?? 0) % 100 });
  const body = JSON.stringify(order);
  const answer = await app.inject({
    method: "POST",
    url: "/commerce/v1/shopify/webhooks",
    headers: {
      "content-type": "application/json",
      "x-shopify-topic": "orders/create",
      "x-shopify-shop-domain": demoShop.shop_domain,
      "x-shopify-webhook-id": Buffer.from(random(16)).toString("hex"),
      "x-shopify-hmac-sha256": createHmac("sha256", shop.commerceSecret).update(body).digest("base64"),
    },
    payload: body,
  });
  if (answer.statusCode !== 200) {
    return {
      placed: null,
      problem: `The order was not taken (${answer.statusCode}). Your cart is as it was; try again.`,
    };
  }
  const { id, name, total_price: total, line_items: lines } = order;
  return { placed: { orderId: id, name, total, lines: lines.length }, problem: null };
}
