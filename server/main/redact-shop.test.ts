import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { domainOf, postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { createStore, reconnectStore } from "../stores/admin.ts";

let t: TestApp;
let store: TestStore;
let now: number;
beforeAll(async () => {
  t = await openTestApp();
  now = t.calendar.now();
  store = await t.store();
});
afterAll(() => t.close());

const post = (topic: string, payload: unknown) => postWebhook(t, store, { topic, payload });
const first = (sql: string) => t.database.reader().first<object>({ sql, parameters: [store.uuid] });

it("shop/redact frees the shop's domain, so that the shop can be connected anew [erasure.redacted-shop]", async () => {
  const domain = await domainOf(t, store);
  expect((await post("shop/redact", { shop_domain: domain })).status).toBe(200);
  expect(await first("SELECT name, disconnected_at FROM stores WHERE id = $1")).toEqual({
    name: "",
    disconnected_at: new Date(now),
  });
  const again = { name: "Back again", shopDomain: domain, plan: "plus", timezone: "UTC", currency: "USD" };
  const made = await t.database.transaction((tx) => createStore(tx, t.foundations, again));
  const order = { topic: "orders/create", payload: shopOrder(1, now), domain };
  expect((await postWebhook(t, store, order)).status).toBe(401);
  expect((await postWebhook(t, store, { ...order, secret: made.commerce_secret })).status).toBe(200);
  // the old one is nobody's, under whatever name
  const freed = await domainOf(t, store);
  expect((await postWebhook(t, store, { ...order, domain: freed })).status).toBe(401);
  await expect(t.database.transaction((tx) => reconnectStore(tx, store.uuid))).rejects.toThrow("store create");
});
