import { demoShop, pictureHost } from "../catalog.ts";
import { root } from "./layout.ts";

/** Addresses of the demo as its documents and the server's catalog have them: at hosts that are nobody's, or somebody else's. */
const elsewhere = [
  [`${pictureHost}/`, `${root}/pictures/`],
  [`https://${demoShop.shop_domain}/products/`, `${root}/products/`],
] as const;

/** Points them to the storefront at `origin`, in any text, such as JSON. */
export const pointToStorefront =
  (origin: string) =>
  (text: string): string =>
    elsewhere.reduce((told, [from, to]) => told.replaceAll(from, `${origin}${to}`), text);
