import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { emptyCart, priced } from "../../../../demo/storefront/cart.ts";
import { cartBody } from "../../../../demo/storefront/checkout.ts";
import { productOf } from "../../../../demo/storefront/goods.ts";
import { homeBody, homeTitle } from "../../../../demo/storefront/home.ts";
import { pageOf, root } from "../../../../demo/storefront/layout.ts";
import type { Markup } from "../../../../demo/storefront/markup.ts";
import { emailOf, sessionsOfCart } from "../../../../demo/storefront/order.ts";
import { demoPictures } from "../../../../demo/storefront/pictures/pictures.ts";
import { productBody } from "../../../../demo/storefront/product.ts";
import { forgottenBody, receiptBody } from "../../../../demo/storefront/receipt.ts";
import type { Config } from "../../../platform/config.ts";
import { LeastRecentlyUsed } from "../../../platform/least-recently-used.ts";
import type { Limiter } from "../../../platform/limiter/types.ts";
import { LimiterUnavailable } from "../../../platform/limiter/types.ts";
import type { Log } from "../../../platform/log.ts";
import { notFound } from "../../../platform/problems.ts";
import { acceptForms, fieldsOf, maxBodyBytes } from "./body.ts";
import { cartOf, keepCart } from "./cart-cookie.ts";
import { type CartRoutes, registerCart, registerCartLink } from "./cart-routes.ts";
import type { DemoFront, DemoSource } from "./front.ts";
import { whatHappened } from "./outcome.ts";
import { type OrderDeps, type Placed, placeOrder } from "./place-order.ts";

/**
 * The demo shop's own storefront, for newcomers [demo.storefront]: pages, cart, checkout, and the result of an order.
 */

export interface DemoStorefrontDeps extends OrderDeps {
  config: Pick<Config, "baseUrl">;
  limiter: Limiter;
  log: Log;
}

/** A limit for all orders together: twenty at once, then one every two seconds [demo.bounds]. */
const orderRule = { capacity: 20, leakPerSecond: 0.5 };

/** By unguessable names, for the page that shows what became of an order; they contain nothing personal. */
type RecentOrders = LeastRecentlyUsed<Placed & { sessionIds: string[] }>;
const rememberedOrders = 500;

export function registerDemoStorefront(app: FastifyInstance, deps: DemoStorefrontDeps, source: DemoSource): void {
  const recentOrders: RecentOrders = new LeastRecentlyUsed(rememberedOrders);
  app.register(async (scope) => {
    acceptForms(scope);
    scope.addHook("onRoute", (route) => {
      route.bodyLimit = maxBodyBytes;
    });
    scope.addHook("onRequest", (_request, reply, done) => {
      reply.header("X-Robots-Tag", "noindex, nofollow");
      done(source.front === null ? notFound() : undefined);
    });
    const front = (): DemoFront => source.front ?? missing();
    scope.get(root, (request, reply) => {
      const { quizzes } = front();
      const body = homeBody({ baseUrl: deps.config.baseUrl, quizzes });
      return sendPage(request, reply, { title: homeTitle, body, front: front() }, deps);
    });
    scope.get(`${root}/products/:handle`, (request, reply) => {
      const product = productOf((request.params as { handle: string }).handle) ?? missing();
      return sendPage(request, reply, { title: product.title, body: productBody(product), front: front() }, deps);
    });
    scope.get(`${root}/`, (_request, reply) => reply.redirect(root, 308));
    registerPictures(scope);
    const cart: CartRoutes = {
      baseUrl: deps.config.baseUrl,
      refuse: (request, reply, text) =>
        sendCart(request, reply.code(422), { email: "", problem: { at: "cart", text } }, front(), deps),
    };
    registerCart(scope, cart);
    registerCartLink(scope, cart);
    scope.get(`${root}/cart`, (request, reply) =>
      sendCart(request, reply, { email: "", problem: null }, front(), deps),
    );
    scope.post(`${root}/checkout`, (request, reply) =>
      checkOut(app, request, reply, { deps, recentOrders, front: front() }),
    );
    scope.get(`${root}/orders/:name`, (request, reply) =>
      sendReceipt(request, reply, { deps, recentOrders, front: front() }),
    );
  });
}

function missing(): never {
  throw notFound();
}

/** Drawn by the project and shown on pages of any origin; a picture runs and loads nothing. */
const pictureRules = "default-src 'none'; sandbox; frame-ancestors 'none'";

function registerPictures(scope: FastifyInstance): void {
  scope.get(`${root}/pictures/*`, (request, reply) => {
    const picture = demoPictures().get((request.params as { "*": string })["*"]) ?? missing();
    return reply
      .type("image/svg+xml; charset=utf-8")
      .header("Content-Security-Policy", pictureRules)
      .header("Cache-Control", "public, max-age=3600")
      .send(picture);
  });
}

interface Sent {
  title: string;
  body: Markup;
  front: DemoFront;
  /** if it differs from the request's cookie */
  count?: number;
}

function sendPage(request: FastifyRequest, reply: FastifyReply, page: Sent, deps: DemoStorefrontDeps): FastifyReply {
  const nonce = Buffer.from(deps.random(16)).toString("base64");
  const { title, body, front, count = priced(cartOf(request)).count } = page;
  const rules = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `img-src 'self' ${deps.config.baseUrl}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return reply
    .type("text/html; charset=utf-8")
    .header("Content-Security-Policy", rules.join("; "))
    .header("Referrer-Policy", "strict-origin-when-cross-origin")
    .header("Cache-Control", "no-store")
    .send(pageOf({ title, nonce, count, quizzes: front.quizzes, body }));
}

function sendCart(
  request: FastifyRequest,
  reply: FastifyReply,
  { email, problem }: { email: string; problem: { at: "email" | "cart"; text: string } | null },
  front: DemoFront,
  deps: DemoStorefrontDeps,
): FastifyReply {
  const cart = priced(cartOf(request));
  return sendPage(request, reply, { title: "Your cart", body: cartBody({ cart, email, problem }), front }, deps);
}

interface CheckoutDeps {
  deps: DemoStorefrontDeps;
  recentOrders: RecentOrders;
  front: DemoFront;
}

async function checkOut(
  app: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  { deps, recentOrders, front }: CheckoutDeps,
): Promise<FastifyReply> {
  const cart = cartOf(request);
  const typed = String(fieldsOf(request.body)["email"] ?? "").slice(0, 254);
  const back = (status: number, at: "email" | "cart", text: string) =>
    sendCart(request, reply.code(status), { email: typed, problem: { at, text } }, front, deps);
  if (cart.lines.length === 0) return back(422, "cart", "There is nothing to buy in the cart.");
  const email = emailOf(typed);
  if (email === null) return back(422, "email", "Write an email address, such as ada@example.com.");
  const wait = await secondsToWait(deps.limiter);
  if (wait > 0) {
    reply.header("Retry-After", String(wait));
    return back(429, "cart", `The demo takes a few orders a minute. Try again in ${wait} seconds.`);
  }
  const { placed, problem } = await placeOrder(app, deps, { cart, email, deadline: request.deadline });
  if (placed === null) return back(503, "cart", problem);
  deps.log.info({ order: placed.name, lines: placed.lines }, "the demo's storefront sold something");
  const name = Buffer.from(deps.random(16)).toString("hex");
  recentOrders.set(name, { ...placed, sessionIds: sessionsOfCart(cart) });
  // the cart's attributes stay: somebody who continues shopping has still taken the quiz
  return keepCart(reply, { ...cart, lines: emptyCart.lines }, deps.config.baseUrl)
    .header("Cache-Control", "no-store")
    .redirect(`${root}/orders/${name}`, 303);
}

async function secondsToWait(limiter: Limiter): Promise<number> {
  try {
    const { admitted, retryAfterSeconds } = await limiter.chargeBucket({
      name: "demo orders",
      rule: orderRule,
      cost: 1,
    });
    return admitted ? 0 : retryAfterSeconds;
  } catch (error) {
    if (!(error instanceof LimiterUnavailable)) throw error;
    return error.retryAfterSeconds;
  }
}

async function sendReceipt(
  request: FastifyRequest,
  reply: FastifyReply,
  { deps, recentOrders, front }: CheckoutDeps,
): Promise<FastifyReply> {
  const order = recentOrders.get((request.params as { name: string }).name);
  if (order === undefined) {
    return sendPage(request, reply.code(404), { title: "Order", body: forgottenBody, front }, deps);
  }
  const { orderId, sessionIds } = order;
  const lookup = { storeId: front.storeId, orderId, sessionIds };
  const happened = await whatHappened(deps.database, lookup, request.deadline);
  const body = receiptBody({ baseUrl: deps.config.baseUrl, order, happened });
  return sendPage(request, reply, { title: `Order ${order.name}`, body, front }, deps);
}
