import { centsOf, shippingOf } from "../amounts.ts";
import { choiceOf, type Good, goodOf, isSoldOut } from "./goods.ts";

/**
 * The demo shop's cart. The browser keeps it in a cookie, so its content is untrusted: anything that is not in the
 * catalog, too much or malformed is dropped when it is read.
 */

export interface CartLine {
  variantId: number;
  quantity: number;
  /** session of the quiz that added it */
  session: string | null;
}

export interface Cart {
  lines: readonly CartLine[];
  /** the cart attributes `_quiz_session` and `_quiz_visitor` */
  session: string | null;
  visitor: string | null;
}

export const mostLines = 12;
export const mostOfALine = 10;

export const emptyCart: Cart = { lines: [], session: null, visitor: null };

const idOf = (kind: "sess" | "vis", value: unknown): string | null =>
  typeof value === "string" && new RegExp(`^${kind}_[0-9a-f]{32}$`).test(value) ? value : null;

const isQuantity = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= mostOfALine;

export const writeCart = ({ lines, session, visitor }: Cart): string =>
  Buffer.from(
    JSON.stringify([lines.map((line) => [line.variantId, line.quantity, line.session]), session, visitor]),
  ).toString("base64url");

export function readCart(text: string | undefined): Cart {
  const read = parsed(text);
  if (!Array.isArray(read) || !Array.isArray(read[0])) return emptyCart;
  const lines = read[0].slice(0, mostLines).flatMap((line: unknown): CartLine[] => {
    if (!Array.isArray(line)) return [];
    const [variantId, quantity, session] = line as unknown[];
    if (typeof variantId !== "number" || goodOf(variantId) === null || !isQuantity(quantity)) return [];
    return [{ variantId, quantity, session: idOf("sess", session) }];
  });
  return { lines, session: idOf("sess", read[1]), visitor: idOf("vis", read[2]) };
}

function parsed(text: string | undefined): unknown {
  if (text === undefined || text.length > 4_000) return null;
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return null;
  }
}

export interface CartItem {
  variantId: number | null;
  quantity: number;
  /** line properties, unchecked */
  properties: Readonly<Record<string, unknown>>;
}

/** A changed cart, or a message for the shopper. */
export type Changed = { cart: Cart; problem: null } | { cart: null; problem: string };

const refused = (problem: string): Changed => ({ cart: null, problem });

const tooMany = (title: string): string => `At most ${mostOfALine} of ${title} go into a cart.`;

export function addToCart(cart: Cart, items: readonly CartItem[]): Changed {
  let lines = [...cart.lines];
  if (items.length === 0) return refused("There is nothing to add.");
  for (const { variantId, quantity, properties } of items) {
    const good = variantId === null ? null : goodOf(variantId);
    if (good === null) return refused("The demo shop does not sell this.");
    const { title } = good.product;
    if (isSoldOut(good.variant)) return refused(`${title} is sold out.`);
    const session = idOf("sess", properties["_quiz_session"]);
    const same = lines.find((line) => line.variantId === good.variant.id && line.session === session);
    const sum = (same?.quantity ?? 0) + quantity;
    if (!isQuantity(quantity) || sum > mostOfALine) return refused(tooMany(title));
    if (same) lines = lines.map((line) => (line === same ? { ...same, quantity: sum } : line));
    else lines.push({ variantId: good.variant.id, quantity, session });
  }
  if (lines.length > mostLines) return refused(`At most ${mostLines} different things go into a cart.`);
  return { cart: { ...cart, lines }, problem: null };
}

/**
 * Changes a line's quantity, by its index; 0 removes it. A line that no longer exists, for example because of another
 * tab, is ignored.
 */
export function changeLine(cart: Cart, place: number, quantity: number): Changed {
  const title = goodOf(cart.lines[place]?.variantId ?? 0)?.product.title;
  if (title === undefined) return { cart, problem: null };
  if (quantity !== 0 && !isQuantity(quantity)) return refused(tooMany(title));
  const lines = cart.lines.flatMap((line, index) => {
    if (index !== place) return [line];
    return quantity === 0 ? [] : [{ ...line, quantity }];
  });
  return { cart: { ...cart, lines }, problem: null };
}

/** Sets the cart attributes that the quiz may set, and no others. */
export function withAttributes(cart: Cart, attributes: Readonly<Record<string, unknown>>): Cart {
  return {
    ...cart,
    session: idOf("sess", attributes["_quiz_session"]) ?? cart.session,
    visitor: idOf("vis", attributes["_quiz_visitor"]) ?? cart.visitor,
  };
}

export interface PricedLine extends Good {
  quantity: number;
  session: string | null;
  cents: number;
}

export interface PricedCart {
  lines: PricedLine[];
  count: number;
  goodsCents: number;
  shippingCents: number;
  totalCents: number;
}

export function priced({ lines: cartLines }: Cart): PricedCart {
  const lines = cartLines.flatMap(({ variantId, quantity, session }): PricedLine[] => {
    const good = goodOf(variantId);
    return good ? [{ ...good, quantity, session, cents: centsOf(good.variant.price) * quantity }] : [];
  });
  const goodsCents = lines.reduce((sum, { cents }) => sum + cents, 0);
  const shippingCents = lines.length === 0 ? 0 : shippingOf(goodsCents);
  return {
    lines,
    count: lines.reduce((sum, { quantity }) => sum + quantity, 0),
    goodsCents,
    shippingCents,
    totalCents: goodsCents + shippingCents,
  };
}

/** The cart in the form of the platform's `cart.js`, with the fields that anything reads; money in cents. */
export function cartJson(cart: Cart) {
  const { lines, count, goodsCents } = priced(cart);
  return {
    attributes: attributesOf(cart),
    item_count: count,
    items_subtotal_price: goodsCents,
    total_price: goodsCents,
    currency: "USD",
    items: lines.map(lineJson),
  };
}

const attributesOf = ({ session, visitor }: Cart): Record<string, string> => ({
  ...(session === null ? {} : { _quiz_session: session }),
  ...(visitor === null ? {} : { _quiz_visitor: visitor }),
});

export const lineJson = (line: PricedLine) => ({
  id: line.variant.id,
  variant_id: line.variant.id,
  product_id: line.product.id,
  quantity: line.quantity,
  title: line.product.title,
  variant_title: choiceOf(line),
  handle: line.product.handle,
  price: centsOf(line.variant.price),
  line_price: line.cents,
  properties: line.session === null ? {} : { _quiz_session: line.session },
});
