import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { orderLines, orderRow, postWebhook, shopOrder, shopTime } from "../../testkit/commerce.ts";
import { type FinderShop, openFinderShop } from "../../testkit/finder-shop.ts";
import type { TestQuiz } from "../../testkit/quizzes.ts";
import { enter, finish, say } from "../../testkit/session-scripts.ts";
import { sessionId } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
let take: FinderShop["take"];
let now: number;
beforeAll(async () => {
  t = await openTestApp();
  now = t.calendar.now();
});
afterAll(() => t.close());
beforeEach(async () => {
  ({ store, quiz, take } = await openFinderShop(t));
});

const minute = 60_000;
const day = 1440 * minute;

const email = (value: string, seq?: number) =>
  say("contact", "mail", value, { consent: true, ...(seq === undefined ? {} : { seq }) });
const phone = (value: string) => say("contact", "phone", value);

const create = async (id: number, given: Parameters<typeof shopOrder>[2] = {}, at = now, topic = "orders/create") => {
  expect((await postWebhook(t, store, { topic, payload: shopOrder(id, at, given) })).status).toBe(200);
};
const inLine = (number: number) => ({ lines: [{ properties: [{ name: "_quiz_session", value: sessionId(number) }] }] });

const people = async (query = ""): Promise<Body[]> => {
  const answer = await t.request("GET", `/v1/profiles${query}`, { key: store.key });
  expect(answer.status).toBe(200);
  return answer.body.data;
};
const detail = async (id: string): Promise<Body> => {
  const answer = await t.request("GET", `/v1/profiles/${id}`, { key: store.key });
  expect(answer.status).toBe(200);
  return answer.body;
};
const only = async (): Promise<Body> => {
  const [person, ...others] = await people();
  expect(others).toEqual([]);
  return detail(person.id);
};

describe("a person's orders", () => {
  it("are shown with how they were matched and how long after the quiz [orders.figures, orders.minutes-after]", async () => {
    const finished = [
      enter("age"),
      say("age", "years", 30),
      enter("contact"),
      email("ann@example.com"),
      enter("result"),
      finish("result", { min: 10 }),
    ];
    await take(1, finished, { minutesAgo: 60 });
    await create(1, { ...inLine(1), total_price: "19.9", name: "#1001" }, now - 20 * minute - 30_000);
    await create(2, { email: "ann@example.com", total_price: "5", name: null }, now - 5 * minute);
    const person = await only();
    const first = {
      order_id: "gid://shopify/Order/1",
      order_name: "#1001",
      amount: { amount: "19.90", currency: "USD" },
      created_at: new Date(now - 20 * minute - 30_000).toISOString(),
      matched_tier: "line_item",
    };
    expect(person.orders).toEqual([
      expect.objectContaining({
        order_id: "gid://shopify/Order/2",
        order_name: null,
        matched_tier: "email",
        session_id: sessionId(1),
      }),
      { ...first, quiz_id: quiz.id, quiz_name: "Find your routine", session_id: sessionId(1) },
    ]);
    expect(person.sessions[0].order).toEqual({ ...first, minutes_after: 29 });
    expect(person).toMatchObject({
      orders_count: 2,
      spent: { amount: "24.90", currency: "USD" },
      last_order_at: new Date(now - 5 * minute).toISOString(),
    });
  });

  it("count minutes from the start of a session that was not completed before [orders.minutes-after]", async () => {
    await take(1, [email("ann@example.com")], { minutesAgo: 60 });
    await create(1, inLine(1), now - 15 * minute);
    expect((await only()).sessions[0].order.minutes_after).toBe(45);
  });

  it("are also those of a contact's holder without a session in the window [orders.holder]", async () => {
    await take(1, [email("ann@example.com")], { minutesAgo: 60 });
    await create(1, { email: "Ann@Example.com" }, now - day);
    await create(2, { email: "ann@example.com" }, now - 200 * day);
    const person = await only();
    expect(person.orders).toHaveLength(2);
    expect(person.orders[0]).toMatchObject({ matched_tier: "email", session_id: null, quiz_id: null, quiz_name: null });
    expect(person).toMatchObject({ orders_count: 2, sessions: [{ order: null }] });
  });

  it("are the contact's holder's where the session is nobody's [orders.holder]", async () => {
    await take(1, [email("ann@example.com")], { minutesAgo: 300 });
    await take(2, [], { minutesAgo: 30 });
    await create(1, { ...inLine(2), email: "ann@example.com" });
    const person = await only();
    expect(person.orders).toEqual([
      expect.objectContaining({ matched_tier: "email", session_id: null, quiz_id: null }),
    ]);
    expect(await orderRow(t, store, 1)).toMatchObject({ matched_tier: "line_item", profile_tier: "email" });
  });

  it("decide has_order of the list [orders.figures, people.filters]", async () => {
    await take(1, [email("ann@example.com")]);
    await take(2, [email("bob@example.com")]);
    await create(1, { email: "bob@example.com" });
    const emails = async (query: string) => (await people(query)).map((person) => person.email);
    expect(await emails("?has_order=true")).toEqual(["bob@example.com"]);
    expect(await emails("?has_order=false")).toEqual(["ann@example.com"]);
  });
});

describe("an erased person's orders", () => {
  it("keep session, person and buckets for good, and bring no contact back [erasure.orders]", async () => {
    await take(1, [email("ann@example.com")]);
    await create(1, { email: "ann@example.com", total_price: "10.00" });
    await create(2, { ...inLine(1), email: "ann@example.com" });
    const before = [await orderRow(t, store, 1), await orderRow(t, store, 2)];
    const payload = { customer: { id: 1, email: "ann@example.com", phone: null }, orders_to_redact: [1] };
    expect((await postWebhook(t, store, { topic: "customers/redact", payload })).status).toBe(200);
    await take(1, [enter("age", "next", { seq: 50 })], { minutesAgo: 3, part: 1 });
    expect([await orderRow(t, store, 1), await orderRow(t, store, 2)]).toEqual(before);
    const later = { email: "ann@example.com", updated_at: shopTime(now + minute) };
    await create(1, { ...later, total_price: "11.00" }, now, "orders/updated");
    await create(2, { ...later, ...inLine(1) }, now, "orders/updated");
    expect([await orderRow(t, store, 1), await orderRow(t, store, 2)]).toEqual([
      { ...before[0], total: "11.00" },
      before[1],
    ]);
    expect((await orderLines(t, store, 1)).map((line) => line.bucket)).toEqual(["bought_not_shown"]);
    const keys = await t.database
      .reader()
      .forStore(store.uuid)
      .all<object>(sql`SELECT tier FROM order_keys WHERE store_id = ${ownStore}`);
    expect(keys).toEqual([{ tier: "line_item" }]);
    await take(2, [email("ann@example.com")]);
    expect(await only()).toMatchObject({ orders_count: 0, orders: [] });
  });
});

describe("money", () => {
  it("is added exactly, in the store's currency alone; other currencies count as orders [orders.currencies]", async () => {
    await take(1, [email("ann@example.com")]);
    for (let id = 1; id <= 10; id += 1) await create(id, { email: "ann@example.com", total_price: "0.10" });
    await create(11, { email: "ann@example.com", total_price: "1250", currency: "JPY" });
    const person = await only();
    expect(person).toMatchObject({ orders_count: 11, spent: { amount: "1.00", currency: "USD" } });
    expect(person.orders.map((order: Body) => order.amount)).toContainEqual({ amount: "1250", currency: "JPY" });
  });

  it("follows the last total sent; refunds are not taken off [orders.newest]", async () => {
    await take(1, [email("ann@example.com")]);
    await create(1, { email: "ann@example.com", total_price: "10.00" });
    const later = { email: "ann@example.com", updated_at: shopTime(now + minute) };
    const transactions = [{ kind: "refund", status: "success", amount: "9.00" }];
    const refunds = {
      refunds: [{ id: 1, transactions }],
      current_total_price: "3.00",
      financial_status: "partially_refunded",
    };
    await create(1, { ...later, ...refunds, total_price: "12.00" }, now, "orders/updated");
    expect(await only()).toMatchObject({ orders_count: 1, spent: { amount: "12.00" } });
  });

  it("of cancelled orders counts nowhere, nor do they [orders.cancelled, orders.figures]", async () => {
    await take(1, [email("ann@example.com")]);
    await create(1, { ...inLine(1), total_price: "10.00" });
    await create(2, { ...inLine(1), total_price: "4.00" }, now - 2 * day);
    expect(await only()).toMatchObject({ orders_count: 1 });
    const cancelled = { ...inLine(1), updated_at: shopTime(now + minute), cancelled_at: shopTime(now + minute) };
    await create(1, cancelled, now, "orders/cancelled");
    expect(await only()).toMatchObject({
      orders_count: 0,
      spent: { amount: "0.00" },
      last_order_at: null,
      orders: [],
      sessions: [{ order: null }],
    });
  });

  it("is counted again when the shop's currency changes [orders.currencies]", async () => {
    await take(1, [email("ann@example.com")]);
    await create(1, { email: "ann@example.com", total_price: "10.00" });
    await create(2, { email: "ann@example.com", total_price: "7.00", currency: "CAD" });
    await postWebhook(t, store, { topic: "shop/update", payload: { currency: "CAD" } });
    t.passTime(60_000);
    expect(await only()).toMatchObject({ orders_count: 2, spent: { amount: "7.00", currency: "CAD" } });
  });
});

describe("orders that come before what they belong to", () => {
  it("are matched when the contact arrives [orders.rematch]", async () => {
    await create(1, { email: "ann@example.com", total_price: "10.00" });
    await take(1, [], { minutesAgo: 60 });
    expect(await orderRow(t, store, 1)).toMatchObject({ matched_tier: null, profile_id: null });
    await take(1, [email("ann@example.com", 20)], { minutesAgo: 5, part: 1 });
    expect(await only()).toMatchObject({
      orders_count: 1,
      spent: { amount: "10.00" },
      orders: [{ matched_tier: "email", session_id: sessionId(1) }],
      sessions: [{ order: { order_id: "gid://shopify/Order/1" } }],
    });
  });

  it("are matched when the session arrives, and again when a better one does [orders.rematch]", async () => {
    await create(1, { ...inLine(2), email: "ann@example.com" });
    await take(1, [email("ann@example.com")]);
    expect(await only()).toMatchObject({ orders: [{ matched_tier: "email", session_id: sessionId(1) }] });
    await take(2, [email("ann@example.com")], { minutesAgo: 90 });
    expect(await only()).toMatchObject({ orders: [{ matched_tier: "line_item", session_id: sessionId(2) }] });
  });

  it("pass to whom the session passes, and to nobody when its contact is taken back [orders.rematch]", async () => {
    await take(1, [email("ann@example.com")]);
    await create(1, inLine(1));
    expect(await only()).toMatchObject({ orders_count: 1 });
    await take(1, [say("contact", "mail", null, { seq: 20 })], { minutesAgo: 5, part: 1 });
    expect(await people()).toEqual([]);
    expect(await orderRow(t, store, 1)).toMatchObject({
      matched_tier: "line_item",
      profile_id: null,
      profile_tier: null,
    });
    await take(1, [email("bob@example.com", 30)], { minutesAgo: 4, part: 2 });
    expect(await only()).toMatchObject({ orders_count: 1, orders: [{ session_id: sessionId(1) }] });
  });

  it("follow people who are merged, with and without a session [orders.rematch]", async () => {
    await take(1, [phone("+12025550123")], { minutesAgo: 300 });
    await take(2, [email("ann@example.com")], { minutesAgo: 200 });
    await create(1, { ...inLine(1), total_price: "1.00" });
    await create(2, { phone: "+12025550123", total_price: "2.00" }, now - 200 * day);
    await create(3, { email: "ann@example.com", total_price: "4.00" });
    expect((await people()).map((person) => person.orders_count).sort()).toEqual([1, 2]);
    await take(3, [phone("+12025550123"), email("ann@example.com")], { minutesAgo: 100, visitor: 1 });
    const person = await only();
    expect(person).toMatchObject({ orders_count: 3, spent: { amount: "7.00" } });
    expect(person.orders.map((order: Body) => [order.matched_tier, order.session_id])).toEqual([
      ["email", sessionId(3)],
      ["line_item", sessionId(1)],
      ["phone", null],
    ]);
  });
});

describe("an order that carries the contacts of two people", () => {
  const both = { email: "ann@example.com", phone: "+12025550123" };
  const twoPeople = async () => {
    await take(1, [phone("+12025550123")], { minutesAgo: 300 });
    await take(2, [email("ann@example.com")], { minutesAgo: 200 });
    const [withEmail, withPhone] = [await idOf("ann@example.com"), await idOf("+12025550123")];
    expect(withEmail).not.toBe(withPhone);
    return { withEmail, withPhone };
  };
  const idOf = async (contact: string) =>
    (await people()).find((person) => person.email === contact || person.phone === contact)?.id;
  const meet = () => take(3, [email("ann@example.com"), phone("+12025550123")], { minutesAgo: 100 });
  const updates = () =>
    t.database
      .reader()
      .forStore(store.uuid)
      .all<{ session_id: string | null; profile_id: string }>(
        sql`SELECT session_id, profile_id FROM outbox WHERE store_id = ${ownStore} AND topic = 'profile.updated'`,
      );

  it("makes them one that somebody typed together before it came, and tells of it without a session [people.order-confirms]", async () => {
    const { withEmail } = await twoPeople();
    await meet();
    expect(await people()).toHaveLength(2);
    await create(1, { ...both, total_price: "5.00" });
    const person = await only();
    expect(person).toMatchObject({ id: withEmail, sessions_count: 3, orders_count: 1, spent: { amount: "5.00" } });
    expect(person.identities.map(({ value }: Body) => value)).toEqual(["ann@example.com", "+12025550123"]);
    expect((await updates()).map(({ session_id }) => session_id)).toEqual([null]);
    await create(1, { ...both, updated_at: shopTime(now + minute) }, now, "orders/updated");
    expect(await updates()).toHaveLength(1);
  });

  it("makes them one when somebody types both after it came [people.order-confirms]", async () => {
    const { withEmail } = await twoPeople();
    await create(1, both);
    expect(await people()).toHaveLength(2);
    await meet();
    expect(await only()).toMatchObject({ id: withEmail, sessions_count: 3, orders_count: 1 });
  });

  it("leaves two people who never met in a session [people.order-confirms]", async () => {
    const { withPhone } = await twoPeople();
    await create(1, both);
    await create(2, { phone: both.phone });
    expect(await people()).toHaveLength(2);
    expect((await detail(withPhone)).orders).toMatchObject([{ order_id: "gid://shopify/Order/2" }]);
  });
});
