import { demoShop, pictureHost } from "../catalog.ts";
import { root } from "./layout.ts";

/**
 * Addresses in the demo's documents and the server's catalog: at hosts that do not exist, or belong to somebody else.
 */
const elsewhere = [
  [`${pictureHost}/`, `${root}/pictures/`],
  [`https://${demoShop.shop_domain}/products/`, `${root}/products/`],
] as const;

/** Their prefixes, and what to replace these with so that the addresses lead to the storefront at `origin`. */
export const movedToStorefront = (origin: string): readonly (readonly [from: string, to: string])[] =>
  elsewhere.map(([from, to]) => [from, `${origin}${to}`]);
