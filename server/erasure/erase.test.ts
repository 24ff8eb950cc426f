import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { orderRow, postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { backUp, erasePersonIn, replayIn, restore, toolsOf, verifyIn } from "../../testkit/erasure.ts";
import { type FinderShop, openFinderShop } from "../../testkit/finder-shop.ts";
import { enter, finish, say } from "../../testkit/session-scripts.ts";
import { countRows, sessionId, sessionRow, visitorId } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { erasePeopleByContact, erasePerson } from "./erase.ts";
import { eraseStore } from "./erase-store.ts";

let t: TestApp;
let store: TestStore;
let take: FinderShop["take"];
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  ({ store, take } = await openFinderShop(t));
});

const email = (value: string, more = {}) => say("contact", "mail", value, { consent: true, ...more });
const phone = (value: string, more = {}) => say("contact", "phone", value, more);
const remark = (value: string, more = {}) => say("contact", "remark", value, more);

const people = async (): Promise<Body[]> => (await t.request("GET", "/v1/profiles", { key: store.key })).body.data;
const personOf = async (address: string): Promise<string> => (await people()).find((one) => one.email === address)?.id;
const row = (number: number) => sessionRow(t, store, sessionId(number));
const events = (number: number) =>
  t.database
    .reader()
    .forStore(store.uuid)
    .all<{ data: Body; type: string }>(
      sql`SELECT e.type, e.data FROM session_events e WHERE store_id = ${ownStore} AND session_id = ${sessionId(number).slice(5)} ORDER BY seq`,
    );
const ledger = () => readFileSync(join(t.foundations.config.dataDir, "erasures.ndjson"), "utf8");
const redact = (given: { emails?: string[]; phones?: string[]; orderIds?: string[] }) => {
  const contacts = { emails: [], phones: [], orderIds: [], ...given };
  return t.database.transaction((tx) =>
    erasePeopleByContact(tx.forStore(store.uuid), toolsOf(t), contacts, { by: "test" }),
  );
};

describe("erasing a person", () => {
  it("takes contacts and free text away everywhere and keeps every count [erasure.person, erasure.answers, erasure.counts]", async () => {
    await take(1, [
      email("Ann@X.example"),
      phone("+4915112345678"),
      remark("my secret remark"),
      enter("age"),
      say("age", "years", 34),
    ]);
    await take(2, [email("bob@y.example")]);
    const before = await row(1);
    const id = await personOf("ann@x.example");
    const erasure = await erasePersonIn(t, store, id);
    expect(erasure).toMatchObject({ scope: "people", session_ids: [before?.id] });

    expect((await people()).map((one) => one.email)).toEqual(["bob@y.example"]);
    expect((await t.request("GET", `/v1/profiles/${id}`, { key: store.key })).status).toBe(404);
    const after = await row(1);
    expect(after?.profile_id).toBe(before?.profile_id);
    expect(after?.state.answers.map(({ component_key }) => component_key)).toEqual(["skin_type", "years"]);
    expect(after?.state.contacts).toEqual([]);
    const { fold: _, ...rest } = before?.state ?? {};
    expect({ ...after?.state, answers: [], contacts: [] }).toEqual({ ...rest, answers: [], contacts: [] });
    expect(after?.state.answered_count).toBe(5);
    const typed = (await events(1)).filter(({ type }) => type === "answer_saved").map(({ data }) => data);
    expect(typed[1]).toEqual({ page_key: "contact", component_key: "mail", consent: true, erased: true, usable: true });
    expect(typed.filter(({ erased }) => erased)).toHaveLength(3);
    expect(await countRows(t, store, "profiles")).toBe(2);
    expect(await countRows(t, store, "captures")).toBe(1);

    const found = await verifyIn(t, store, id, ["ann@x.example", "+4915112345678", "0151 12345678", "secret"]);
    expect(found).toMatchObject({ ok: true, found: [] });
    expect(found.checked.map(({ place }) => place)).toContain("session_events.data");
  });

  it("keeps an erased session's counts when it is reduced again, and lets a new contact make a new person [erasure.counts, erasure.afterwards]", async () => {
    await take(1, [email("ann@x.example"), remark("secret")]);
    const id = await personOf("ann@x.example");
    await erasePersonIn(t, store, id);
    await take(1, [enter("result", "next", { seq: 20, min: 1 }), finish("result", { seq: 21, min: 1 })], { part: 1 });
    expect(await row(1)).toMatchObject({ state: { answered_count: 3, contacts: [] } });
    expect(await people()).toEqual([]);
    await take(1, [email("ann@x.example", { seq: 30, min: 2 })], { part: 2 });
    const [again] = await people();
    expect(again).toMatchObject({ email: "ann@x.example", sessions_count: 1 });
    expect(again.id).not.toBe(id);
    expect((await row(1))?.state.answers.map(({ kind }) => kind)).not.toContain("text");
  });

  it("finds the contact in other people's sessions, and leaves theirs [erasure.other-sessions]", async () => {
    await take(1, [email("ann@x.example"), phone("+4915112345678")]);
    await take(2, [email("bob@y.example"), remark("ask my sister ANN@x.example"), phone("+491709999999")]);
    await take(3, [email("joann@x.example"), remark("call 0151 / 123 456 78")], {
      session: { utm: { term: "ann%40x.example" } },
    });
    await take(4, [email("ann@x.example"), email("bob@y.example")]);
    const id = await personOf("ann@x.example");
    await erasePersonIn(t, store, id);
    expect((await people()).map((one) => one.email).sort()).toEqual(["bob@y.example", "joann@x.example"]);
    expect((await row(2))?.state.answers.map(({ kind }) => kind)).toEqual(["choice", "email", "phone"]);
    expect((await row(3))?.utm_source).toBeNull();
    // part of another address, which stays
    expect((await verifyIn(t, store, id, ["ann@x.example"])).found).toEqual([]);
    const { found } = await verifyIn(t, store, id, ["joann@x.example", "OANN@"]);
    expect(found).toContainEqual({ place: "identities.value", found: 1, what: "contact" });
    expect(found).toContainEqual({ place: "session_events.data", found: 1, what: "value" });
  });
});

describe("what others keep of people", () => {
  it("empties events that were or will be handed to the webhooks [erasure.events]", async () => {
    await take(1, [email("ann@x.example"), phone("+4915112345678")]);
    const before = await countRows(t, store, "outbox");
    await erasePersonIn(t, store, await personOf("ann@x.example"));
    const rows = await t.database
      .reader()
      .forStore(store.uuid)
      .all<{ topic: string; data: Body; due_at: Date | null }>(
        sql`SELECT topic, data, due_at FROM outbox WHERE store_id = ${ownStore} AND topic NOT LIKE 'quiz.%'`,
      );
    expect(await countRows(t, store, "outbox")).toBe(before);
    expect(rows.length).toBeGreaterThan(1);
    for (const one of rows) expect(one).toMatchObject({ data: { erased: true }, due_at: null });
  });

  it("takes contacts out of orders, which keep session, person and amount [erasure.orders]", async () => {
    await take(1, [email("ann@x.example")]);
    const id = await personOf("ann@x.example");
    await postWebhook(t, store, {
      topic: "orders/create",
      payload: shopOrder(7, t.calendar.now(), { email: "Ann@x.example" }),
    });
    const before = await orderRow(t, store, 7);
    expect(before).toMatchObject({ matched_tier: "email" });
    await erasePersonIn(t, store, id);
    expect(await orderRow(t, store, 7)).toEqual(before);
    // neither a later event of the session nor the order sent again changes that
    await take(1, [enter("result", "next", { seq: 20, min: 1 })], { part: 1 });
    const again = shopOrder(7, t.calendar.now(), { email: "Ann@x.example" });
    await postWebhook(t, store, { topic: "orders/updated", payload: again });
    expect(await orderRow(t, store, 7)).toEqual(before);
    expect((await verifyIn(t, store, id, ["ann@x.example"])).found).toEqual([]);
  });

  it("wants every columnar copy gone, and says so until it is [erasure.copies]", async () => {
    await take(1, [email("ann@x.example")]);
    const id = await personOf("ann@x.example");
    const db = t.database.reader();
    const node = "00000000-0000-4000-8000-000000000001";
    await db
      .forStore(store.uuid)
      .all(
        sql`INSERT INTO facts_copies (store_id, node, slot, revision, seen_at) VALUES (${ownStore}, ${node}, 1, 1000, ${new Date(t.calendar.now())})`,
      );
    await erasePersonIn(t, store, id);
    expect((await verifyIn(t, store, id)).found).toEqual([{ place: `copy ${node}/1`, found: 1, what: "copy" }]);
    await db.forStore(store.uuid).all(sql`DELETE FROM facts_copies WHERE store_id = ${ownStore}`);
    expect(await verifyIn(t, store, id)).toMatchObject({ ok: true });
  });

  it("names what it does not search, and why [erasure.verify]", async () => {
    await take(1, [email("ann@x.example")]);
    const id = await personOf("ann@x.example");
    await erasePersonIn(t, store, id);
    const { left_out } = await verifyIn(t, store, id);
    expect(left_out).toContainEqual({ place: "api_keys.admin", why: "accounts of the shop's staff" });
    expect(left_out).toContainEqual({ place: "quiz_history.admin", why: "accounts of the shop's staff" });
  });

  it("finds what is left in files [erasure.verify]", async () => {
    await take(1, [email("ann@x.example"), phone("+4915112345678")]);
    const id = await personOf("ann@x.example");
    await erasePersonIn(t, store, id);
    const file = join(t.foundations.config.dataDir, "left.csv");
    writeFileSync(file, `${"x".repeat(1 << 20)}\n"Ann@X.example",12`);
    expect((await verifyIn(t, store, id)).found).toEqual([{ place: "data/left.csv", found: 1, what: "contact" }]);
    writeFileSync(file, "phone;+49 151 12345678\n");
    expect((await verifyIn(t, store, id)).found).toEqual([{ place: "data/left.csv", found: 1, what: "contact" }]);
    writeFileSync(file, "");
  });

  it("writes no contact into log or ledger [erasure.ledger]", async () => {
    await take(1, [email("canary@x.example"), phone("+4915187654321"), remark("canary remark")]);
    await erasePersonIn(t, store, await personOf("canary@x.example"));
    expect(ledger() + t.logged.join("\n")).not.toMatch(/canary|15187654321/);
  });
});

describe("people by contact", () => {
  it("erases whoever holds the email or phone, and contacts that nobody holds [erasure.redacted-customer]", async () => {
    await take(1, [email("ann@x.example")]);
    await take(2, [phone("+4915112345678")]);
    await take(3, [email("typo@x.example"), email("carl@z.example")]);
    await redact({ emails: ["ann@x.example", "typo@x.example"], phones: ["+4915112345678"] });
    expect((await people()).map((one) => one.email)).toEqual(["carl@z.example"]);
    expect((await row(3))?.state).toMatchObject({ contacts: [{ value: "carl@z.example" }], answered_count: 2 });
    expect(await redact({})).toBeNull();
  });

  it("comes with the platform's webhook, and erases who bought the orders it names [erasure.redacted-orders]", async () => {
    await take(1, [email("ann@x.example")]);
    const lines = [{ properties: [{ name: "_quiz_session", value: sessionId(1) }] }];
    const payload = shopOrder(9, t.calendar.now(), { email: "other@x.example", lines });
    await postWebhook(t, store, { topic: "orders/create", payload });
    const id = await personOf("ann@x.example");
    await postWebhook(t, store, {
      topic: "customers/redact",
      payload: { customer: { id: 1, email: "Other@x.example", phone: null }, orders_to_redact: [9] },
    });
    expect(await people()).toEqual([]);
    expect((await verifyIn(t, store, id, ["ann@x.example", "other@x.example"])).found).toEqual([]);
  });

  it("erases of a person with other contacts the listed ones alone, and what hangs on them alone [erasure.redacted-customer]", async () => {
    await take(1, [email("ann@x.example"), phone("+4915112345678"), remark("stays with both")]);
    await take(2, [phone("+4915112345678"), remark("hangs on the phone")]);
    await take(3, [email("ann@x.example"), remark("hangs on the email")]);
    const given = { phone: "+4915112345678", total_price: "5.00" };
    await postWebhook(t, store, { topic: "orders/create", payload: shopOrder(7, t.calendar.now(), given) });
    const order = await orderRow(t, store, 7);
    const id = await personOf("ann@x.example");
    const payload = { customer: { id: 1, email: null, phone: "+49 151 12345678" }, orders_to_redact: [] };
    expect((await postWebhook(t, store, { topic: "customers/redact", payload })).status).toBe(200);

    const { body } = await t.request("GET", `/v1/profiles/${id}`, { key: store.key });
    expect(body).toMatchObject({ identities: [{ value: "ann@x.example", consent: true }], orders_count: 1 });
    expect(body.sessions_count).toBe(3);
    const remarks = async (number: number) =>
      (await row(number))?.state.answers.filter(({ kind }) => kind === "text").length;
    expect([await remarks(1), await remarks(2), await remarks(3)]).toEqual([1, 0, 1]);
    const values = ["+4915112345678", "0151 12345678", "hangs on the phone"];
    const left = JSON.stringify([...(await backUp(t, store))]);
    expect(values.filter((value) => left.includes(value))).toEqual([]);
    // neither the order sent again nor the session going on brings it back, or moves the order
    const again = { ...given, updated_at: new Date(t.calendar.now() + 60_000).toISOString() };
    await postWebhook(t, store, { topic: "orders/updated", payload: shopOrder(7, t.calendar.now(), again) });
    await take(3, [enter("result", "next", { seq: 20, min: 1 })], { part: 1 });
    expect(await orderRow(t, store, 7)).toEqual(order);
    expect((await people()).map((one) => [one.email, one.phone, one.orders_count])).toEqual([
      ["ann@x.example", null, 1],
    ]);
  });

  it("leaves a person alone to whose email somebody else typed a phone [erasure.redacted-customer]", async () => {
    await take(1, [email("ann@x.example"), remark("of Ann")]);
    await take(2, [email("ann@x.example"), phone("+4915112345678"), remark("of a stranger")]);
    const before = await events(1);
    const payload = { customer: { id: 1, email: null, phone: "+4915112345678" }, orders_to_redact: [] };
    await postWebhook(t, store, { topic: "customers/redact", payload });
    expect((await people()).map((one) => [one.email, one.phone])).toEqual([["ann@x.example", null]]);
    expect(await events(1)).toEqual(before);
  });

  it("leaves the people alone whose contacts somebody typed in the session of an order [erasure.redacted-orders]", async () => {
    await take(1, [email("ann@x.example")]);
    await take(2, [email("ann@x.example"), remark("of a stranger")]);
    const lines = [{ properties: [{ name: "_quiz_session", value: sessionId(2) }] }];
    const payload = shopOrder(9, t.calendar.now(), { email: "stranger@x.example", lines });
    await postWebhook(t, store, { topic: "orders/create", payload });
    await postWebhook(t, store, {
      topic: "customers/redact",
      payload: { customer: { id: 1, email: "stranger@x.example", phone: null }, orders_to_redact: [9] },
    });
    expect((await people()).map((one) => one.email)).toEqual(["ann@x.example"]);
  });

  it("changes no revision where nothing is found [erasure.nothing-found]", async () => {
    const before = await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql`SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`);
    expect(await redact({ emails: ["nobody@x.example"] })).toMatchObject({ profile_ids: [] });
    const after = await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql`SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`);
    expect(after).toEqual(before);
  });
});

describe("the whole store", () => {
  it("deletes its rows in every table, and nothing of another store [erasure.redacted-shop]", async () => {
    await take(1, [email("ann@x.example")]);
    const other = store;
    ({ store, take } = await openFinderShop(t));
    await take(1, [email("ann@x.example")]);
    await postWebhook(t, store, {
      topic: "orders/create",
      payload: shopOrder(7, t.calendar.now(), { email: "ann@x.example" }),
    });
    expect((await postWebhook(t, store, { topic: "shop/redact", payload: { shop_id: 1 } })).status).toBe(200);
    const left = [...(await backUp(t, store))].filter(([, rows]) => rows.length > 0).map(([name]) => name);
    expect(left).toEqual([
      "api_keys",
      "changes",
      "commerce_deliveries",
      "commerce_requests",
      "erasures",
      "store_revisions",
    ]);
    expect((await t.request("GET", "/v1/profiles", { key: store.key })).status).toBe(401);
    store = other;
    expect((await people()).map((one) => one.email)).toEqual(["ann@x.example"]);
  });

  it("is erased again after the restore of a backup [erasure.restore, erasure.redacted-shop]", async () => {
    await take(1, [email("ann@x.example")]);
    const backup = await backUp(t, store);
    await t.database.transaction((tx) => eraseStore(tx, store.uuid, toolsOf(t), { by: "test" }));
    await restore(t, store, backup);
    expect(await countRows(t, store, "sessions")).toBe(1);
    expect(await replayIn(t)).toMatchObject({ replayed: 1, stores_erased: 1 });
    expect(await countRows(t, store, "sessions")).toBe(0);
    expect(await replayIn(t)).toMatchObject({ replayed: 0, noted: 0 });
  });
});

describe("the ledger", () => {
  it("erases again whom a restored backup brings back, merged people too [erasure.restore]", async () => {
    await take(1, [email("ann@x.example"), remark("secret")]);
    await take(2, [phone("+4915112345678"), remark("another secret")]);
    await take(5, [email("bob@y.example")]);
    const backup = await backUp(t, store);
    // two people become one
    const visitor_id = visitorId(2);
    await take(3, [email("ann@x.example"), phone("+4915112345678")], { session: { visitor_id } });
    const id = await personOf("ann@x.example");
    await erasePersonIn(t, store, id);
    await restore(t, store, backup);
    expect(await people()).toHaveLength(3);
    expect(await replayIn(t)).toMatchObject({ replayed: 1, people_erased: 2 });
    expect((await people()).map((one) => one.email)).toEqual(["bob@y.example"]);
    const values = ["ann@x.example", "+4915112345678", "secret"];
    expect(await verifyIn(t, store, id, values)).toMatchObject({ ok: true, found: [] });
    expect(await replayIn(t)).toMatchObject({ replayed: 0 });
  });

  it("leaves a person who held one of the contacts before, but not what they no longer hold [erasure.restore]", async () => {
    await take(1, [email("bob@y.example"), phone("+4915112345678")]);
    const backup = await backUp(t, store);
    // the phone goes to the person who left it with an email
    await take(1, [phone("+491701111111", { seq: 20 })], { part: 1 });
    await take(2, [email("ann@x.example"), phone("+4915112345678")], { session: { visitor_id: visitorId(1) } });
    await erasePersonIn(t, store, await personOf("ann@x.example"));
    await restore(t, store, backup);
    await replayIn(t);
    expect(await people()).toMatchObject([{ email: "bob@y.example", phone: null }]);
    expect((await row(1))?.state.contacts).toMatchObject([{ kind: "email" }]);
  });

  it("is written to the file where only the database knew, and survives a line cut short [erasure.ledger]", async () => {
    await take(1, [email("ann@x.example")]);
    await erasePersonIn(t, store, await personOf("ann@x.example"));
    const file = join(t.foundations.config.dataDir, "erasures.ndjson");
    const lines = ledger().trim().split("\n");
    writeFileSync(file, lines.at(-1)?.slice(0, 40) ?? "");
    const replayed = await replayIn(t);
    expect(replayed).toMatchObject({ replayed: 0, broken_lines: 1 });
    expect(replayed.noted).toBeGreaterThan(0);
    expect(await replayIn(t)).toMatchObject({ replayed: 0, noted: 0, broken_lines: 1 });
  });

  it("takes nothing away when the transaction fails, and completes it at the next start [erasure.interrupted]", async () => {
    await take(1, [email("ann@x.example")]);
    const id = await personOf("ann@x.example");
    const failing = {
      ...toolsOf(t),
      erasers: [{ name: "broken", forgetPeople: () => Promise.reject(new Error("broken")) }],
    };
    const uuid = (await row(1))?.profile_id ?? "";
    await expect(
      t.database.transaction((tx) => erasePerson(tx.forStore(store.uuid), failing, uuid, { by: "test" })),
    ).rejects.toThrow("broken");
    expect(await people()).toHaveLength(1);
    await expect(
      t.database.transaction(async (tx) => {
        await erasePerson(tx.forStore(store.uuid), toolsOf(t), uuid, { by: "test" });
        throw new Error("at the commit");
      }),
    ).rejects.toThrow("at the commit");
    expect(await people()).toHaveLength(1);
    await replayIn(t);
    expect(await people()).toEqual([]);
    expect(await erasePersonIn(t, store, id)).toBeNull();
  });
});
