import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { createEndpoint, newUrl, rowOf } from "../../testkit/endpoints.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { ownStore, raw, sql } from "../platform/database/sql.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
});

const post = (body: unknown, options: { key?: string; headers?: Record<string, string> } = {}) =>
  t.request("POST", "/v1/webhooks", { key: store.key, body, ...options });
const list = async (): Promise<Body[]> => (await t.request("GET", "/v1/webhooks", { key: store.key })).body.data;

describe("POST /v1/webhooks", () => {
  it("answers 201 with the endpoint, its secret and its address [webhooks.create, api.success-codes]", async () => {
    const body = { url: newUrl(), topics: ["quiz.finished", "quiz.started"] };
    const answer = await post(body);
    const now = "2026-03-10T12:00:00.000Z";
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^whe_[0-9a-f]{32}$/),
      ...body,
      include_pii: false,
      quiz_ids: null,
      description: null,
      status: "enabled",
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      previous_secret_expires_at: null,
      created_at: now,
      updated_at: now,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(answer.headers["location"]).toBe(`http://api.test/v1/webhooks/${answer.body.id}`);
    const { secret: _, ...shown } = answer.body;
    expect((await t.request("GET", `/v1/webhooks/${shown.id}`, { key: store.key })).body).toEqual(shown);
    expect(await list()).toEqual([shown]);
  });

  it("takes every field, and draws another secret each time [webhooks.create, webhooks.secret]", async () => {
    const quiz = await makeQuiz(t, store);
    const given = {
      topics: ["identity.captured", "quiz.published", "webhook.endpoint.disabled"],
      include_pii: true,
      description: "CRM",
      quiz_ids: [quiz.id],
    };
    const one = await createEndpoint(t, store, given);
    const two = await createEndpoint(t, store, given);
    expect(one).toMatchObject(given);
    expect(one.secret).not.toBe(two.secret);
  });

  it("keeps the secret encrypted, in the row and in the answer to repeats [webhooks.secret, api.idempotency-kept]", async () => {
    const headers = { "idempotency-key": "made-once" };
    const body = { url: newUrl(), topics: ["quiz.started"] };
    const first = await post(body, { headers });
    const again = await post(body, { headers });
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(again.headers["idempotent-replayed"]).toBe("true");
    const tables = ["webhook_endpoints", "idempotency_keys"];
    for (const table of tables) {
      const { text } = (await t.database
        .reader()
        .forStore(store.uuid)
        .first<{ text: string }>(
          sql`SELECT string_agg(t::text, '') AS text FROM ${raw(table)} t WHERE store_id = ${ownStore}`,
        )) ?? { text: "" };
      expect(text.length).toBeGreaterThan(100);
      for (const canary of [first.body.secret, first.body.secret.slice(6)]) {
        expect(text).not.toContain(canary);
        expect(text).not.toContain(Buffer.from(canary).toString("hex"));
      }
    }
    expect(await list()).toHaveLength(1);
  });

  it("replays the answer to a key even where the address would be refused by now [api.idempotency]", async () => {
    let unsafe = false;
    const app = t.compose({ resolveHost: async () => [unsafe ? "10.0.0.1" : "8.8.8.8"] });
    const send = (key: string) =>
      app.inject({
        method: "POST",
        url: "/v1/webhooks",
        headers: { authorization: `Bearer ${store.key}`, "idempotency-key": key },
        payload: { url: "https://turncoat.example.com/", topics: ["quiz.started"] },
      });
    expect((await send("first")).statusCode).toBe(201);
    unsafe = true;
    const replay = await send("first");
    expect([replay.statusCode, replay.headers["idempotent-replayed"]]).toEqual([201, "true"]);
    const fresh = await send("second");
    expect([fresh.statusCode, fresh.json().title]).toEqual([422, "webhook_url_unsafe"]);
  });

  it.for([
    [{ topics: ["quiz.started"] }, "body.url"],
    [{ url: "", topics: ["quiz.started"] }, "body.url"],
    [{ url: 5, topics: ["quiz.started"] }, "body.url"],
    [{ url: "https://hooks.example.com/" }, "body.topics"],
    [{ url: "https://hooks.example.com/", topics: [] }, "body.topics"],
    [{ url: "https://hooks.example.com/", topics: ["quiz.opened"] }, "body.topics.0"],
    [{ url: "https://hooks.example.com/", topics: ["quiz.started", "ping"] }, "body.topics.1"],
    [{ url: "https://hooks.example.com/", topics: ["quiz.started", "quiz.started"] }, "body.topics"],
    [{ url: "https://hooks.example.com/", topics: ["quiz.started"], include_pii: "true" }, "body.include_pii"],
    [{ url: "https://hooks.example.com/", topics: ["quiz.started"], include_pii: null }, "body.include_pii"],
    [{ url: "https://hooks.example.com/", topics: ["quiz.started"], quiz_ids: [] }, "body.quiz_ids"],
    [{ url: "https://hooks.example.com/", topics: ["quiz.started"], quiz_ids: ["quiz_1"] }, "body.quiz_ids.0"],
    [{ url: "https://hooks.example.com/", topics: ["quiz.started"], description: "x".repeat(501) }, "body.description"],
    [{ url: "https://hooks.example.com/", topics: ["quiz.started"], status: "enabled" }, "body.status"],
    [{ url: `https://hooks.example.com/${"x".repeat(2_048)}`, topics: ["quiz.started"] }, "body.url"],
    [{ url: `https://hooks.example.com/${"é".repeat(1_100)}`, topics: ["quiz.started"] }, "body.url"],
  ] as const)("refuses %o [webhooks.create, api.validation]", async ([body, field]) => {
    const answer = await post(body);
    expect([answer.status, answer.body.title, answer.body.errors?.[0]?.field]).toEqual([
      422,
      "validation_error",
      field,
    ]);
    expect(await list()).toEqual([]);
  });

  it("takes an address of the greatest length [webhooks.create]", async () => {
    const start = "https://hooks.example.com/";
    const url = start + "x".repeat(2_048 - start.length);
    expect((await createEndpoint(t, store, { url })).url).toBe(url);
  });

  it.for([
    "http://hooks.example.com/",
    "https://user:secret@hooks.example.com/",
    "https://10.0.0.1/",
    "https://private.example.com/",
    "https://localhost/",
    "ftp://hooks.example.com/",
    "hooks.example.com",
  ])("refuses the unsafe address %s [webhooks.safe-addresses]", async (url) => {
    const answer = await post({ url, topics: ["quiz.started"] });
    expect([answer.status, answer.body.title]).toEqual([422, "webhook_url_unsafe"]);
    expect(await list()).toEqual([]);
  });

  it("takes a name that does not resolve yet [webhooks.unresolved-names]", async () => {
    await createEndpoint(t, store, { url: "https://unknown.example.com/" });
  });

  it("refuses identity.captured without include_pii [webhooks.contacts-topic]", async () => {
    const answer = await post({ url: newUrl(), topics: ["quiz.started", "identity.captured"] });
    expect([answer.status, answer.body.title]).toEqual([422, "webhook_pii_required"]);
  });
});

describe("include_pii", () => {
  it("needs profiles:read as well, asked after every 422, at the request's price [webhooks.pii-scope, api.body-scopes]", async () => {
    const key = await t.key(store, ["webhooks:manage"]);
    const body = { url: newUrl(), topics: ["quiz.started"], include_pii: true };
    const refused = await post(body, { key });
    expect([refused.status, refused.body.title, refused.body.required]).toEqual([
      403,
      "insufficient_scope",
      ["profiles:read"],
    ]);
    expect(refused.headers["ratelimit"]).toBe("limit=72, remaining=70, reset=1");
    const none = `quiz_${"0".repeat(32)}`;
    for (const [more, title] of [
      [{ topics: ["none"] }, "validation_error"],
      [{ url: "http://hooks.example.com/" }, "webhook_url_unsafe"],
      [{ quiz_ids: [none] }, "validation_error"],
    ] as const) {
      const answer = await post({ ...body, ...more }, { key });
      expect([answer.status, answer.body.title]).toEqual([422, title]);
    }
    expect((await post({ ...body, include_pii: false }, { key })).status).toBe(201);
    expect((await post({ ...body, url: newUrl() }, { key: store.key })).status).toBe(201);
  });

  it("is not looked at for a key that lacks the route's own scope, which is told of alone [api.body-scopes, api.check-order]", async () => {
    const key = await t.key(store, ["quizzes:read"]);
    const { url } = await createEndpoint(t, store);
    // one that needs the other scope too, one that conflicts, one of another shape, one that is no JSON
    for (const body of [{ url, topics: ["quiz.started"], include_pii: true }, { url, topics: [] }, { odd: 1 }, "{"]) {
      const refused = await post(body, { key });
      expect([refused.status, refused.body.title, refused.body.required]).toEqual([
        ...[403, "insufficient_scope", ["webhooks:manage"]],
      ]);
      expect(refused.headers["ratelimit"]).toBeUndefined();
    }
  });
});

describe("quiz_ids", () => {
  it("names by its place each quiz that is not the store's, or deleted [webhooks.create, api.given-ids]", async () => {
    const other = await t.store();
    const [mine, theirs, deleted] = [await makeQuiz(t, store), await makeQuiz(t, other), await makeQuiz(t, store)];
    await t.request("DELETE", `/v1/quizzes/${deleted.id}`, { key: store.key });
    const none = `quiz_${"0".repeat(32)}`;
    const quiz_ids = [mine.id, theirs.id, none, deleted.id];
    const answer = await post({ url: newUrl(), topics: ["quiz.started"], quiz_ids });
    expect(answer.status).toBe(422);
    const fields = answer.body.errors.map((error: { field: string }) => error.field);
    expect(fields).toEqual(["body.quiz_ids.1", "body.quiz_ids.2", "body.quiz_ids.3"]);
  });

  it("that were deleted since do not turn a repeat into a mistake [webhooks.same-address]", async () => {
    const quiz = await makeQuiz(t, store);
    const body = { url: newUrl(), topics: ["quiz.started"], quiz_ids: [quiz.id] };
    await createEndpoint(t, store, body);
    await t.request("DELETE", `/v1/quizzes/${quiz.id}`, { key: store.key });
    expect((await post(body)).status).toBe(200);
  });
});

describe("the same address", () => {
  it("with the same configuration answers 200 with what is there, without the secret [webhooks.same-address]", async () => {
    const quizzes = [await makeQuiz(t, store), await makeQuiz(t, store)].map(({ id }) => id);
    const url = "https://same.example.com/";
    const body = { url, topics: ["quiz.started", "quiz.finished"], quiz_ids: quizzes, description: null };
    const { secret: _, ...made } = await createEndpoint(t, store, body);
    const repeats = [
      body,
      { ...body, topics: body.topics.toReversed(), quiz_ids: quizzes.toReversed(), include_pii: false },
      { ...body, url: "HTTPS://Same.Example.com" },
      { ...body, url: "https://same.example.com:443/#part" },
    ];
    for (const repeat of repeats) {
      const answer = await post(repeat);
      expect([answer.status, answer.body]).toEqual([200, made]);
      expect(answer.headers["location"]).toBe(`http://api.test/v1/webhooks/${made.id}`);
    }
    expect(await list()).toHaveLength(1);
  });

  it("with another configuration answers 409 [webhooks.same-address]", async () => {
    const quiz = await makeQuiz(t, store);
    const body = { url: newUrl(), topics: ["quiz.started"] };
    await createEndpoint(t, store, body);
    const others = [
      { topics: ["quiz.finished"] },
      { topics: ["quiz.started", "quiz.finished"] },
      { include_pii: true },
    ];
    for (const more of [...others, { description: "x" }, { quiz_ids: [quiz.id] }]) {
      const answer = await post({ ...body, ...more });
      expect([answer.status, answer.body.title]).toEqual([409, "webhook_conflict"]);
    }
  });

  it("is another store's own matter [api.one-store]", async () => {
    const body = { url: newUrl(), topics: ["quiz.started"] };
    await createEndpoint(t, store, body);
    const other = await t.store();
    expect((await createEndpoint(t, other, body)).url).toBe(body.url);
  });
});

describe("the quota", () => {
  it("answers 409 past the plan's number, disabled endpoints included; an existing one is still answered [webhooks.most-endpoints]", async () => {
    const made = [];
    for (let n = 0; n < 5; n += 1) made.push(await createEndpoint(t, store));
    const [first, second] = made;
    await t.request("PATCH", `/v1/webhooks/${first.id}`, { key: store.key, body: { status: "disabled" } });
    const over = await post({ url: newUrl(), topics: ["quiz.started"] });
    expect([over.status, over.body.title]).toEqual([409, "endpoint_limit"]);
    expect((await post({ url: second.url, topics: second.topics })).status).toBe(200);
    await t.request("DELETE", `/v1/webhooks/${second.id}`, { key: store.key });
    await createEndpoint(t, store);
    await t.update(store, { limits: { webhook_endpoints: 6 } });
    t.passTime(60_000);
    await createEndpoint(t, store);
    expect((await post({ url: newUrl(), topics: ["quiz.started"] })).status).toBe(409);
  });

  it("is 25 on Enterprise [webhooks.most-endpoints]", async () => {
    store = await t.store({ plan: "enterprise" });
    for (let n = 0; n < 25; n += 1) await createEndpoint(t, store);
    expect((await post({ url: newUrl(), topics: ["quiz.started"] })).status).toBe(409);
  });

  it("holds against requests at the same time, and so does the address [webhooks.most-endpoints, webhooks.same-address]", async () => {
    const many = await Promise.all(Array.from({ length: 12 }, () => post({ url: newUrl(), topics: ["quiz.started"] })));
    expect(many.map(({ status }) => status).toSorted()).toEqual([...Array(5).fill(201), ...Array(7).fill(409)]);
    store = await t.store();
    const body = { url: newUrl(), topics: ["quiz.started"] };
    const same = await Promise.all(Array.from({ length: 6 }, () => post(body)));
    expect(same.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(await list()).toHaveLength(1);
  });
});

describe("GET /v1/webhooks", () => {
  it("lists newest first, a page at a time, stable under inserts [api.paging]", async () => {
    store = await t.store({ plan: "enterprise" });
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      made.unshift((await createEndpoint(t, store)).id);
      if (n % 2 === 1) t.calendar.advance(1_000);
    }
    t.calendar.advance(1_000);
    const all = (await list()).map(({ id }) => id);
    expect(all.toSorted()).toEqual(made.toSorted());
    expect(all[0]).toBe(made[0]);
    const seen: string[] = [];
    let cursor = "";
    for (;;) {
      const page = await t.request("GET", `/v1/webhooks?limit=2${cursor}`, { key: store.key });
      expect(page.status).toBe(200);
      seen.push(...page.body.data.map(({ id }: Body) => id));
      await createEndpoint(t, store);
      if (!page.body.has_more) break;
      cursor = `&cursor=${page.body.next_cursor}`;
    }
    expect(seen).toEqual(all);
    const strange = await t.request("GET", `/v1/events?limit=2${cursor}`, { key: store.key });
    expect([strange.status, strange.body.errors[0].field]).toEqual([422, "query.cursor"]);
  });
});

describe("DELETE /v1/webhooks/{endpoint_id}", () => {
  it("answers 204 without a body; a second time 404 [webhooks.delete, api.success-codes]", async () => {
    const { id } = await createEndpoint(t, store);
    const gone = await t.request("DELETE", `/v1/webhooks/${id}`, { key: store.key });
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect(gone.headers).toMatchObject({ "request-id": expect.any(String), ratelimit: expect.any(String) });
    for (const [method, path] of [
      ["DELETE", `/v1/webhooks/${id}`],
      ["GET", `/v1/webhooks/${id}`],
      ["GET", `/v1/webhooks/${id}/deliveries`],
    ] as const) {
      expect((await t.request(method, path, { key: store.key })).status).toBe(404);
    }
    expect(await rowOf(t, store, id)).toEqual({});
  });
});
