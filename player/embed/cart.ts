import type { CatalogProduct } from "../live-quiz.ts";
import type { CartLine } from "../view/types.ts";
import { shopifyOf } from "./consent.ts";
import { isHostedPage } from "./facts.ts";
import type { CartRequest, PageState } from "./types.ts";

/** The shop's cart refused the products; `sentence` is the shop's text for the shopper, null if it gave none. */
const refused = (message: string, sentence: string | null = null): Error =>
  Object.assign(new Error(message), { sentence });

/** The root of Shopify's cart API; null on other pages. */
const shopifyRoot = (): string | null => shopifyOf()?.routes?.root ?? null;

/** The variant that a line stands for: its own, else the first available one, as a product page would choose. */
function variantOf({ product_id, variant_id }: CartLine, catalog: readonly CatalogProduct[]): string | null {
  if (variant_id !== null) return variant_id;
  const variants = catalog.find((product) => product.product_id === product_id)?.variants ?? [];
  return (variants.find(({ available }) => available !== false) ?? variants[0])?.variant_id ?? null;
}

/** `gid://shopify/ProductVariant/123` is 123 in the cart API. */
function cartId(variant_id: string | null): number {
  const id = Number(/(\d+)$/.exec(variant_id ?? "")?.[1]);
  if (!Number.isSafeInteger(id)) throw refused(`no variant: ${variant_id}`);
  return id;
}

async function post(path: string, body: object): Promise<Response> {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  return fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/**
 * Adds to Shopify's cart. Its lines carry the session, and the cart carries the session and the visitor, so that the
 * order is attributed to the quiz [player.shopify-cart]; without the shopper's consent neither carries any id.
 */
async function addAtShopify(root: string, { lines, catalog, session_id, visitor_id }: CartRequest): Promise<void> {
  const properties = session_id === null ? {} : { properties: { _quiz_session: session_id } };
  const items = lines.map((line) => {
    return { id: cartId(variantOf(line, catalog)), quantity: line.quantity, ...properties };
  });
  const added = await post(`${root}cart/add.js`, { items });
  if (!added.ok) throw refused(`cart: ${added.status}`, await sentenceOf(added));
  if (session_id === null) return;
  const attributes = { _quiz_session: session_id, _quiz_visitor: visitor_id };
  const updated = await post(`${root}cart/update.js`, { attributes });
  // the lines are in the cart and carry the session themselves
  if (!updated.ok) reportError(new Error(`quizstore: cart: ${updated.status}`));
}

/** The text of a refusal such as "All 3 of this are in your cart", in the shop's language. */
async function sentenceOf(answer: Response): Promise<string | null> {
  if (answer.status !== 422) return null;
  const refusal = (await answer.json().catch(() => null)) as { description?: unknown } | null;
  const description = refusal?.description;
  return typeof description === "string" && description !== "" ? description : null;
}

/**
 * For the hosted page, which has no cart: a link that opens the shop's cart in another tab with the products added to
 * what is in it [player.hosted-cart]. A permalink (`/cart/11:1`) would replace the cart, also what was added before
 * from the same page. Null if the catalog does not say where the shop is.
 */
function linkToCart({ lines, catalog, session_id, visitor_id }: CartRequest): string | null {
  const url = catalog.find((product) => product.url !== null)?.url;
  if (!url) return null;
  const link = new URL("/cart/add", url);
  const { searchParams } = link;
  lines.forEach((line, at) => {
    searchParams.set(`items[${at}][id]`, `${cartId(variantOf(line, catalog))}`);
    searchParams.set(`items[${at}][quantity]`, `${line.quantity}`);
    if (session_id) searchParams.set(`items[${at}][properties][_quiz_session]`, session_id);
  });
  // Only this address sets attributes; it leads to the cart.
  if (session_id)
    searchParams.set(
      "return_to",
      `/cart/update?attributes[_quiz_session]=${session_id}&attributes[_quiz_visitor]=${visitor_id}`,
    );
  return link.href;
}

/** The address of the shop's cart, in the page's shop or, from the hosted page, in the one that its products are from. */
export function cartPage(catalog: readonly CatalogProduct[], base: string): string | null {
  const root = shopifyRoot();
  if (root !== null) return `${root}cart`;
  const url = isHostedPage(base) ? catalog.find((product) => product.url !== null)?.url : null;
  return url ? new URL("/cart", url).href : null;
}

/** Adds lines to the page's cart: its own handler, else Shopify's [player.cart-handler]. Throws if that fails. */
export async function addToCart(request: CartRequest, page: Pick<PageState, "base" | "cart">): Promise<void> {
  const root = shopifyRoot();
  if (page.cart) {
    const said = await page.cart(request);
    if (said === false || (typeof said === "string" && said !== "")) throw refused("cart handler", said || null);
    return;
  }
  if (root !== null) return addAtShopify(root, request);
  const link = isHostedPage(page.base) ? linkToCart(request) : null;
  if (link === null) throw refused("no cart");
  const opened = window.open(link, "_blank");
  // browsers inside apps open no windows: there the cart takes the place of the page
  if (opened) opened.opener = null;
  else location.href = link;
}
