import { placedOrder, type ShopifyOrder } from "../orders.ts";
import { type Cart, priced } from "./cart.ts";
import { choiceOf } from "./goods.ts";

/** Above every id that simulated orders have. */
const firstId = 7_000_000_000_000_000;

export interface Checkout {
  cart: Cart;
  email: string;
  /** Unix milliseconds */
  now: number;
  /** 0 to 99: tells orders of one millisecond apart */
  draw: number;
}

/** What the commerce platform would send of a cart that was bought, line properties and cart attributes included. */
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

/** The sessions that an order carries, those of its lines first. */
export const sessionsOfCart = ({ lines, session }: Cart): string[] => [
  ...new Set([...lines.map((line) => line.session), session].filter((id) => id !== null)),
];

const address = /^[^\s@<>"'(),:;\\[\]]{1,64}@[^\s@<>"'(),:;\\[\]]{1,186}\.[^\s@<>"'(),:;\\[\].]{2,63}$/;

/** An email as it is put on an order; null: it cannot be one. */
export function emailOf(text: string): string | null {
  const trimmed = text.trim();
  return address.test(trimmed) ? trimmed : null;
}
