import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  addToCart,
  type Cart,
  type CartItem,
  cartJson,
  changeLine,
  emptyCart,
  lineJson,
  priced,
  withAttributes,
} from "../../../../demo/storefront/cart.ts";
import { variantIdOf } from "../../../../demo/storefront/goods.ts";
import { root } from "../../../../demo/storefront/layout.ts";
import { type Fields, fieldsOf } from "./body.ts";
import { cartOf, keepCart } from "./cart-cookie.ts";

/**
 * The cart API of the commerce platform's shops [demo.cart]: `cart.js`, `cart/add.js` and `cart/update.js`, so that the
 * player adds products as in any such shop; also as forms, for pages without a script.
 */
export interface CartRoutes {
  baseUrl: string;
  /** answers with the cart's page, which says why nothing was added */
  refuse: (request: FastifyRequest, reply: FastifyReply, problem: string) => FastifyReply;
}

export function registerCart(scope: FastifyInstance, { baseUrl, refuse }: CartRoutes): void {
  const json = (reply: FastifyReply) =>
    reply.header("Cache-Control", "no-store").type("application/json; charset=utf-8");
  const save = (reply: FastifyReply, cart: Cart) => keepCart(reply, cart, baseUrl);

  scope.get(`${root}/cart.js`, (request, reply) => json(reply).send(cartJson(cartOf(request))));

  scope.post(`${root}/cart/add.js`, (request, reply) => {
    const body = fieldsOf(request.body);
    const toAdd = itemsOf(body);
    const { cart, problem } = addToCart(cartOf(request), toAdd);
    if (cart === null) {
      return json(reply.code(422)).send({ status: 422, message: "Cart Error", description: problem });
    }
    const full = withAttributes(cart, fieldsOf(body["attributes"]));
    const added = new Set(toAdd.map(({ variantId }) => variantId));
    const items = priced(full).lines.filter(({ variant }) => added.has(variant.id));
    return json(save(reply, full)).send({ items: items.map(lineJson) });
  });

  scope.post(`${root}/cart/update.js`, (request, reply) => {
    const cart = withAttributes(cartOf(request), fieldsOf(fieldsOf(request.body)["attributes"]));
    return json(save(reply, cart)).send(cartJson(cart));
  });

  scope.post(`${root}/cart/add`, (request, reply) => {
    const { cart, problem } = addToCart(cartOf(request), itemsOf(fieldsOf(request.body)));
    if (cart === null) return refuse(request, reply, problem);
    return save(reply, cart).redirect(`${root}/cart`, 303);
  });

  scope.post(`${root}/cart/change`, (request, reply) => {
    const { line, quantity, remove } = fieldsOf(request.body);
    const newQuantity = remove === undefined ? numberOf(quantity) : 0;
    const { cart, problem } = changeLine(cartOf(request), numberOf(line), newQuantity);
    if (cart === null) return refuse(request, reply, problem);
    return save(reply, cart).redirect(`${root}/cart`, 303);
  });

  scope.get(`${root}/cart/add`, (request, reply) => {
    const { items, attributes } = inLink(request.url);
    if (items.length === 0) return reply.redirect(`${root}/cart`, 303);
    const { cart, problem } = addToCart(cartOf(request), items);
    if (cart === null) return refuse(request, reply, problem);
    return save(reply, withAttributes(cart, attributes)).redirect(`${root}/cart`, 303);
  });

  // the page of a refused form is shown at the address that the form was sent to
  for (const form of ["cart/change", "checkout"]) {
    scope.get(`${root}/${form}`, (_request, reply) => reply.redirect(`${root}/cart`, 303));
  }
}

/**
 * What a link to `cart/add` adds, in the platform's format: `items[0][id]`, `items[0][quantity]` and
 * `items[0][properties][NAME]`, and `return_to=/cart/update?attributes[NAME]=...`, which the platform goes on to.
 */
function inLink(url: string): { items: CartItem[]; attributes: Fields } {
  const { searchParams } = new URL(url, "http://shop");
  const items = Array.from({ length: 50 }, (_, at): CartItem => {
    const session = searchParams.get(`items[${at}][properties][_quiz_session]`);
    return {
      variantId: variantIdOf(searchParams.get(`items[${at}][id]`)),
      quantity: numberOf(searchParams.get(`items[${at}][quantity]`) ?? 1),
      properties: { _quiz_session: session },
    };
  }).filter((_, at) => searchParams.has(`items[${at}][id]`));
  const next = new URLSearchParams(searchParams.get("return_to")?.replace("/cart/update", ""));
  const attributes = ["_quiz_session", "_quiz_visitor"].map((name) => [name, next.get(`attributes[${name}]`)]);
  return { items, attributes: Object.fromEntries(attributes) };
}

/**
 * Links to a filled cart, in the platform's formats, below the root as in its shops. A quiz's hosted page, which has no
 * cart of its own, links to `/cart/add`. `/cart/VARIANT:QUANTITY,...`, with the cart attributes in its query, replaces the
 * cart.
 */
export function registerCartLink(scope: FastifyInstance, { baseUrl, refuse }: CartRoutes): void {
  // the storefront's pages alone get the cart's cookie
  scope.get("/cart/add", (request, reply) => reply.redirect(`${root}${request.url}`, 303));
  // a wildcard, because a path parameter would be too short for a full cart
  scope.get("/cart/*", (request, reply) => {
    const items = (request.params as { "*": string })["*"];
    const toAdd = items.split(",", 50).map((item): CartItem => {
      const [id, quantity] = item.split(":");
      return { variantId: variantIdOf(id), quantity: numberOf(quantity), properties: {} };
    });
    const { cart, problem } = addToCart(emptyCart, toAdd);
    if (cart === null) return refuse(request, reply, problem);
    const attributes = Object.entries(fieldsOf(request.query)).flatMap(([name, value]) => {
      const [, attribute] = /^attributes\[(\w+)\]$/.exec(name) ?? [];
      return attribute === undefined ? [] : [[attribute, value]];
    });
    const full = withAttributes(cart, Object.fromEntries(attributes));
    return keepCart(reply, full, baseUrl).header("Cache-Control", "no-store").redirect(`${root}/cart`, 303);
  });
}

const numberOf = (value: unknown): number =>
  typeof value === "number" ? value : /^\d{1,4}$/.test(String(value)) ? Number(value) : Number.NaN;

/** Like the platform, accepts a list of items, or the fields of one. */
function itemsOf(body: Fields): CartItem[] {
  const { items } = body;
  const list: unknown[] = Array.isArray(items) ? items.slice(0, 50) : [body];
  return list.map(fieldsOf).map(({ id, quantity = 1, properties }) => ({
    variantId: variantIdOf(id),
    quantity: numberOf(quantity),
    properties: fieldsOf(properties),
  }));
}
