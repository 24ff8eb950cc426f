import { demoShop, pictureHost } from "../catalog.ts";
import { root } from "./layout.ts";

/** Addresses of the demo as its documents and the server's catalog have them: at hosts that are nobody's, or somebody else's. */
const elsewhere = [
  [`${pictureHost}/`, `${root}/pictures/`],
  [`https://${demoShop.shop_domain}/products/`, `${root}/products/`],
] as const;

/** What they begin with, and with what instead so that they lead to the storefront at `origin`. */
export const movedToStorefront = (origin: string): readonly (readonly [from: string, to: string])[] =>
  elsewhere.map(([from, to]) => [from, `${origin}${to}`]);
