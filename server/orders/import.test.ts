import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { orderRow, postWebhook, shopOrder, shopTime } from "../../testkit/commerce.ts";
import { countRows } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { importOrders } from "./ingest.ts";
import { parsePlatformJson } from "./payload.ts";

let t: TestApp;
let store: TestStore;
let now: number;
beforeAll(async () => {
  t = await openTestApp();
  now = t.calendar.now();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store({ currency: "EUR" });
});

const take = (...payloads: unknown[]) => {
  const context = { now, random: randomBytes };
  return t.database.transaction((tx) => importOrders(tx.forStore(store.uuid), { currency: "EUR" }, payloads, context));
};

describe("imported orders", () => {
  it("are taken like webhooks; test orders and what cannot be read keep nobody out [orders.import]", async () => {
    const answer = await take(
      shopOrder(1, now),
      { name: "no id" },
      shopOrder(2, now, { test: true }),
      null,
      shopOrder(3, now),
    );
    const detail = "id must be the id of an order";
    expect(answer).toEqual({
      orders: 2,
      ignored: 1,
      refused: [
        { index: 1, detail },
        { index: 3, detail },
      ],
    });
    expect(await orderRow(t, store, 3)).toMatchObject({ total: "34.50", currency: "USD" });
    expect(await countRows(t, store, "outbox")).toBe(0);
  });

  it("count once however often they come, the newest of a file and of before [orders.newest, orders.import]", async () => {
    const at = (minutes: number, total_price: string) =>
      shopOrder(1, now, { updated_at: shopTime(now + minutes * 60_000), total_price });
    expect(await take(at(1, "1.00"), at(3, "3.00"), at(2, "2.00"))).toMatchObject({ orders: 1, ignored: 2 });
    expect(await take(at(2, "2.00"))).toMatchObject({ orders: 0, ignored: 1 });
    await postWebhook(t, store, { topic: "orders/updated", payload: at(4, "4.00") });
    expect(await take(at(3, "3.00"))).toMatchObject({ orders: 0 });
    expect(await orderRow(t, store, 1)).toMatchObject({ total: "4.00" });
    expect(await countRows(t, store, "orders")).toBe(1);
    expect(await countRows(t, store, "order_lines")).toBe(1);
  });

  it("keep every digit of a line of a file [orders.digits]", async () => {
    await take(
      parsePlatformJson('{"id": 820982911946154508, "total_price": 0.10, "created_at": "2026-01-01T00:00:00+05:45"}'),
    );
    expect(await orderRow(t, store, "820982911946154508")).toMatchObject({
      total: "0.10",
      currency: "EUR",
      created_at: new Date("2025-12-31T18:15:00.000Z"),
    });
  });

  it("of nobody leave the store's revision raised once, of nothing as it was [orders.revision]", async () => {
    const revision = () =>
      t.database
        .reader()
        .forStore(store.uuid)
        .first<{ revision: number }>(sql`SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`);
    await take(shopOrder(1, now), shopOrder(2, now));
    expect(await revision()).toEqual({ revision: 1 });
    await take();
    await take(shopOrder(3, now, { test: true }));
    expect(await revision()).toEqual({ revision: 1 });
  });
});
