import { placedOrder, type ShopifyOrder } from "../orders.ts";
import { type Cart, priced } from "./cart.ts";
import { choiceOf } from "./goods.ts";

/** Greater than every id of simulated orders. */
const firstId = 7_000_000_000_000_000;

export interface Checkout {
  cart: Cart;
  email: string;
  /** Unix milliseconds */
  now: number;
  /** 0 to 99: distinguishes orders of the same millisecond */
  draw: number;
}

/** The order that the commerce platform would send for a bought cart, including line properties and cart attributes. */
export function orderOf({ cart, email, now, draw }: Checkout): ShopifyOrder {
  const { lines, goodsCents: goods, shippingCents: shipping } = priced(cart);
  const id = firstId + now * 100 + draw;
  const number = id % 1_000_000;
  const attribute = (name: string, value: string | null) => (value === null ? [] : [{ name, value }]);
  return {
    ...placedOrder(now, { goods, off: 0, shipping }),
    id,
    name: `#W${String(number).padStart(6, "0")}`,
    order_number: number,
    email,
    note_attributes: [...attribute("_quiz_session", cart.session), ...attribute("_quiz_visitor", cart.visitor)],
    customer: null,
    line_items: lines.map((line, index) => ({
      id: id + index,
      product_id: line.product.id,
      variant_id: line.variant.id,
      title: line.product.title,
      variant_title: choiceOf(line),
      sku: line.variant.sku,
      quantity: line.quantity,
      price: line.variant.price,
      total_discount: "0.00",
      discount_allocations: [],
      properties: attribute("_quiz_session", line.session),
    })),
  };
}

/** The sessions named in an order, those of its lines first. */
export const sessionsOfCart = ({ lines, session }: Cart): string[] => [
  ...new Set([...lines.map((line) => line.session), session].filter((id) => id !== null)),
];

const address = /^[^\s@<>"'(),:;\\[\]]{1,64}@[^\s@<>"'(),:;\\[\]]{1,186}\.[^\s@<>"'(),:;\\[\].]{2,63}$/;

/** Normalises an email for an order; null: not an email. */
export function emailOf(text: string): string | null {
  const trimmed = text.trim();
  return address.test(trimmed) ? trimmed : null;
}
