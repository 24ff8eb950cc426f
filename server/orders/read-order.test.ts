import { describe, expect, it } from "vitest";
import { shopLine, shopOrder } from "../../testkit/commerce.ts";
import {
  bundleOrder,
  editedOrder,
  fieldRefund,
  foreignBuyerOrder,
  posOrder,
} from "../../testkit/field/shopify-orders.ts";
import { attributesNamed, PayloadError, parsePlatformJson, timeOf } from "./payload.ts";
import { type OrderTopic, readOrder } from "./read-order.ts";
import { orderOfRefund, readRefundMessage } from "./read-refunds.ts";

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

  it("counts what was bought: edits take away, refunds do not [orders.amount]", () => {
    const summary = (payload: object) => {
      const order = read(payload);
      return [order?.total, order?.lines.map(({ quantity, amount }) => [quantity, amount])];
    };
    // a line was removed before it was paid
    expect(summary(editedOrder(7_000_000_000_000, "2026-03-10T12:00:00+01:00"))).toEqual(["50.00", [[1, "50.00"]]]);
    // one of two pieces was paid back: the whole order was bought all the same
    expect(summary(foreignBuyerOrder(7_000_000_000_000, "2026-03-10T12:00:00+01:00"))).toEqual([
      "60.00",
      [[2, "60.00"]],
    ]);
    const refund = (transactions: object[]) => ({
      ...{ id: 3, refund_line_items: [{ line_item_id: 1, quantity: 1, subtotal: 10 }], transactions },
    });
    const paid = { kind: "refund", status: "success", amount: "10.00" };
    const line = { id: 1, quantity: 3, price: "10.00", total_discount: "3.00" };
    const edited = { id: 1, total_price: "27.00", line_items: [{ ...line, current_quantity: 1 }] };
    // of three, one was removed and one paid back; the discount is that of three
    expect(summary({ ...edited, current_total_price: "9.00", refunds: [refund([paid])] })).toEqual([
      "19.00",
      [[2, "18.00"]],
    ]);
    // what is pending, failed or voided was not paid back
    for (const odd of [{ status: "pending" }, { status: "failure" }, { kind: "void" }, { kind: "sale" }]) {
      expect(summary({ ...edited, current_total_price: "9.00", refunds: [refund([{ ...paid, ...odd }])] })[0]).toBe(
        "9.00",
      );
    }
    // an older version, or another program, says nothing of what is current
    expect(summary({ id: 1, total_price: "27.00", line_items: [line] })).toEqual(["27.00", [[3, "27.00"]]]);
    expect(summary({ id: 1, total_price: "5.00", current_total_price: "" })[0]).toBe("5.00");
    // a line that an edit added
    const added = { id: 2, quantity: 2, current_quantity: 2, price: "5.00" };
    expect(summary({ id: 1, total_price: "0", current_total_price: "10.00", line_items: [added] })).toEqual([
      "10.00",
      [[2, "10.00"]],
    ]);
    const odd = { current_quantity: -1, quantity: 1, price: "1.00" };
    expect(summary({ id: 1, line_items: [odd, { ...odd, current_quantity: "1" }, { ...odd, id: null }] })[1]).toEqual([
      [1, "1.00"],
    ]);
  });

  it("counts voided orders like cancelled ones [orders.cancelled]", () => {
    const cancelled = (fields: object) => read({ id: 1, updated_at: "2026-03-10T12:00:00Z", ...fields })?.cancelledAt;
    expect(cancelled({ financial_status: "voided" })).toBe(at);
    expect(cancelled({ financial_status: "VOIDED" })).toBe(at);
    for (const status of ["paid", "refunded", "partially_refunded", "pending", "authorized", "expired", null, 7])
      expect(cancelled({ financial_status: status })).toBeNull();
  });

  it("reads a refund's amount in the order's currency, and its lines' parts [orders.refunds]", () => {
    const refunds = (payload: object) => read(payload)?.refunds.map(({ amount, lines }) => [amount, lines]);
    const order = foreignBuyerOrder(7_000_000_000_000, "2026-03-10T12:00:00+01:00");
    const line = { lineId: "7000000000001", quantity: 1 };
    expect(refunds(order)).toEqual([["30.00", [{ ...line, amount: "30.00" }]]]);
    const given = fieldRefund({
      ...{ id: 5, order_id: 1, created_at: "2026-03-10T12:00:00Z" },
      lines: [
        { line_item_id: 8, quantity: 1, subtotal: "30.00" },
        { line_item_id: 9, quantity: 1, subtotal: "10.00" },
      ],
      transactions: [{ amount: "15.00" }, { amount: "5.00" }, { amount: "99.00", status: "error" }],
    });
    // less was paid back than the lines cost
    expect(readRefundMessage(given, "EUR")).toMatchObject({
      amount: "20.00",
      lines: [{ amount: "15.00" }, { amount: "5.00" }],
    });
    // a yen shop's refund in dollars, without a rate: the order's next message tells
    expect(
      readRefundMessage(
        { id: 1, transactions: [{ kind: "refund", status: "success", amount: "5", currency: "USD" }] },
        "JPY",
      ).amount,
    ).toBe("0.00");
    expect(() => readRefundMessage({ order_id: 7 }, "EUR")).toThrow(PayloadError);
    expect(() => orderOfRefund({ id: 7 })).toThrow(PayloadError);
    expect(() =>
      readRefundMessage({ id: 1, transactions: [{ kind: "refund", status: "success", amount: "1,50" }] }, "EUR"),
    ).toThrow("transactions[0].amount");
    expect(readRefundMessage({ id: 1, transactions: [null, 7], refund_line_items: [{}, "x"] }, "EUR")).toMatchObject({
      amount: "0.00",
      lines: [],
    });
  });

  it("knows components by their bundle's group [orders.bundles]", () => {
    const bundles = (payload: object) => read(payload)?.lines.map(({ bundle }) => bundle);
    const named = bundleOrder(7_000_000_000_000, "2026-03-10T12:00:00Z", { product_id: 9100, quantity: 1 });
    const bundle = { key: "2201321657", productId: "gid://shopify/Product/9100" };
    expect(bundles(named)).toEqual([
      { ...bundle, units: 1 },
      { ...bundle, units: 0 },
    ]);
    const global = { product_id: "gid://shopify/Product/9100", quantity: 3 };
    expect(bundles(bundleOrder(1, "2026-03-10T12:00:00Z", global))?.[0]).toEqual({ ...bundle, units: 3 });
    expect(bundles(bundleOrder(1, "2026-03-10T12:00:00Z"))?.[0]).toEqual({ ...bundle, productId: null, units: 1 });
    expect(bundles(posOrder(1, "2026-03-10T12:00:00Z"))).toEqual([null, null, null]);
  });

  it("knows renewals of subscriptions [orders.renewals]", () => {
    const renews = (source_name: unknown) => read({ id: 1, source_name })?.renewal;
    expect(["subscription_contract", "subscription_contract_checkout_one", "web", "pos", null, 7].map(renews)).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });
});
