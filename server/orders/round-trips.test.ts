import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, requester, type TestApp } from "../../testkit/app.ts";
import { postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { openProxy } from "../../testkit/proxy.ts";
import { Database } from "../platform/database/database.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

/** each way, ms: what is sent without waiting for an answer arrives before it */
const delay = 60;

it("an order holds its store's lock for few round trips to the database [orders.turns]", async () => {
  const store = await t.store();
  const far = await openProxy(t.connection);
  const database = new Database({
    ...{ connection: { ...t.connection, host: "127.0.0.1", port: far.port }, size: 1, log: t.foundations.log },
  });
  const app = t.compose({ database });
  const poster = { request: requester(app), database: t.database };
  const take = async (number: number) => {
    const payload = shopOrder(number, t.calendar.now(), { lines: [{ product_id: 1 }, { product_id: 2 }] });
    const before = far.roundTrips;
    expect((await postWebhook(poster, store, { topic: "orders/create", payload })).status).toBe(200);
    return far.roundTrips - before;
  };
  // what is looked up once
  for (const number of [1, 2]) await take(number);
  far.delay(delay);
  const trips = await take(3);
  far.delay(0);
  // three of them before the lock: the shop, BEGIN, and whether the message was applied before; there were 14
  expect(trips).toBeLessThan(12);
  await app.close();
  await database.close();
  await far.close();
});
