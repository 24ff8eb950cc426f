import { describe, expect, it } from "vitest";
import { demoCatalog } from "../catalog.ts";
import {
  addToCart,
  type Cart,
  cartJson,
  changeLine,
  emptyCart,
  mostLines,
  mostOfALine,
  priced,
  readCart,
  withAttributes,
  writeCart,
} from "./cart.ts";
import { isSoldOut, variantIdOf } from "./goods.ts";
import { emailOf, orderOf, sessionsOfCart } from "./order.ts";

const session = `sess_${"a1".repeat(16)}`;
const visitor = `vis_${"b2".repeat(16)}`;
const variants = demoCatalog.flatMap((product) => product.variants);
const [first, second] = variants.filter((variant) => !isSoldOut(variant));
const gone = variants.find(isSoldOut)!;

const wanted = (variantId: number | null, quantity = 1, properties: Record<string, unknown> = {}) => ({
  variantId,
  quantity,
  properties,
});
function filled(...lines: ReturnType<typeof wanted>[]): Cart {
  const { cart, problem } = addToCart(emptyCart, lines);
  expect(problem).toBe(null);
  return cart!;
}

describe("the demo's cart [demo.cart]", () => {
  it("comes back from the browser as it went", () => {
    const cart = withAttributes(filled(wanted(first!.id, 2, { _quiz_session: session }), wanted(second!.id)), {
      _quiz_session: session,
      _quiz_visitor: visitor,
    });
    expect(readCart(writeCart(cart))).toEqual(cart);
    expect(writeCart(cart)).toMatch(/^[A-Za-z0-9_-]+$/);
  });

  it("adds to the line of the same thing from the same quiz, and makes another of any other", () => {
    const cart = filled(
      wanted(first!.id, 1, { _quiz_session: session }),
      wanted(first!.id, 2, { _quiz_session: session }),
      wanted(first!.id, 1),
    );
    expect(cart.lines).toEqual([
      { variantId: first!.id, quantity: 3, session },
      { variantId: first!.id, quantity: 1, session: null },
    ]);
  });

  it.each([
    ["nothing", [], "nothing to add"],
    ["what the catalog lacks", [wanted(4711)], "does not sell"],
    ["what is no number", [wanted(null)], "does not sell"],
    ["what is sold out", [wanted(gone.id)], "sold out"],
    ["no piece", [wanted(first!.id, 0)], "At most"],
    ["part of a piece", [wanted(first!.id, 1.5)], "At most"],
    ["more than a line holds", [wanted(first!.id, mostOfALine + 1)], "At most"],
    ["more than a line holds, in two steps", [wanted(first!.id, 6), wanted(first!.id, 6)], "At most"],
    ["a quantity that is none", [wanted(first!.id, Number.NaN)], "At most"],
    [
      "more lines than a cart holds",
      variants
        .filter((variant) => !isSoldOut(variant))
        .slice(0, mostLines + 1)
        .map(({ id }) => wanted(id)),
      "different things",
    ],
  ])("refuses %s in a sentence, and all that came with it", (_what, lines, sentence) => {
    const { cart, problem } = addToCart(emptyCart, lines);
    expect(cart).toBe(null);
    expect(problem).toContain(sentence);
  });

  it("leaves out what the browser has no business to hold", () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
    for (const odd of [
      undefined,
      "",
      "%%%",
      "x".repeat(5_000),
      encode({}),
      encode([1]),
      encode([[[1, 1, null]], 1, 2]),
    ]) {
      expect(readCart(odd)).toEqual(emptyCart);
    }
    const lines = [
      [first!.id, 1, "sess_<script>"],
      [first!.id, 99, null],
      [first!.id, -1, null],
      ["x", 1, null],
      "line",
    ];
    expect(readCart(encode([lines, "sess_1", "vis_2"]))).toEqual({
      lines: [{ variantId: first!.id, quantity: 1, session: null }],
      session: null,
      visitor: null,
    });
    const many = Array.from({ length: 50 }, () => [first!.id, 1, null]);
    expect(readCart(encode([many, null, null])).lines.length).toBe(mostLines);
  });

  it("changes and takes out lines by their place", () => {
    const cart = filled(wanted(first!.id), wanted(second!.id));
    expect(changeLine(cart, 1, 5).cart?.lines[1]?.quantity).toBe(5);
    expect(changeLine(cart, 0, 0).cart?.lines).toEqual([cart.lines[1]]);
    for (const place of [7, -1, 0.5, Number.NaN]) expect(changeLine(cart, place, 1)).toEqual({ cart, problem: null });
    for (const quantity of [11, 99, -1, 1.5, Number.NaN]) {
      expect(changeLine(cart, 0, quantity)).toEqual({ cart: null, problem: expect.stringContaining("At most 10 of") });
    }
  });

  it("takes the quiz's attributes and no other, and keeps those that it has", () => {
    const cart = withAttributes(emptyCart, { _quiz_session: session, _quiz_visitor: "x", gift: "yes" });
    expect(cart).toEqual({ lines: [], session, visitor: null });
    expect(withAttributes(cart, {})).toEqual(cart);
    expect(cartJson(cart).attributes).toEqual({ _quiz_session: session });
  });

  it("knows a variant by number, by text and by the platform's global id", () => {
    for (const given of [12, "12", "gid://shopify/ProductVariant/12"]) expect(variantIdOf(given)).toBe(12);
    for (const odd of [null, {}, "", "1e3", "-1", 1.5, "gid://shopify/Product/12"]) expect(variantIdOf(odd)).toBe(null);
  });
});

describe("the demo's order [demo.orders]", () => {
  const cart = withAttributes(filled(wanted(first!.id, 2, { _quiz_session: session }), wanted(second!.id)), {
    _quiz_session: session,
    _quiz_visitor: visitor,
  });
  const order = orderOf({ cart, email: "ada@example.com", now: Date.UTC(2026, 2, 1), draw: 7 });

  it("carries the session on its line, and session and visitor as attributes", () => {
    expect(order.line_items.map(({ properties }) => properties)).toEqual([
      [{ name: "_quiz_session", value: session }],
      [],
    ]);
    expect(order.note_attributes).toEqual([
      { name: "_quiz_session", value: session },
      { name: "_quiz_visitor", value: visitor },
    ]);
    expect(order.email).toBe("ada@example.com");
    expect(sessionsOfCart(cart)).toEqual([session]);
    expect(sessionsOfCart({ ...cart, lines: [] })).toEqual([session]);
    expect(sessionsOfCart(emptyCart)).toEqual([]);
    const later = `sess_${"c3".repeat(16)}`;
    expect(sessionsOfCart({ ...cart, session: later })).toEqual([session, later]);
  });

  it("costs what the cart says", () => {
    const { goodsCents, shippingCents, totalCents } = priced(cart);
    expect(goodsCents).toBe(Math.round(Number(first!.price) * 200 + Number(second!.price) * 100));
    expect([order.subtotal_price, order.total_price]).toEqual(
      [goodsCents, totalCents].map((cents) => (cents / 100).toFixed(2)),
    );
    expect(totalCents).toBe(goodsCents + shippingCents);
    expect(priced(filled(wanted(first!.id, 1))).shippingCents).toBe(595);
    expect(priced(filled(wanted(first!.id, 10))).shippingCents).toBe(0);
  });

  it("has an id of its own that loses no digit", () => {
    expect(Number.isSafeInteger(orderOf({ cart, email: "a@b.co", now: Date.UTC(2100, 0, 1), draw: 99 }).id)).toBe(true);
    expect(orderOf({ cart, email: "a@b.co", now: Date.UTC(2026, 2, 1), draw: 8 }).id).not.toBe(order.id);
  });

  it.each(["ada@example.com", " ada.lovelace+quiz@sub.example.co ", "münze@example.com"])("takes %s", (email) => {
    expect(emailOf(email)).toBe(email.trim());
  });

  it.each([
    "",
    "ada",
    "ada@",
    "ada@example",
    "a b@example.com",
    "<script>@example.com",
    `${"a".repeat(65)}@example.com`,
  ])("takes no %s for an email", (text) => {
    expect(emailOf(text)).toBe(null);
  });
});
