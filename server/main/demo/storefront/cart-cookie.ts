import type { FastifyReply, FastifyRequest } from "fastify";
import { type Cart, readCart, writeCart } from "../../../../demo/storefront/cart.ts";
import { root } from "../../../../demo/storefront/layout.ts";
import { readCookie } from "../../../accounts/cookie.ts";

/** The cart is stored in a cookie for the storefront's pages only, for a day. */

const name = "lumen_fern_cart";

export const cartOf = ({ headers }: FastifyRequest): Cart =>
  readCart(readCookie({ name }, headers.cookie) ?? undefined);

/** @param baseUrl the public address: with https the cookie is sent only over https */
export function keepCart(reply: FastifyReply, cart: Cart, baseUrl: string): FastifyReply {
  const secure = baseUrl.startsWith("https:") ? "; Secure" : "";
  const seconds = cart.lines.length === 0 && cart.session === null && cart.visitor === null ? 0 : 86_400;
  return reply.header(
    "Set-Cookie",
    `${name}=${writeCart(cart)}; Path=${root}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`,
  );
}
