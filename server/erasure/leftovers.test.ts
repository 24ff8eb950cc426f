import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { orderLines, postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { deliveriesOf, handOverDue } from "../../testkit/deliveries.ts";
import { createEndpoint } from "../../testkit/endpoints.ts";
import { backUp, erasePersonIn, replayIn, restore, verifyIn } from "../../testkit/erasure.ts";
import { askExport, completeExport, exportRow } from "../../testkit/exports.ts";
import { type FinderShop, openFinderShop } from "../../testkit/finder-shop.ts";
import { finish, say } from "../../testkit/session-scripts.ts";
import { sessionId, sessionRow } from "../../testkit/storefront.ts";
import { ownStore, sql } from "../platform/database/sql.ts";

/** What erasures left before: contacts in columns and copies that nobody thought of. */

let t: TestApp;
let store: TestStore;
let take: FinderShop["take"];
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  ({ store, take } = await openFinderShop(t));
  t.passTime(60_000);
});

const email = (value: string, more = {}) => say("contact", "mail", value, { consent: true, ...more });
const phone = (value: string, more = {}) => say("contact", "phone", value, more);
const personOf = async (address: string): Promise<string> => {
  const { body } = await t.request("GET", `/v1/profiles?q=${encodeURIComponent(address)}`, { key: store.key });
  return body.data[0]?.id;
};
const inStore = () => t.database.reader().forStore(store.uuid);
const everything = async () => JSON.stringify([...(await backUp(t, store))]);

const berlin = "+49309011558";
const link = {
  page_url: "https://shop.example/for/%2B49%2030%209011558/sale",
  placement: "sms 030 9011558",
  utm: {
    source: "sms",
    medium: "030/9011558",
    campaign: "0049-30-9011558",
    content: "４９３０９０１１５５８",
    term: berlin,
  },
};

describe("a phone in the link that opened a session", () => {
  it("goes from the session, whoever it belongs to, and from its deliveries, sent again too [erasure.other-sessions, erasure.events]", async () => {
    const topics = ["quiz.started", "quiz.finished"];
    const { id: endpoint } = await createEndpoint(t, store, { topics, include_pii: false });
    await take(1, [email("ann@x.example"), phone(berlin), finish("result")], { session: link });
    await take(2, [email("bob@y.example"), finish("result")], { session: link });
    t.calendar.advance(60_000);
    await handOverDue(t);
    await inStore().all(sql`UPDATE webhook_deliveries SET status = 'dead' WHERE store_id = ${ownStore}`);
    const ann = await personOf("ann@x.example");
    await erasePersonIn(t, store, ann);
    for (const number of [1, 2]) {
      const row: Body = await sessionRow(t, store, sessionId(number));
      const { page_url, placement, utm_source, utm_medium, utm_campaign, utm_content, utm_term } = row;
      expect([page_url, placement, utm_medium, utm_campaign, utm_content, utm_term]).toEqual(Array(6).fill(null));
      expect(utm_source).toBe("sms");
    }
    const again = await t.request("POST", `/v1/webhooks/${endpoint}/redeliver-failed`, {
      key: store.key,
      body: { since: "2020-01-01T00:00:00Z" },
    });
    expect(again.body.queued).toBeGreaterThanOrEqual(4);
    for (const { payload } of await deliveriesOf(t, store)) expect(payload).not.toMatch(/9011558|９０１１/);
    expect(await verifyIn(t, store, ann, [berlin])).toMatchObject({ ok: true, found: [] });
  });

  it("is shown by no figures that were cached before [erasure.cached-figures]", async () => {
    const quizzes = await t.request("GET", "/v1/quizzes", { key: store.key });
    const path = `/v1/quizzes/${quizzes.body.data[0].id}/analytics/traffic?by=utm_medium`;
    const session = { utm: { medium: "to 030 9011558" } };
    await take(1, [email("ann@x.example"), phone(berlin)], { session });
    const mediums = async () => JSON.stringify((await t.request("GET", path, { key: store.key })).body.rows);
    expect(await mediums()).toContain("9011558");
    await erasePersonIn(t, store, await personOf("ann@x.example"));
    t.passTime(5_000);
    expect(await mediums()).not.toContain("9011558");
  });

  it("is found by a verification when it is left, and goes again with a restored backup [erasure.verify, erasure.restore]", async () => {
    await take(1, [email("ann@x.example"), phone(berlin)]);
    await take(2, [email("bob@y.example")], { session: link });
    const ann = await personOf("ann@x.example");
    const backup = await backUp(t, store);
    await erasePersonIn(t, store, ann);
    await inStore().all(sql`
      UPDATE sessions SET utm_term = '030 / 901 15 58' WHERE store_id = ${ownStore} AND id = ${sessionId(2).slice(5)}`);
    expect((await verifyIn(t, store, ann)).found).toEqual([{ place: "sessions.utm_term", found: 1, what: "contact" }]);
    await restore(t, store, backup);
    await replayIn(t);
    expect(await everything()).not.toMatch(/9011558/);
    expect(await verifyIn(t, store, ann, [berlin])).toMatchObject({ ok: true, found: [] });
  });

  it("goes from what the device was called [erasure.other-sessions]", async () => {
    const session = { client_hints: { platform: "Android", model: "Ann 030 9011558", mobile: true } };
    await createEndpoint(t, store, { topics: ["quiz.started"], include_pii: true });
    await take(1, [email("ann@x.example"), phone(berlin)]);
    await take(2, [email("bob@y.example"), finish("result")], { session });
    t.calendar.advance(60_000);
    await handOverDue(t);
    expect((await deliveriesOf(t, store)).map(({ payload }) => payload).join()).toContain("9011558");
    const ann = await personOf("ann@x.example");
    await erasePersonIn(t, store, ann);
    expect((await sessionRow(t, store, sessionId(2)))?.device).toMatchObject({ model: null, os: "Android" });
    expect(await everything()).not.toMatch(/9011558/);
    expect(await verifyIn(t, store, ann, [berlin])).toMatchObject({ ok: true });
  });
});

/** Whose remark contains the value. */
const searchFor = (quiz_id: string, value: string) => {
  const term = { quiz_id, kind: "text", page_key: "contact", component_key: "remark", op: "contains", value };
  return { groups: [{ all: [term] }] };
};

describe("a contact that an export searched for", () => {
  const find = async (value: string, headers = {}, dataset = "profiles") => {
    const quizzes = await t.request("GET", "/v1/quizzes", { key: store.key });
    const search = searchFor(quizzes.body.data[0].id, value);
    return t.request("POST", "/v1/exports", { key: store.key, body: { dataset, search }, headers });
  };

  it("is named no more in the list, events, deliveries and repeated responses [erasure.exports, erasure.replays]", async () => {
    await createEndpoint(t, store, { topics: ["export.completed"], include_pii: false });
    await take(1, [email("ann@x.example"), phone(berlin)]);
    const headers = { "idempotency-key": "an-export" };
    const asked = await find("ann@x.example", headers);
    expect(asked.status).toBe(202);
    await completeExport(t, store, asked.body.id);
    await handOverDue(t);
    expect((await deliveriesOf(t, store))[0]?.payload).toContain("ann@x.example");
    const other = await find("bob@y.example", { "idempotency-key": "another" }, "responses");
    const ann = await personOf("ann@x.example");
    await erasePersonIn(t, store, ann);

    const list = await t.request("GET", "/v1/exports", { key: store.key });
    expect(list.text).not.toContain("ann@x.example");
    expect(list.text).toContain("bob@y.example");
    const repeated = await find("ann@x.example", headers);
    expect([repeated.status, repeated.headers["idempotent-replayed"]]).toEqual([202, "true"]);
    expect(repeated.text).not.toContain("ann@x.example");
    expect((await find("bob@y.example", { "idempotency-key": "another" }, "responses")).text).toBe(other.text);
    expect(await everything()).not.toContain("ann@x.example");
    const found = await verifyIn(t, store, ann, ["ann@x.example"]);
    expect(found).toMatchObject({ ok: true, found: [] });
    expect(found.checked.map(({ place }) => place)).toContain("idempotency_keys.answer");
  });

  it("ends one that is waiting, which would find nobody now [erasure.exports]", async () => {
    await take(1, [email("ann@x.example"), phone(berlin)]);
    const asked = await find("ann@x.example");
    const [ann] = [await personOf("ann@x.example"), await askExport(t, store, { dataset: "responses" })];
    await erasePersonIn(t, store, ann);
    expect(await exportRow(t, store, asked.body.id)).toMatchObject({ status: "failed", due_at: expect.anything() });
    expect((await t.request("GET", `/v1/exports/${asked.body.id}`, { key: store.key })).text).not.toContain("ann@");
  });

  it("is found in a repeated answer when it is left there [erasure.verify]", async () => {
    await take(1, [email("ann@x.example")]);
    const ann = await personOf("ann@x.example");
    await erasePersonIn(t, store, ann);
    await find("ann@x.example", { "idempotency-key": "afterwards" });
    const places = (await verifyIn(t, store, ann)).found.map(({ place }) => place);
    expect(places.sort()).toEqual(["exports.filters", "idempotency_keys.answer"]);
  });
});

describe("what orders and the platform brought", () => {
  it("loses a contact in the title of a line, in anybody's order, for good [erasure.orders]", async () => {
    await take(1, [email("ann@x.example"), phone(berlin)]);
    const lines = [{ title: "Card for Ann@X.example" }, { title: "Cream 50 ml" }, { title: "Call +49 30 901 15 58" }];
    const payload = shopOrder(7, t.calendar.now(), { email: "bob@y.example", lines });
    await postWebhook(t, store, { topic: "orders/create", payload });
    const ann = await personOf("ann@x.example");
    await erasePersonIn(t, store, ann);
    const titles = async () => (await orderLines(t, store, 7)).map(({ title }) => title);
    expect(await titles()).toEqual(["[erased]", "Cream 50 ml", "[erased]"]);
    const updated_at = new Date(t.calendar.now() + 60_000).toISOString();
    const again = shopOrder(7, t.calendar.now(), { email: "bob@y.example", lines, updated_at });
    await postWebhook(t, store, { topic: "orders/updated", payload: again });
    expect(await titles()).toEqual(["[erased]", "Cream 50 ml", "[erased]"]);
    expect(await verifyIn(t, store, ann, [berlin, "ann@x.example"])).toMatchObject({ ok: true, found: [] });
  });

  it("loses from a waiting request the contacts that only an order tied to the person [erasure.orders]", async () => {
    await take(1, [email("ann@x.example")]);
    const payload = shopOrder(7, t.calendar.now(), { email: "ann@x.example", phone: berlin });
    await postWebhook(t, store, { topic: "orders/create", payload });
    const request = (customer: object) =>
      postWebhook(t, store, { topic: "customers/data_request", payload: { customer, orders_requested: [7] } });
    await request({ id: 1, email: null, phone: "+49 30 9011558" });
    t.calendar.advance(1_000);
    await request({ id: 2, email: "carl@z.example", phone: null });
    const ann = await personOf("ann@x.example");
    await erasePersonIn(t, store, ann);
    const rows = await inStore().all<{ subject: Body }>(
      sql`SELECT subject FROM commerce_requests WHERE store_id = ${ownStore} ORDER BY received_at, id`,
    );
    const kept = { order_ids: ["gid://shopify/Order/7"] };
    expect(rows.map(({ subject }) => subject)).toEqual([
      { emails: [], phones: [], ...kept },
      { emails: ["carl@z.example"], phones: [], ...kept },
    ]);
    expect(await verifyIn(t, store, ann, [berlin])).toMatchObject({ ok: true, found: [] });
  });

  it("leaves another person's contact that stands in the person's order [erasure.orders]", async () => {
    await take(1, [email("ann@x.example")]);
    await take(2, [phone(berlin)]);
    const payload = shopOrder(7, t.calendar.now(), { email: "ann@x.example", phone: berlin });
    await postWebhook(t, store, { topic: "orders/create", payload });
    await postWebhook(t, store, {
      topic: "customers/data_request",
      payload: { customer: { id: 1, email: null, phone: berlin }, orders_requested: [] },
    });
    await erasePersonIn(t, store, await personOf("ann@x.example"));
    const [row] = await inStore().all<{ subject: Body }>(
      sql`SELECT subject FROM commerce_requests WHERE store_id = ${ownStore}`,
    );
    expect(row?.subject.phones).toEqual([berlin]);
    expect(await personOf(berlin)).toBeDefined();
  });
});
