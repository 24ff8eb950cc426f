import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { orderLines, orderRow, type Posted, postWebhook } from "../../testkit/commerce.ts";
import { openCopies } from "../../testkit/copies.ts";
import {
  bundleOrder,
  editedOrder,
  fieldLine,
  fieldOrder,
  fieldRefund,
  foreignBuyerOrder,
  posOrder,
  renewalOrder,
} from "../../testkit/field/shopify-orders.ts";
import { type FinderShop, openFinderShop } from "../../testkit/finder-shop.ts";
import type { ScriptedEvent } from "../../testkit/histories.ts";
import { enter, say } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { countRows, sessionId } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";

/** Orders as current versions of the platform send them, from the message to the figures. */

let t: TestApp;
let store: TestStore;
let shop: FinderShop;
let createdAt: string;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  await openShop();
  createdAt = new Date(t.calendar.now() - 10 * minute).toISOString().replace(/\.\d+Z/, "Z");
});

/** A shop in euros whose quiz shows the products of the orders. */
async function openShop(): Promise<void> {
  const document = structuredClone(finderDocument);
  const parts = document.pages.flatMap((page) => page.components);
  const picks = parts.flatMap((part) => (part.kind === "products" && part.source !== "rules" ? part : [])).at(0);
  for (const number of [9001, 9002, 9100, 9102, 9200]) {
    picks?.products.push({ product_id: product(number), variant_id: null, when: null, dimension_id: null });
  }
  shop = await openFinderShop(t, { document });
  store = shop.store;
  await t.update(store, { limits: { capacity: 1_000_000 } });
  await t.database.transaction((tx) => tx.all(sql`UPDATE stores SET currency = 'EUR' WHERE id = ${store.uuid}`));
}

const minute = 60_000;
const id = 5_901_234_567_890;
const eur = (amount: string) => ({ amount, currency: "EUR" });

const post = async (topic: string, payload: unknown, more: Partial<Posted> = {}) => {
  const { status, text } = await postWebhook(t, store, { topic, payload, ...more });
  expect([topic, status, text]).toEqual([topic, 200, "{}"]);
};
const fromQuiz = { note_attributes: [{ name: "_quiz_session", value: sessionId(1) }] };
const later = (minutes: number) => new Date(Date.parse(createdAt) + minutes * minute).toISOString();
const sentAt = (at: string) => ({ headers: { "x-shopify-triggered-at": at } });

const product = (number: number) => `gid://shopify/Product/${number}`;
const showing = (...numbers: number[]): ScriptedEvent => ({
  ...{ type: "products_shown", page_key: "result", block_key: "picks" },
  products: numbers.map((number) => ({ product_id: product(number) })),
});
const adding = (number: number): ScriptedEvent => ({ type: "product_added", product_id: product(number), quantity: 1 });

async function figures() {
  const directory = await mkdtemp(join(tmpdir(), "facts-field-"));
  const { database, calendar, log, elapsed } = t.foundations;
  const facts = await openCopies({ database, calendar, elapsed, log, directory });
  const app = t.compose({ facts });
  const ask = async (url: string) =>
    (await app.inject({ method: "GET", url, headers: { authorization: `Bearer ${store.key}` } })).json();
  const days = "from=2026-03-09&to=2026-03-10";
  const { totals } = await ask(`/v1/analytics/overview?${days}`);
  const { rows } = await ask(`/v1/analytics/products?${days}`);
  const { data } = await ask(`/v1/analytics/quizzes?${days}`);
  const summary = await ask("/v1/analytics/summary?period=7d");
  await facts.close();
  await rm(directory, { recursive: true, force: true });
  const money = { revenue: totals.revenue, refunded: totals.refunded, net_revenue: totals.net_revenue };
  expect(data).toMatchObject([money]);
  expect([summary.revenue.current, summary.refunded.current, summary.net_revenue.current]).toEqual(
    Object.values(money),
  );
  return { totals, rows };
}

describe("an order of the field", () => {
  it("that was edited counts as what is left of it [orders.amount]", async () => {
    await shop.take(1, [enter("result"), showing(9001, 9002)]);
    await post("orders/updated", { ...editedOrder(id, createdAt), ...fromQuiz });
    expect(await orderRow(t, store, id)).toMatchObject({ total: "50.00", matched_tier: "cart" });
    const { totals, rows } = await figures();
    expect(totals).toMatchObject({
      orders: 1,
      revenue: eur("50.00"),
      refunded: eur("0.00"),
      net_revenue: eur("50.00"),
    });
    expect(totals.revenue_by_bucket.shown_bought_later).toEqual(eur("50.00"));
    expect(rows.map((row: { units: number }) => row.units)).toEqual([1, 0]);
  });

  it("that was voided or deleted counts nowhere, and does not come back [orders.cancelled, orders.deleted]", async () => {
    await shop.take(1, [say("contact", "mail", "ann@example.com", { consent: true })]);
    const order = (number: number) =>
      fieldOrder({
        ...{ id: id + number, created_at: createdAt, total_price: "20.00", email: "ann@example.com" },
        line_items: [fieldLine({ id: id + 100 + number, product_id: 9001, price: "20.00" })],
      });
    for (const number of [0, 1, 2]) await post("orders/create", order(number));
    const person = async () => {
      const answer = await t.request("GET", "/v1/profiles?q=ann@example.com", { key: store.key });
      return [answer.body.data[0].orders_count, answer.body.data[0].spent.amount];
    };
    expect(await person()).toEqual([3, "60.00"]);
    await post("orders/updated", { ...order(1), financial_status: "voided", updated_at: later(1) });
    await post("orders/delete", { id: id + 2 });
    // deleted before it came
    await post("orders/delete", { id: id + 3 });
    for (const number of [2, 3]) await post("orders/updated", { ...order(number), updated_at: later(5) });
    expect(await person()).toEqual([1, "20.00"]);
    expect(await orderRow(t, store, id + 2)).toBeUndefined();
    expect(await orderRow(t, store, id + 3)).toBeUndefined();
    expect([await countRows(t, store, "orders"), await countRows(t, store, "order_lines")]).toEqual([2, 2]);
    expect((await figures()).totals).toMatchObject({ orders: 1, revenue: eur("20.00") });
  });

  it("that is a bundle counts as the product that was shown and added [orders.bundles]", async () => {
    for (const [place, group] of [{ product_id: 9100, quantity: 1 }, {}].entries()) {
      await openShop();
      await shop.take(1, [enter("result"), showing(9100, 9200), adding(9100)]);
      await post("orders/create", { ...bundleOrder(id, createdAt, group), ...fromQuiz });
      expect((await orderLines(t, store, id)).map(({ bucket }) => bucket)).toEqual([
        "added_from_quiz",
        "added_from_quiz",
      ]);
      const { totals, rows } = await figures();
      expect([place, totals.revenue_by_bucket]).toEqual([
        place,
        { added_from_quiz: eur("40.00"), shown_bought_later: eur("0.00"), bought_not_shown: eur("0.00") },
      ]);
      expect(rows).toMatchObject([
        { product_id: product(9100), units: 1, orders_approx: 1, line_revenue: eur("40.00"), times_shown: 1 },
        { product_id: product(9200), units: 0, line_revenue: eur("0.00") },
      ]);
    }
  });

  it("that is a bundle nobody was shown counts as its components [orders.bundles]", async () => {
    await shop.take(1, [enter("result"), showing(9102)]);
    await post("orders/create", { ...bundleOrder(id, createdAt, { product_id: 9100 }), ...fromQuiz });
    expect((await orderLines(t, store, id)).map(({ bucket }) => bucket)).toEqual([
      "bought_not_shown",
      "shown_bought_later",
    ]);
    expect((await figures()).rows.map((row: { product_id: string }) => row.product_id)).toEqual([
      product(9101),
      product(9102),
    ]);
  });

  it("that renews a subscription is its buyer's, and no quiz's [orders.renewals]", async () => {
    await shop.take(1, [say("contact", "mail", "ann@example.com", { consent: true })]);
    for (const number of [0, 1]) await post("orders/create", renewalOrder(id + number, createdAt, "ann@example.com"));
    // a contact that comes later leads to no session either
    await shop.take(2, [say("contact", "mail", "bob@example.com", { consent: true })]);
    for (const number of [0, 1]) {
      const row = await orderRow(t, store, id + number);
      expect(row).toMatchObject({ session_id: null, matched_tier: "email", profile_tier: "email" });
      expect(row?.profile_id).not.toBeNull();
    }
    expect((await figures()).totals).toMatchObject({ orders: 0, revenue: eur("0.00") });
  });

  it("is taken whatever the shop sold it in: the buyer's currency, its own rooms [orders.content]", async () => {
    await shop.take(1, []);
    await post("orders/create", { ...foreignBuyerOrder(id, createdAt), ...fromQuiz });
    await post("orders/create", { ...posOrder(id + 10, createdAt), ...fromQuiz });
    const { totals } = await figures();
    expect(totals).toMatchObject({
      orders: 2,
      revenue: eur("118.50"),
      refunded: eur("30.00"),
      net_revenue: eur("88.50"),
    });
  });
});

describe("refunds", () => {
  const order = (more: object = {}) => ({
    ...fieldOrder({
      ...{ id, created_at: createdAt, total_price: "100.00" },
      line_items: [
        fieldLine({ id: id + 1, product_id: 9001, price: "60.00" }),
        fieldLine({ id: id + 2, product_id: 9002, price: "40.00" }),
      ],
    }),
    ...fromQuiz,
    ...more,
  });
  const first = () =>
    fieldRefund({
      ...{ id: 700_000_000_001, order_id: id, created_at: later(1) },
      lines: [{ line_item_id: id + 2, quantity: 1, subtotal: "40.00" }],
      transactions: [{ amount: "40.00" }],
    });
  // for the trouble, of no line
  const second = () =>
    fieldRefund({ id: 700_000_000_002, order_id: id, created_at: later(2), transactions: [{ amount: "5.00" }] });
  const refunded = () =>
    order({
      current_total_price: "60.00",
      updated_at: later(3),
      refunds: [first()],
      financial_status: "partially_refunded",
    });
  const revision = async () =>
    (
      await t.database
        .reader()
        .forStore(store.uuid)
        .first(sql<{ revision: number }>`SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`)
    )?.revision;

  it("stand beside revenue, whichever message brings them, in any order [orders.refunds, figures.refunds]", async () => {
    const messages: [string, () => unknown][] = [
      ["orders/create", order],
      ["refunds/create", first],
      ["refunds/create", second],
      ["orders/updated", refunded],
    ];
    for (const places of [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [1, 2, 0],
      [2, 3, 0],
      [1, 0, 0, 2, 1, 3, 3, 2],
    ]) {
      await openShop();
      await shop.take(1, []);
      for (const place of places) await post(messages[place]?.[0] ?? "", messages[place]?.[1]());
      const { totals, rows } = await figures();
      expect([places, totals.revenue, totals.refunded, totals.net_revenue]).toEqual([
        ...[places, eur("100.00"), eur("45.00"), eur("55.00")],
      ]);
      expect(rows).toMatchObject([
        { product_id: product(9001), units: 1, refunded: eur("0.00"), net_revenue: eur("60.00") },
        { product_id: product(9002), units: 1, refunded: eur("40.00"), net_revenue: eur("0.00") },
      ]);
    }
  });

  it("leave what people spent as it is, and change nothing when sent again [orders.refunds, orders.revision]", async () => {
    await shop.take(1, [say("contact", "mail", "ann@example.com", { consent: true })]);
    await post("orders/create", order());
    await post("refunds/create", first());
    const before = await revision();
    await post("refunds/create", first());
    await post("refunds/create", { ...second(), order_id: 1 });
    expect(await revision()).toBe(before);
    const { body } = await t.request("GET", "/v1/profiles?q=ann@example.com", { key: store.key });
    expect(body.data[0].spent).toEqual(eur("100.00"));
  });

  it("count once their payment succeeded [orders.refunds]", async () => {
    await shop.take(1, []);
    await post("orders/create", order());
    const pending = fieldRefund({
      ...{ id: 700_000_000_003, order_id: id, created_at: later(1) },
      transactions: [{ amount: "10.00", status: "pending" }],
    });
    await post("refunds/create", pending);
    expect((await figures()).totals.refunded).toEqual(eur("0.00"));
    const done = fieldRefund({
      id: 700_000_000_003,
      order_id: id,
      created_at: later(1),
      transactions: [{ amount: "10.00" }],
    });
    await post("orders/updated", order({ current_total_price: "90.00", updated_at: later(2), refunds: [done] }));
    expect((await figures()).totals).toMatchObject({ revenue: eur("100.00"), refunded: eur("10.00") });
  });

  it("are refused without their ids [orders.unreadable]", async () => {
    for (const [payload, field] of [
      [{ id: 4 }, "order_id"],
      [{ order_id: 4 }, "id"],
      [{ ...first(), transactions: [{ kind: "refund", status: "success", amount: "1,5" }] }, "transactions[0].amount"],
    ] as const) {
      const { status, body } = await postWebhook(t, store, { topic: "refunds/create", payload });
      expect([status, body.errors?.[0].field]).toEqual([422, `body.${field}`]);
    }
    const { status, body } = await postWebhook(t, store, { topic: "orders/delete", payload: {} });
    expect([status, body.errors[0].field]).toEqual([422, "body.id"]);
  });
});

describe("messages of one second", () => {
  it("count in the order in which they were sent [orders.newest]", async () => {
    const at = later(1);
    const order = (total: string) =>
      fieldOrder({ id, created_at: createdAt, updated_at: at, total_price: total, line_items: [] });
    const send = (total: string, ms: number) =>
      post("orders/updated", order(total), sentAt(`${at.slice(0, 19)}.${String(ms).padStart(3, "0")}041743Z`));
    for (const places of [
      [1, 2, 3],
      [3, 2, 1],
      [2, 3, 1],
    ]) {
      store = await t.store();
      for (const place of places) await send(`${place}.00`, place * 100);
      // one that does not say when it was sent replaces what is as new
      expect([places, (await orderRow(t, store, id))?.total]).toEqual([places, "3.00"]);
    }
    await post("orders/updated", order("9.00"));
    expect((await orderRow(t, store, id))?.total).toBe("9.00");
    await send("1.00", 100);
    expect((await orderRow(t, store, id))?.total).toBe("9.00");
  });

  it("are not shut out by a header from the future or of another form [orders.newest]", async () => {
    const order = (total: string) => fieldOrder({ id, created_at: createdAt, total_price: total, line_items: [] });
    await post("orders/updated", order("1.00"), sentAt("2999-01-01T00:00:00Z"));
    t.calendar.advance(1000);
    await post("orders/updated", order("2.00"), sentAt(new Date(t.calendar.now()).toISOString()));
    await post("orders/updated", order("3.00"), sentAt("soon"));
    expect((await orderRow(t, store, id))?.total).toBe("3.00");
  });
});
