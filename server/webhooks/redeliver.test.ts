import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { createEndpoint, putDelivery, rowOf } from "../../testkit/endpoints.ts";

/** Deliveries as they are listed, sent again and pinged [webhooks.deliveries, webhooks.redeliver, webhooks.ping]. */

let t: TestApp;
let store: TestStore;
let id: string;
let woken: number;
beforeAll(async () => {
  t = await openTestApp();
  t.database.onAnnounced(() => {
    woken += 1;
  });
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  t.calendar.advance(60_000);
  ({ id } = await createEndpoint(t, store));
  woken = 0;
});

const post = (path: string, body: object = {}, key = store.key) =>
  t.request("POST", `/v1/webhooks/${id}/${path}`, { key, body });
const redeliver = (delivery: string) => post(`deliveries/${delivery}/redeliver`);
const list = async (query = "", key = store.key): Promise<Body> =>
  (await t.request("GET", `/v1/webhooks/${id}/deliveries${query}`, { key })).body;
const now = () => new Date(t.calendar.now());
const fresh = { status: "pending", attempts: 0, delivered_at: null };
const cleared = { last_status_code: null, last_response: null, last_error: null };

describe("GET /v1/webhooks/{endpoint_id}/deliveries", () => {
  it("lists newest first with the payload as signed, a page at a time [webhooks.deliveries, api.paging]", async () => {
    const made: string[] = [];
    for (const age of [9_000, 7_000, 7_000, 5_000, 1_000]) made.unshift(await putDelivery(t, store, id, { age }));
    const { data, has_more } = await list();
    expect([data.length, has_more]).toEqual([5, false]);
    expect(data[0]).toEqual({
      id: made[0],
      endpoint_id: id,
      event_id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      topic: "quiz.published",
      status: "delivered",
      attempts: 1,
      created_at: new Date(t.calendar.now() - 1_000).toISOString(),
      next_attempt_at: new Date(t.calendar.now() - 1_000).toISOString(),
      delivered_at: new Date(t.calendar.now() - 1_000).toISOString(),
      last_status_code: 200,
      last_response: "ok",
      last_error: null,
      payload: JSON.parse(String((await rowOf(t, store, made[0] ?? ""))["payload"])),
    });
    const seen: string[] = [];
    let page = await list("?limit=2");
    for (;;) {
      seen.push(...page.data.map((each: Body) => each.id));
      if (!page.has_more) break;
      await putDelivery(t, store, id);
      page = await list(`?limit=2&cursor=${page.next_cursor}`);
    }
    expect(seen).toEqual(data.map((each: Body) => each.id));
    const other = await createEndpoint(t, store);
    const { next_cursor } = await list("?limit=1");
    const strange = await t.request("GET", `/v1/webhooks/${other.id}/deliveries?limit=1&cursor=${next_cursor}`, {
      key: store.key,
    });
    expect([strange.status, strange.body.errors[0].field]).toEqual([422, "query.cursor"]);
  });

  it("shows payloads with contacts, and what receivers said to them, only to keys with profiles:read [webhooks.deliveries]", async () => {
    ({ id } = await createEndpoint(t, store, { include_pii: true, topics: ["quiz.finished"] }));
    const object = { identities: [{ kind: "email", value: "ann@example.com" }] };
    await putDelivery(t, store, id, { topic: "quiz.finished", object, last_response: "thanks, ann@example.com" });
    await putDelivery(t, store, id, { topic: "quiz.published", object: { quiz_name: "Skin" } });
    const whole = (await list()).data as Body[];
    expect(whole.find(({ topic }) => topic === "quiz.finished").payload.data.object).toEqual(object);
    const narrow = (await list("", await t.key(store, ["webhooks:manage"]))).data as Body[];
    expect(JSON.stringify(narrow)).not.toContain("ann@");
    const finished = narrow.find(({ topic }) => topic === "quiz.finished");
    expect(finished).toMatchObject({ payload: null, last_response: null });
    expect(narrow.find(({ topic }) => topic === "quiz.published").payload.data.object).toEqual({ quiz_name: "Skin" });
  });
});

describe("POST /v1/webhooks/{endpoint_id}/deliveries/{delivery_id}/redeliver", () => {
  it.for(["delivered", "dead", "retrying"])(
    "queues a %s one anew, as the same delivery and event [webhooks.redeliver, api.success-codes]",
    async (status) => {
      const delivery = await putDelivery(t, store, id, { status, attempts: 8, age: 3_600_000, last_error: "HTTP 500" });
      const before = (await list()).data[0];
      const answer = await redeliver(delivery);
      const at = now().toISOString();
      expect([answer.status, answer.body]).toEqual([202, { ...before, ...fresh, ...cleared, next_attempt_at: at }]);
      expect((await list()).data).toEqual([answer.body]);
      expect((await rowOf(t, store, id))["next_due_at"]).toEqual(now());
      expect(woken).toBe(1);
      t.calendar.advance(1_000);
      expect((await redeliver(delivery)).body).toEqual(answer.body);
      expect(woken).toBe(1);
    },
  );

  it("shows no contact to another key that repeats it [webhooks.deliveries, api.idempotency-kept]", async () => {
    ({ id } = await createEndpoint(t, store, { include_pii: true, topics: ["quiz.finished", "quiz.published"] }));
    const lacking = await t.key(store, ["webhooks:manage"]);
    const object = { identities: [{ kind: "email", value: "ann@example.com" }] };
    for (const [topic, more, status] of [
      ["quiz.finished", { object }, 403],
      ["quiz.published", { object: { quiz_name: "Skin" } }, 202],
    ] as const) {
      const delivery = await putDelivery(t, store, id, { status: "dead", topic, ...more });
      const path = `/v1/webhooks/${id}/deliveries/${delivery}/redeliver`;
      const headers = { "idempotency-key": `again-${topic}` };
      const first = await t.request("POST", path, { key: store.key, headers });
      expect([first.status, first.body.payload.data.object]).toEqual([202, more.object]);
      const repeat = await t.request("POST", path, { key: lacking, headers });
      expect([topic, repeat.status, repeat.text.includes("ann@")]).toEqual([topic, status, false]);
      expect((await t.request("POST", path, { key: store.key, headers })).text).toBe(first.text);
    }
  });

  it.for(["pending", "delivering"])("leaves a %s one as it is [webhooks.redeliver]", async (status) => {
    const delivery = await putDelivery(t, store, id, { status, attempts: 4 });
    const before = await rowOf(t, store, delivery);
    const answer = await redeliver(delivery);
    expect([answer.status, answer.body.status, answer.body.attempts]).toEqual([202, status, 4]);
    expect(await rowOf(t, store, delivery)).toEqual(before);
  });

  it("refuses what was skipped while the plan was paused [webhooks.paused-plan]", async () => {
    const delivery = await putDelivery(t, store, id, { status: "dead", last_error: "plan_paused" });
    const answer = await redeliver(delivery);
    expect([answer.status, answer.body.title]).toEqual([409, "webhook_conflict"]);
    expect(await rowOf(t, store, delivery)).toMatchObject({ status: "dead", last_error: "plan_paused" });
  });

  it("repeats with a key change nothing twice [api.idempotency]", async () => {
    const delivery = await putDelivery(t, store, id, { status: "dead" });
    const options = { key: store.key, headers: { "idempotency-key": "again" } };
    const path = `/v1/webhooks/${id}/deliveries/${delivery}/redeliver`;
    const first = await t.request("POST", path, options);
    t.calendar.advance(5_000);
    const second = await t.request("POST", path, options);
    expect([second.status, second.text, second.headers["idempotent-replayed"]]).toEqual([202, first.text, "true"]);
  });
});

describe("POST /v1/webhooks/{endpoint_id}/redeliver-failed", () => {
  const hour = 3_600_000;
  const since = (age: number) => new Date(t.calendar.now() - age).toISOString();

  it("queues what is dead and was made since, but for what a paused plan skipped [webhooks.redeliver-failed, webhooks.paused-plan]", async () => {
    const dead = { status: "dead", attempts: 8, last_error: "HTTP 500" };
    const old = await putDelivery(t, store, id, { ...dead, age: 3 * hour });
    const exact = await putDelivery(t, store, id, { ...dead, age: 2 * hour });
    const recent = await putDelivery(t, store, id, { ...dead, age: hour });
    const skipped = await putDelivery(t, store, id, { ...dead, last_error: "plan_paused" });
    const disabled = await putDelivery(t, store, id, { ...dead, last_error: "endpoint_disabled" });
    const others = [];
    for (const status of ["delivered", "retrying", "pending", "delivering"]) {
      others.push(await putDelivery(t, store, id, { status, attempts: 2 }));
    }
    const elsewhere = await createEndpoint(t, store);
    const foreign = await putDelivery(t, store, elsewhere.id, dead);
    const answer = await post("redeliver-failed", { since: since(2 * hour) });
    expect([answer.status, answer.body]).toEqual([202, { queued: 3 }]);
    for (const delivery of [exact, recent, disabled]) {
      expect(await rowOf(t, store, delivery)).toMatchObject({ ...fresh, ...cleared, next_attempt_at: now() });
    }
    for (const delivery of [old, skipped, foreign]) {
      expect(await rowOf(t, store, delivery)).toMatchObject({ status: "dead", attempts: 8 });
    }
    for (const delivery of others) expect(await rowOf(t, store, delivery)).toMatchObject({ attempts: 2 });
    expect((await rowOf(t, store, id))["next_due_at"]).toEqual(now());
    expect(woken).toBe(1);
    expect((await post("redeliver-failed", { since: since(2 * hour) })).body).toEqual({ queued: 0 });
    expect((await post("redeliver-failed", { since: since(9 * hour) })).body).toEqual({ queued: 1 });
  });

  it("takes any RFC 3339 time, whatever its offset [webhooks.redeliver-failed]", async () => {
    const at = new Date(t.calendar.now() - hour);
    await putDelivery(t, store, id, { status: "dead", age: hour });
    const inTokyo = `${new Date(at.getTime() + 9 * hour).toISOString().slice(0, -1)}+09:00`;
    expect((await post("redeliver-failed", { since: inTokyo })).body).toEqual({ queued: 1 });
    expect((await post("redeliver-failed", { since: since(-hour) })).body).toEqual({ queued: 0 });
  });

  it.for([
    {},
    { since: null },
    { since: "2026-03-10" },
    { since: "2026-02-30T00:00:00Z" },
    { since: "yesterday" },
    { since: 0 },
  ])("refuses %o [api.validation]", async (body) => {
    const answer = await post("redeliver-failed", body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "body.since"]);
  });
});

describe("POST /v1/webhooks/{endpoint_id}/ping", () => {
  it("queues a delivery of topic ping for the endpoint, which no feed lists [webhooks.ping]", async () => {
    const answer = await post("ping");
    const at = now().toISOString();
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^whd_[0-9a-f]{32}$/),
      endpoint_id: id,
      event_id: answer.body.payload.id,
      topic: "ping",
      ...fresh,
      ...cleared,
      created_at: at,
      next_attempt_at: at,
      payload: {
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        type: "ping",
        created: at,
        api_version: "v1",
        data: { object: { endpoint_id: id } },
      },
    });
    expect((await list()).data).toEqual([answer.body]);
    expect((await rowOf(t, store, id))["next_due_at"]).toEqual(now());
    expect(woken).toBe(1);
    expect((await t.request("GET", "/v1/events", { key: store.key })).body.data).toEqual([]);
    expect((await post("ping")).body.id).not.toBe(answer.body.id);
  });

  it("shows its payload to a key without profiles:read too [webhooks.ping]", async () => {
    ({ id } = await createEndpoint(t, store, { include_pii: true }));
    const answer = await post("ping", {}, await t.key(store, ["webhooks:manage"]));
    expect(answer.body.payload.data.object).toEqual({ endpoint_id: id });
  });
});
