import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { testStoreOperations } from "../../contract/test-stores.ts";
import { type Body, openTestApp, type TestApp } from "../../testkit/app.ts";
import { postWebhook, shopOrder } from "../../testkit/commerce.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { leaveContact, settleTwin, type Twin, twinOf } from "../../testkit/test-twins.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { createKey, disconnectStore, listStores, updateStore } from "./admin.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const day = 86_400;
const hour = 3_600;

let twin: Twin;
beforeEach(async () => {
  twin = await settleTwin(t);
});

const ask = (method: string, path: string, key: string, body?: object) => t.request(method, path, { key, body });
const clock = async (key = twin.key): Promise<Body> => (await ask("GET", "/v1/test/clock", key)).body;
const move = (body: object, key = twin.key) => ask("POST", "/v1/test/clock", key, body);

describe("keys of a test twin [test-stores.keys]", () => {
  it("begin with svc_test_, are listed with the store's, and open the twin alone", async () => {
    expect(twin.key).toMatch(/^svc_test_[0-9A-Za-z]{36}$/);
    const quiz = await makeQuiz(t, twin.live);
    const list = await ask("GET", "/v1/quizzes", twin.key);
    expect([list.status, list.body.data]).toEqual([200, []]);
    expect((await ask("GET", `/v1/quizzes/${quiz.id}`, twin.key)).status).toBe(404);
    const own = await makeQuiz(t, twin);
    expect((await ask("GET", `/v1/quizzes/${own.id}`, twin.key)).status).toBe(200);
    expect((await ask("GET", `/v1/quizzes/${own.id}`, twin.live.key)).status).toBe(404);
    const rows = await t.database
      .reader()
      .forStore(twin.live.uuid)
      .all<{ head: string }>(sql`SELECT head FROM api_keys WHERE store_id = ${ownStore} ORDER BY created_at, id`);
    expect(rows.map(({ head }) => head.slice(0, 9)).toSorted()).toEqual(["svc_live_", "svc_test_"]);
  });

  it("alone are taken by /v1/test", async () => {
    for (const { method, path } of testStoreOperations) {
      const given = method === "POST" ? { advance_seconds: 1 } : undefined;
      const { status, body } = await ask(method, path, twin.live.key, given);
      expect([method, status, body.title]).toEqual([method, 403, "test_key_required"]);
    }
    expect(await clock()).toMatchObject({ ahead_seconds: 0, store_id: twin.id, publishable_key: twin.publishableKey });
  });

  it("of one store share its one twin, and end with it", async () => {
    const again = await twinOf(t, twin.live);
    expect([again.id, again.key === twin.key]).toEqual([twin.id, false]);
    await t.database.transaction((tx) => disconnectStore(tx, t.foundations, twin.live.uuid));
    t.api.gate.invalidate();
    for (const key of [twin.key, again.key, twin.live.key])
      expect((await ask("GET", "/v1/store", key)).body.title).toBe("invalid_api_key");
    const served = await t.request("GET", `/storefront/v1/quizzes?store=${twin.publishableKey}`);
    expect(served.status).toBe(404);
  });
});

describe("a test twin", () => {
  it("is a store like its own, by no list of stores [test-stores.twin]", async () => {
    const read = async (key: string) => (await ask("GET", "/v1/store", key)).body;
    const [own, live] = [await read(twin.key), await read(twin.live.key)];
    expect({ ...own, scopes: [] }).toEqual({ ...live, shop_domain: `test.${live.shop_domain}`, scopes: [] });
    await t.database.transaction((tx) => updateStore(tx, twin.live.uuid, { plan: "plus", timezone: "Asia/Tokyo" }));
    t.api.gate.invalidate();
    expect(await read(twin.key)).toMatchObject({ plan_class: "plus", timezone: "Asia/Tokyo" });
    const listed = (await listStores(t.database.reader())).map(({ store_id }) => store_id);
    expect([listed.includes(twin.live.id), listed.includes(twin.id)]).toEqual([true, false]);
  });

  it("tells its store nothing of its people and orders, nor hears of the store's [test-stores.apart]", async () => {
    await leaveContact(t, twin, "tried@example.com");
    await leaveContact(t, twin.live, "real@example.com");
    const order = shopOrder(1, t.calendar.now(), { email: "real@example.com" });
    expect((await postWebhook(t, twin.live, { topic: "orders/create", payload: order })).status).toBe(200);
    const people = async (key: string) =>
      (await ask("GET", "/v1/profiles", key)).body.data.map(({ email, orders_count }: Body) => [email, orders_count]);
    expect(await people(twin.key)).toEqual([["tried@example.com", 0]]);
    expect(await people(twin.live.key)).toEqual([["real@example.com", 1]]);
    const views = async (key: string) => (await ask("GET", "/v1/analytics/overview", key)).body.totals.views;
    expect([await views(twin.key), await views(twin.live.key)]).toEqual([1, 1]);
    const used = async (key: string) => (await ask("GET", "/v1/store", key)).body.credits.used;
    expect([await used(twin.key), await used(twin.live.key)]).toEqual([1, 1]);
    const events = async (key: string) => (await ask("GET", "/v1/events", key)).body.data.length;
    expect([(await events(twin.key)) > 0, (await events(twin.live.key)) > 0]).toEqual([true, true]);
  });
});

describe("the clock of a test twin [test-stores.clock]", () => {
  it("moves forward by seconds or to a time, and what is stored then is of that time", async () => {
    const now = t.calendar.now();
    const { status, body } = await move({ advance_seconds: 5 * day });
    expect([status, body.ahead_seconds]).toEqual([200, 5 * day]);
    expect(Date.parse(body.now)).toBe(now + 5 * day * 1_000);
    const to = new Date(now + 6 * day * 1_000).toISOString();
    expect((await move({ to })).body).toMatchObject({ now: to, ahead_seconds: 6 * day });
    const url = `https://hooks.example.com/${twin.uuid}`;
    const made = await ask("POST", "/v1/webhooks", twin.key, { url, topics: ["quiz.finished"] });
    expect(made.body.created_at).toBe(to);
    const live = await ask("POST", "/v1/webhooks", twin.live.key, { url, topics: ["quiz.finished"] });
    expect(Date.parse(live.body.created_at)).toBe(now);
    t.calendar.advance(1_000);
    expect(Date.parse((await clock()).now)).toBe(Date.parse(to) + 1_000);
  });

  it("is the time of shoppers' events, of both stores at once", async () => {
    await move({ advance_seconds: 5 * day });
    await Promise.all([leaveContact(t, twin, "later@example.com"), leaveContact(t, twin.live, "now@example.com")]);
    const seen = async (key: string) => Date.parse((await ask("GET", "/v1/profiles", key)).body.data[0].last_seen_at);
    const [later, now] = [await seen(twin.key), await seen(twin.live.key)];
    expect(Math.abs(later - now - 5 * day * 1_000)).toBeLessThan(60_000);
  });

  it("never goes back, nor too far", async () => {
    await move({ advance_seconds: day });
    const now = (await clock()).now;
    const wrong: [object, string][] = [
      [{}, "body.advance_seconds"],
      [{ advance_seconds: 0 }, "body.advance_seconds"],
      [{ advance_seconds: -5 }, "body.advance_seconds"],
      [{ advance_seconds: 1.5 }, "body.advance_seconds"],
      [{ advance_seconds: 366 * day + 1 }, "body.advance_seconds"],
      [{ advance_seconds: 5, to: "2040-01-01T00:00:00.000Z" }, "body.to"],
      [{ to: new Date(Date.parse(now) - 1).toISOString() }, "body.to"],
      [{ to: "2090-01-01T00:00:00.000Z" }, "body.to"],
      [{ to: "tomorrow" }, "body.to"],
    ];
    for (const [body, field] of wrong) {
      const answer = await move(body);
      expect([body, answer.status, answer.body.errors?.[0].field]).toEqual([body, 422, field]);
    }
    expect((await clock()).now).toBe(now);
    for (let years = 0; years < 9; years += 1) expect((await move({ advance_seconds: 366 * day })).status).toBe(200);
    expect((await move({ advance_seconds: 366 * day })).status).toBe(422);
  });

  it("moves once where a request is sent again, and adds up where several come at once", async () => {
    const headers = { "idempotency-key": "move-once" };
    const body = { advance_seconds: 5 * day };
    const first = await t.request("POST", "/v1/test/clock", { key: twin.key, body, headers });
    const second = await t.request("POST", "/v1/test/clock", { key: twin.key, body, headers });
    expect([second.headers["idempotent-replayed"], second.body]).toEqual(["true", first.body]);
    expect((await clock()).ahead_seconds).toBe(5 * day);
    await Promise.all(Array.from({ length: 5 }, () => move({ advance_seconds: hour })));
    expect((await clock()).ahead_seconds).toBe(5 * day + 5 * hour);
  });

  it("is moved while the twin is emptied, as if before it [test-stores.emptied]", async () => {
    for (let round = 0; round < 5; round += 1) {
      const moves = Array.from({ length: 8 }, () => move({ advance_seconds: hour }));
      const [emptied, ...moved] = await Promise.all([ask("DELETE", "/v1/test/data", twin.key), ...moves]);
      expect([emptied.status, ...moved.map(({ status }) => status)]).toEqual([204, ...moves.map(() => 200)]);
    }
  });

  it("ends no key", async () => {
    const expires = new Date(t.calendar.now() + 2 * day * 1_000).toISOString();
    const given = { test: true, expires };
    const { key } = await t.database.transaction((tx) => createKey(tx, t.foundations, twin.live.uuid, given));
    await move({ advance_seconds: 5 * day });
    expect((await ask("GET", "/v1/store", key)).status).toBe(200);
  });
});
