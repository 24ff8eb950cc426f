import { describe, expect, it } from "vitest";
import { shopLine, shopOrder } from "../../testkit/commerce.ts";
import { attributesNamed, PayloadError, parsePlatformJson, timeOf } from "./payload.ts";
import { type OrderTopic, readOrder } from "./read-order.ts";

const at = Date.parse("2026-03-10T12:00:00.000Z");
const hex = (digit: string) => digit.repeat(32);
const uuid = (digit: string) => hex(digit).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

const read = (payload: unknown, topic: OrderTopic = "orders/create") =>
  readOrder(payload, { topic, currency: "EUR", now: at });

describe("reading an order", () => {
  it("takes a whole payload with nulls, offsets and sets of money [orders.content]", () => {
    const order = read(
      shopOrder(450789469, at, {
        total_price: "398.00",
        email: " Jon@Example.com ",
        customer: { id: 115310627314723950, email: null, phone: null, default_address: null },
        lines: [
          { price: "199.00", quantity: 2, title: "IPod Nano" },
          { product_id: null, title: "Tip", price: "3.10" },
        ],
      }),
    );
    expect(order).toMatchObject({
      gid: "gid://shopify/Order/450789469",
      name: "#450789469",
      createdAt: at,
      updatedAt: at,
      cancelledAt: null,
      currency: "USD",
      total: "398.00",
      keys: [{ tier: "email", value: "jon@example.com" }],
      lines: [
        {
          productId: "gid://shopify/Product/632910392",
          variantId: "gid://shopify/ProductVariant/808950810",
          title: "IPod Nano",
          quantity: 2,
          amount: "398.00",
          fromQuiz: false,
        },
        { productId: null, variantId: null, title: "Tip", quantity: 1, amount: "3.10" },
      ],
    });
  });

  it("has one UUID for one order, whatever brings it [orders.content]", () => {
    expect(read({ id: 7 })?.id).toBe(read(shopOrder("7", at), "orders/cancelled")?.id);
    expect(read({ id: 7 })?.id).not.toBe(read({ id: 8 })?.id);
  });

  it("loses no digit of an id past 2^53, nor of money sent as a number [orders.digits]", () => {
    const text = `{"id": 820982911946154508, "total_price": 100000000000000.15, "line_items": [
      {"product_id": 788032119674292922, "quantity": 3, "price": 0.1, "total_discount": 0.05}]}`;
    expect(read(parsePlatformJson(text))).toMatchObject({
      gid: "gid://shopify/Order/820982911946154508",
      total: "100000000000000.15",
      lines: [{ productId: "gid://shopify/Product/788032119674292922", amount: "0.25" }],
    });
  });

  it("counts a line as price x quantity less its discounts: its share of all of them, else its own [orders.line-amount]", () => {
    const share = (amount: string) => ({ amount, amount_set: {}, discount_application_index: 0 });
    const amounts = (line: object) => read({ id: 1, line_items: [line] })?.lines[0]?.amount;
    const allocated = [share("1.01"), share("2.02")];
    expect(amounts({ price: "10.10", quantity: 3, discount_allocations: allocated, total_discount: "9.99" })).toBe(
      "27.27",
    );
    expect(amounts({ price: "10.10", quantity: 3, discount_allocations: [], total_discount: "0.30" })).toBe("30.00");
    expect(amounts({ price: "1250", quantity: 2 })).toBe("2500.00");
    expect(amounts({ price: null, price_set: shopLine({ price: "5.00" })["price_set"], quantity: 2 })).toBe("10.00");
    expect(amounts({ price: null, quantity: "two" })).toBe("0.00");
    expect(amounts({ price: "0.001", quantity: 3 })).toBe("0.003");
  });

  it("ignores test orders, and refuses what has no id [orders.test-orders, orders.unreadable]", () => {
    expect(read(shopOrder(1, at, { test: true }))).toBeNull();
    for (const odd of [null, 7, "text", [], {}, { id: null }, { id: -1 }, { id: 1.5 }, { id: "x" }]) {
      expect(() => read(odd)).toThrow(PayloadError);
    }
  });

  it("takes a payload of nothing but odd values [orders.unreadable]", () => {
    const odd = { id: 3, line_items: [null, 7, {}], note_attributes: "x", customer: [], email: 7, created_at: "soon" };
    expect(read({ ...odd, currency: 5, total_price: null, billing_address: "y", phone: {} })).toMatchObject({
      createdAt: at,
      currency: "EUR",
      total: "0",
      keys: [],
      lines: [{ quantity: 0, title: "" }],
    });
  });

  it("refuses money that is there and cannot be read, and names it, unless the set beside it can be [orders.money]", () => {
    const set = { shop_money: { amount: "12.50", currency_code: "EUR" } };
    const fieldOf = (payload: object) => {
      try {
        read({ id: 1, ...payload });
      } catch (error) {
        if (error instanceof PayloadError) return [error.field, error.message.startsWith(`${error.field} must be`)];
      }
      return "taken";
    };
    for (const money of ["1,234.56", "abc", "1".repeat(20), "1e5", [], {}, true]) {
      expect(fieldOf({ total_price: money })).toEqual(["total_price", true]);
      expect(fieldOf({ total_price: money, total_price_set: set })).toBe("taken");
      expect(fieldOf({ line_items: [{}, { price: money }] })).toEqual(["line_items[1].price", true]);
      expect(fieldOf({ line_items: [{ total_discount: money }] })).toEqual(["line_items[0].total_discount", true]);
      const shares = [{ amount: "1.00" }, { amount: money }];
      const share = "line_items[0].discount_allocations[1].amount";
      expect(fieldOf({ line_items: [{ discount_allocations: shares }] })).toEqual([share, true]);
      const odd = { total_price_set: { shop_money: { amount: money } } };
      expect(fieldOf(odd)).toEqual(["total_price_set.shop_money.amount", true]);
    }
    expect(read({ id: 1, total_price: "abc", total_price_set: set })?.total).toBe("12.50");
    for (const none of [undefined, null, ""]) expect(read({ id: 1, total_price: none })?.total).toBe("0");
  });

  it("reads the tiers from line properties, cart attributes and contacts [orders.tiers, orders.contacts]", () => {
    const order = read(
      shopOrder(1, at, {
        email: null,
        contact_email: "Ann@example.com",
        phone: "+1 202-555-0123",
        customer: { email: "ann@example.com", phone: "(202) 555-0187", default_address: { country_code: "US" } },
        shipping_address: { phone: "030 12345678", country_code: "DE" },
        note_attributes: [
          { name: "gift", value: 1 },
          { name: "_quiz_session", value: `sess_${hex("b")}` },
          { name: "_quiz_visitor", value: `vis_${hex("c")}` },
        ],
        lines: [
          { properties: [{ name: "_quiz_session", value: `sess_${hex("a")}` }] },
          { properties: { _quiz_session: `sess_${hex("a")}`, engraving: 12 } },
          { properties: null },
        ],
      }),
    );
    expect(order?.keys).toEqual([
      { tier: "line_item", value: uuid("a") },
      { tier: "cart", value: uuid("b") },
      { tier: "visitor", value: uuid("c") },
      { tier: "email", value: "ann@example.com" },
      { tier: "phone", value: "+12025550123" },
      { tier: "phone", value: "+12025550187" },
      { tier: "phone", value: "+493012345678" },
    ]);
    expect(order?.lines.map((line) => line.fromQuiz)).toEqual([true, true, false]);
  });

  it("knows cancelled orders by their time, or by the topic alone [orders.cancelled]", () => {
    const cancelled = shopOrder(1, at, { cancelled_at: "2026-03-10T15:00:00+02:00" });
    expect(read(cancelled, "orders/updated")).toMatchObject({ cancelledAt: at + 3_600_000, stage: 2 });
    expect(read(shopOrder(1, at), "orders/cancelled")).toMatchObject({ cancelledAt: at, stage: 2 });
    expect(read(shopOrder(1, at), "orders/updated")).toMatchObject({ cancelledAt: null, stage: 1 });
  });
});

describe("pieces of payloads", () => {
  it("reads times with offsets, and nothing that has none [orders.content]", () => {
    expect(timeOf("2026-03-10T07:00:00-05:00")).toBe(at);
    expect(timeOf("2026-03-10T17:45:00.000+0545")).toBe(at);
    for (const odd of ["2026-03-10", "2026-03-10 07:00:00", "2026-13-45T00:00:00Z", "", null, 7, {}]) {
      expect(timeOf(odd)).toBeNull();
    }
  });

  it("finds every value of a name, numbers as texts [orders.content]", () => {
    const list = [{ name: "a", value: 3 }, { key: "a", value: " x " }, { name: "a", value: null }, { name: "b" }, null];
    expect(attributesNamed(list, "a")).toEqual(["3", "x"]);
    expect(attributesNamed(undefined, "a")).toEqual([]);
  });

  it("refuses what is not JSON or not UTF-8 [orders.unreadable]", () => {
    for (const odd of ["", "{", "undefined"]) expect(() => parsePlatformJson(odd)).toThrow(PayloadError);
    expect(() => parsePlatformJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(PayloadError);
    expect(() => parsePlatformJson("[".repeat(200_000))).toThrow(PayloadError);
    expect(() => parsePlatformJson(`${"[".repeat(50_000)}${"]".repeat(50_000)}`)).not.toThrow(TypeError);
  });
});
