import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { type Eraser, recordRequest } from "./requests.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
});
afterAll(() => t.close());

it("has redactions done in the transaction that records them, and keeps nothing of the person [orders.privacy-requests]", async () => {
  const people: object[] = [];
  const stores: string[] = [];
  const eraser: Eraser = {
    erasePeople: async (_tx, contacts) => void people.push(contacts),
    eraseStore: async (_transaction, storeId) => void stores.push(storeId),
  };
  const context = { now: t.calendar.now(), random: randomBytes, eraser };
  const payload = { customer: { email: "ann@example.com", phone: "+12025550123" }, orders_to_redact: [5] };
  await t.database.transaction(async (tx) => {
    for (const topic of ["customers/redact", "customers/data_request", "shop/redact"]) {
      await recordRequest(tx.forStore(store.uuid), { topic, payload }, { ...context, transaction: tx });
    }
  });
  const contacts = { emails: ["ann@example.com"], phones: ["+12025550123"] };
  const subject = { ...contacts, order_ids: ["gid://shopify/Order/5"] };
  expect(people).toEqual([{ ...contacts, orderIds: subject.order_ids }]);
  expect(stores).toEqual([store.uuid]);
  const rows = await t.database
    .reader()
    .forStore(store.uuid)
    .all<object>(
      sql`SELECT topic, subject, done_at FROM commerce_requests WHERE store_id = ${ownStore} ORDER BY topic`,
    );
  const done = new Date(t.calendar.now());
  expect(rows).toEqual([
    { topic: "customers/data_request", subject, done_at: null },
    { topic: "customers/redact", subject: null, done_at: done },
    { topic: "shop/redact", subject: null, done_at: done },
  ]);
});
