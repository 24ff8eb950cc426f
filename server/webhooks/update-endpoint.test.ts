import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { createEndpoint, newUrl, putDelivery, rowOf } from "../../testkit/endpoints.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  t.calendar.advance(60_000);
});

const patch = (id: string, body: unknown, key = store.key) => t.request("PATCH", `/v1/webhooks/${id}`, { key, body });
const get = async (id: string): Promise<Body> =>
  (await t.request("GET", `/v1/webhooks/${id}`, { key: store.key })).body;
const now = () => new Date(t.calendar.now()).toISOString();

/** As a worker leaves an endpoint that has failed for long. */
async function failing(id: string): Promise<void> {
  const { uuid } = store;
  const at = new Date(t.calendar.now() - 1_000);
  await t.database.transaction((tx) =>
    tx.all(sql`UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'failing', disabled_at = ${at},
              failing_since = ${at}, paused_until = ${at} WHERE store_id = ${uuid}`),
  );
  expect(await get(id)).toMatchObject({
    status: "disabled",
    disabled_reason: "failing",
    failing_since: at.toISOString(),
  });
}

describe("PATCH /v1/webhooks/{endpoint_id}", () => {
  it("changes what is given and leaves the rest; null means all quizzes and no description [webhooks.update]", async () => {
    const quiz = await makeQuiz(t, store);
    const { secret: _, ...made } = await createEndpoint(t, store, { description: "CRM", quiz_ids: [quiz.id] });
    t.calendar.advance(5_000);
    const steps = [
      { topics: ["quiz.finished", "quiz.started"] },
      { url: newUrl() },
      { include_pii: true },
      { topics: ["identity.captured"] },
      { description: "other", quiz_ids: null },
      { description: null, quiz_ids: [quiz.id] },
      { status: "disabled" },
    ];
    let expected = made;
    for (const step of steps) {
      t.calendar.advance(1_000);
      const off = "status" in step ? { disabled_reason: "manual", disabled_at: now() } : {};
      expected = { ...expected, ...step, ...off, updated_at: now() };
      const answer = await patch(made.id, step);
      expect([answer.status, answer.body]).toEqual([200, expected]);
    }
    expect(await get(made.id)).toEqual(expected);
  });

  it("changes nothing where nothing is asked for, or all is so already [webhooks.update]", async () => {
    const { secret: _, ...made } = await createEndpoint(t, store, { topics: ["quiz.started", "quiz.finished"] });
    t.calendar.advance(5_000);
    for (const body of [{}, { status: "enabled" }, { url: made.url, topics: made.topics.toReversed() }]) {
      const answer = await patch(made.id, body);
      expect([answer.status, answer.body]).toEqual([200, made]);
    }
  });

  it.for([
    [{ url: "" }, "body.url"],
    [{ url: null }, "body.url"],
    [{ topics: [] }, "body.topics"],
    [{ topics: ["ping"] }, "body.topics.0"],
    [{ topics: ["quiz.started", "quiz.started"] }, "body.topics"],
    [{ include_pii: null }, "body.include_pii"],
    [{ status: "failing" }, "body.status"],
    [{ status: null }, "body.status"],
    [{ quiz_ids: [`quiz_${"0".repeat(32)}`] }, "body.quiz_ids.0"],
    [{ disabled_reason: null }, "body.disabled_reason"],
    [{ url: `https://hooks.example.com/${"x".repeat(2_048)}` }, "body.url"],
  ] as const)("refuses %o [api.validation]", async ([body, field]) => {
    const { secret: _, ...made } = await createEndpoint(t, store);
    const answer = await patch(made.id, body);
    expect([answer.status, answer.body.title, answer.body.errors[0].field]).toEqual([422, "validation_error", field]);
    expect(await get(made.id)).toEqual(made);
  });

  it("refuses unsafe addresses, before it looks for the endpoint [webhooks.safe-addresses, api.check-order]", async () => {
    const { id } = await createEndpoint(t, store);
    for (const target of [id, `whe_${"0".repeat(32)}`]) {
      const answer = await patch(target, { url: "https://private.example.com/" });
      expect([answer.status, answer.body.title]).toEqual([422, "webhook_url_unsafe"]);
    }
  });

  it("refuses another endpoint's address, however it is written [webhooks.same-address]", async () => {
    const one = await createEndpoint(t, store, { url: "https://one.example.com/" });
    const two = await createEndpoint(t, store);
    const answer = await patch(two.id, { url: "https://ONE.example.com" });
    expect([answer.status, answer.body.title]).toEqual([409, "webhook_conflict"]);
    expect((await patch(one.id, { url: "https://ONE.example.com" })).body.url).toBe("https://ONE.example.com");
  });

  it("gives one of two endpoints that ask for an address at the same time [webhooks.same-address]", async () => {
    const endpoints = [await createEndpoint(t, store), await createEndpoint(t, store)];
    const url = newUrl();
    const answers = await Promise.all(endpoints.map(({ id }) => patch(id, { url })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it("keeps quizzes that were deleted since, and takes no others [webhooks.update, api.given-ids]", async () => {
    const [kept, deleted] = [await makeQuiz(t, store), await makeQuiz(t, store)];
    const { id } = await createEndpoint(t, store, { quiz_ids: [kept.id] });
    for (const quiz of [kept, deleted]) await t.request("DELETE", `/v1/quizzes/${quiz.id}`, { key: store.key });
    expect((await patch(id, { quiz_ids: [kept.id], description: "x" })).status).toBe(200);
    const answer = await patch(id, { quiz_ids: [kept.id, deleted.id] });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "body.quiz_ids.1"]);
  });
});

describe("include_pii", () => {
  it("must be true for identity.captured, whichever of the two is changed [webhooks.contacts-topic]", async () => {
    const plain = await createEndpoint(t, store);
    const captured = { topics: ["identity.captured"], include_pii: true };
    const open = await createEndpoint(t, store, captured);
    for (const [id, body] of [
      [plain.id, { topics: ["identity.captured"] }],
      [plain.id, { topics: ["identity.captured"], include_pii: false }],
      [open.id, { include_pii: false }],
    ] as const) {
      const answer = await patch(id, body);
      expect([answer.status, answer.body.title]).toEqual([422, "webhook_pii_required"]);
    }
    expect((await patch(plain.id, captured)).status).toBe(200);
    expect((await patch(open.id, { topics: ["quiz.started"], include_pii: false })).status).toBe(200);
  });

  it("needs profiles:read wherever it is left true, at the request's price [webhooks.pii-scope, api.body-scopes]", async () => {
    const open = await createEndpoint(t, store, { include_pii: true });
    const plain = await createEndpoint(t, store);
    const key = await t.key(store, ["webhooks:manage"]);
    for (const [id, body] of [
      [open.id, { description: "x" }],
      [open.id, {}],
      [plain.id, { include_pii: true }],
    ] as const) {
      const answer = await patch(id, body, key);
      expect([answer.status, answer.body.title, answer.body.required]).toEqual([
        403,
        "insufficient_scope",
        ["profiles:read"],
      ]);
      expect(answer.headers["ratelimit"]).toMatch(/^limit=72/);
    }
    expect((await patch(open.id, { topics: ["none"] }, key)).status).toBe(422);
    expect((await patch(open.id, { include_pii: false }, key)).status).toBe(200);
    expect((await patch(plain.id, { description: "x" }, key)).status).toBe(200);
  });

  it("switched off takes contacts out of everything that waits, and shows none of what was sent [webhooks.privacy-off]", async () => {
    const topics = ["quiz.finished", "identity.captured", "profile.created"];
    const { id } = await createEndpoint(t, store, { include_pii: true, topics });
    const session = {
      answers: { mail: { kind: "email", value: "ann@example.com" }, pick: { kind: "choice", value: ["one"] } },
      identities: [{ kind: "email", value: "ann@example.com" }],
    };
    const captured = { ...session, identity: { kind: "email", value: "ann@example.com" } };
    const put = (topic: string, status: string, object: object) => putDelivery(t, store, id, { topic, status, object });
    const waiting = [];
    for (const status of ["pending", "retrying", "delivering"])
      waiting.push(await put("quiz.finished", status, session));
    const asked = await put("identity.captured", "pending", captured);
    const sent = await put("identity.captured", "delivered", captured);
    const other = await put("quiz.published", "pending", { quiz_name: "ann@example.com" });
    expect((await patch(id, { include_pii: false, topics: ["quiz.finished"] })).status).toBe(200);

    for (const delivery of waiting) {
      const row = await rowOf(t, store, delivery);
      expect(JSON.parse(String(row["payload"])).data.object).toEqual({ answers: { pick: session.answers.pick } });
    }
    expect(await rowOf(t, store, asked)).toMatchObject({ status: "dead", last_error: "contacts_removed" });
    expect(String((await rowOf(t, store, asked))["payload"])).not.toContain("ann@");
    expect(String((await rowOf(t, store, other))["payload"])).toContain("ann@");
    const list = await t.request("GET", `/v1/webhooks/${id}/deliveries`, { key: store.key });
    expect(list.body.data).toHaveLength(6);
    const shown = list.body.data.filter(({ topic }: Body) => topic !== "quiz.published");
    expect(JSON.stringify(shown)).not.toContain("ann@");

    for (const delivery of [asked, sent]) {
      const path = `/v1/webhooks/${id}/deliveries/${delivery}/redeliver`;
      const answer = await t.request("POST", path, { key: store.key });
      expect([answer.status, answer.body.title]).toEqual([409, "webhook_conflict"]);
    }
    expect((await patch(id, { include_pii: true })).status).toBe(200);
  });
});

describe("status", () => {
  it("disabled gives up what waits and refuses pings and redeliveries; enabled starts afresh [webhooks.disabled-endpoint]", async () => {
    const { id } = await createEndpoint(t, store);
    const pending = await putDelivery(t, store, id, { status: "pending", attempts: 0 });
    const last_error = "HTTP 503";
    const retrying = await putDelivery(t, store, id, { status: "retrying", attempts: 3, last_error });
    const sending = await putDelivery(t, store, id, { status: "delivering" });
    const delivered = await putDelivery(t, store, id, { status: "delivered" });
    const off = { status: "disabled", disabled_reason: "manual", disabled_at: now() };
    expect((await patch(id, { status: "disabled" })).body).toMatchObject(off);
    t.calendar.advance(60_000);
    expect((await patch(id, { status: "disabled" })).body).toMatchObject(off);
    expect(await rowOf(t, store, pending)).toMatchObject({
      status: "dead",
      attempts: 0,
      last_error: "endpoint_disabled",
    });
    expect(await rowOf(t, store, retrying)).toMatchObject({
      status: "dead",
      attempts: 3,
      last_error: "HTTP 503; endpoint_disabled",
    });
    expect(await rowOf(t, store, sending)).toMatchObject({ status: "delivering" });
    expect(await rowOf(t, store, delivered)).toMatchObject({ status: "delivered" });
    for (const path of [
      "ping",
      "redeliver-failed",
      `deliveries/${delivered}/redeliver`,
      `deliveries/${pending}/redeliver`,
    ]) {
      const body = path === "redeliver-failed" ? { since: "2026-01-01T00:00:00Z" } : {};
      const answer = await t.request("POST", `/v1/webhooks/${id}/${path}`, { key: store.key, body });
      expect([path, answer.status, answer.body.title]).toEqual([path, 409, "webhook_conflict"]);
    }
    const on = { status: "enabled", disabled_reason: null, disabled_at: null, failing_since: null };
    expect((await patch(id, { status: "enabled" })).body).toMatchObject(on);
    const again = await t.request("POST", `/v1/webhooks/${id}/deliveries/${pending}/redeliver`, { key: store.key });
    expect([again.status, again.body.status]).toEqual([202, "pending"]);
  });

  it("disabled by the platform stays as it says, and is cleared by enabling [webhooks.disabled-endpoint]", async () => {
    const { id } = await createEndpoint(t, store);
    await failing(id);
    expect((await patch(id, { status: "disabled" })).body.disabled_reason).toBe("failing");
    expect((await patch(id, { description: "x" })).body.status).toBe("disabled");
    const on = { status: "enabled", disabled_reason: null, disabled_at: null, failing_since: null };
    expect((await patch(id, { status: "enabled" })).body).toMatchObject(on);
    expect(await rowOf(t, store, id)).toMatchObject({ paused_until: null });
  });

  it("keeps what was noted of failures on a repeat, and drops it with the address it was noted of [webhooks.update]", async () => {
    const { id } = await createEndpoint(t, store);
    await failing(id);
    await patch(id, { status: "enabled" });
    const at = new Date(t.calendar.now() - 1_000);
    await t.database.transaction((tx) =>
      tx.forStore(store.uuid).all(sql`UPDATE webhook_endpoints SET failing_since = ${at} WHERE store_id = ${ownStore}`),
    );
    expect((await patch(id, { status: "enabled" })).body.failing_since).toBe(at.toISOString());
    expect((await patch(id, { description: "x" })).body.failing_since).toBe(at.toISOString());
    expect((await patch(id, { url: newUrl() })).body.failing_since).toBeNull();
  });
});
