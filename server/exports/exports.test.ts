import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { allScopes } from "../../contract/scopes.ts";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { askExport, exportRow, putExport } from "../../testkit/exports.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

const dayMs = 24 * 60 * 60 * 1000;
const iso = (at: number) => new Date(at).toISOString();
const noFilters = { from: null, to: null, quiz_id: null, search: null, tz: null };
const post = (store: TestStore, body: unknown, headers: Record<string, string> = {}) =>
  t.request("POST", "/v1/exports", { key: store.key, body, headers });
const get = (store: TestStore, path: string) => t.request("GET", `/v1/exports${path}`, { key: store.key });
const errorsOf = (answer: { status: number; body: Body }) => [
  answer.status,
  answer.body.errors?.map(({ field }: { field: string }) => field),
];

describe("POST /v1/exports", () => {
  it("answers 202 with the pending export and where it is found [exports.request, api.success-codes]", async () => {
    const store = await t.store();
    const answer = await post(store, { dataset: "responses" });
    const now = t.calendar.now();
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^exp_[0-9a-f]{32}$/),
      ...{ dataset: "responses", format: "csv", csv_style: "spreadsheet", headers: "keys" },
      ...{ status: "pending", source: "api", filters: noFilters },
      ...{ requested_at: iso(now), started_at: null, completed_at: null, expires_at: iso(now + 7 * dayMs) },
      ...{ row_count: null, bytes: null, error: null },
      urls: { self: `http://api.test/v1/exports/${answer.body.id}` },
    });
    expect(answer.headers["location"]).toBe(answer.body.urls.self);
    const read = await get(store, `/${answer.body.id}`);
    expect([read.status, read.body]).toEqual([200, answer.body]);
  });

  it("answers the filters as they were given [exports.request]", async () => {
    const store = await t.store();
    const quiz = await makeQuiz(t, store, { publish: true });
    const other = await makeQuiz(t, store, { publish: true });
    await t.request("DELETE", `/v1/quizzes/${other.id}`, { key: store.key });
    const term = { quiz_id: other.id, kind: "session", op: "equals", value: "completed" };
    const search = {
      has_email: true,
      quiz_id: quiz.id,
      match: "latest_completed_per_quiz",
      groups: [{ all: [term, { any: [{ ...term, value: "abandoned" }] }] }],
    };
    const filters = { from: "2026-03-01", to: "2026-03-31", quiz_id: other.id, search, tz: "Asia/Kolkata" };
    const asked = await askExport(t, store, { dataset: "profiles", format: "json", ...filters });
    expect([asked.format, asked.filters]).toEqual(["json", filters]);
    expect((await get(store, `/${asked.id}`)).body.filters).toEqual(filters);
    expect((await get(store, "")).body.data[0].filters).toEqual(filters);
  });

  it("answers the layout as it was asked for, or as it is by default [exports.request]", async () => {
    const store = await t.store();
    for (const [asked, layout] of [
      [{ csv_style: "plain" }, { format: "csv", csv_style: "plain", headers: "keys" }],
      [{ headers: "texts" }, { format: "csv", csv_style: "spreadsheet", headers: "texts" }],
      [
        { format: "csv", csv_style: "spreadsheet", headers: "keys" },
        { format: "csv", csv_style: "spreadsheet", headers: "keys" },
      ],
      [{ format: "ndjson" }, { format: "ndjson", csv_style: null, headers: null }],
      [{ format: "json" }, { format: "json", csv_style: null, headers: null }],
    ]) {
      const answer = await askExport(t, store, { dataset: "responses", ...asked });
      expect(answer).toMatchObject(layout ?? {});
      expect((await get(store, `/${answer.id}`)).body).toMatchObject(layout ?? {});
      await t.database
        .reader()
        .forStore(store.uuid)
        .all(sql`UPDATE exports SET status = 'failed' WHERE store_id = ${ownStore}`);
    }
  });

  it("takes texts with half a character, which no database holds", async () => {
    const store = await t.store();
    const quiz = await makeQuiz(t, store, { publish: true });
    const term = { quiz_id: quiz.id, kind: "winner", op: "in", option_ids: ["\ud800"] };
    const asked = await askExport(t, store, { dataset: "profiles", search: { groups: [{ all: [term] }] } });
    expect(asked.filters.search.groups[0].all[0].option_ids).toEqual(["\ufffd"]);
  });

  it.each([
    ["no dataset", {}, ["body.dataset"]],
    ["an unknown dataset", { dataset: "orders" }, ["body.dataset"]],
    ["an unknown format", { dataset: "profiles", format: "xml" }, ["body.format"]],
    ["an unknown style", { dataset: "profiles", csv_style: "tabs" }, ["body.csv_style"]],
    ["a style of no CSV", { dataset: "profiles", format: "ndjson", csv_style: "plain" }, ["body.csv_style"]],
    ["unknown headers", { dataset: "profiles", headers: "labels" }, ["body.headers"]],
    ["headers without columns", { dataset: "responses", format: "json", headers: "texts" }, ["body.headers"]],
    ["days that do not exist", { dataset: "profiles", from: "2026-02-30", to: "tomorrow" }, ["body.from", "body.to"]],
    ["from after to", { dataset: "profiles", from: "2026-03-02", to: "2026-03-01" }, ["body.from"]],
    ["an unknown zone", { dataset: "profiles", tz: "Mars/Olympus" }, ["body.tz"]],
    ["an offset as zone", { dataset: "profiles", tz: "+01:00" }, ["body.tz"]],
    ["an empty zone", { dataset: "profiles", tz: "" }, ["body.tz"]],
    ["a zone beyond 64 characters", { dataset: "profiles", tz: "A".repeat(65) }, ["body.tz"]],
    ["a malformed quiz", { dataset: "profiles", quiz_id: "quiz_1" }, ["body.quiz_id"]],
    ["an unknown quiz", { dataset: "profiles", quiz_id: `quiz_${"0".repeat(32)}` }, ["body.quiz_id"]],
    ["a search of figures", { dataset: "quiz_analytics", search: {} }, ["body.search"]],
    ["a search of another shape", { dataset: "profiles", search: { q: "x" } }, ["body.search.q"]],
    [
      "a search's days",
      { dataset: "profiles", search: { from: "2026-03-02", to: "2026-03-01" } },
      ["body.search.from"],
    ],
    [
      "a search's quiz",
      { dataset: "responses", search: { quiz_id: `quiz_${"0".repeat(32)}` } },
      ["body.search.quiz_id"],
    ],
    ["everything at once", { dataset: "quiz_analytics", tz: "X", search: {} }, ["body.tz", "body.search"]],
    ["a field that is not declared", { dataset: "profiles", email: true }, ["body.email"]],
    ["null for a field", { dataset: "profiles", search: null }, ["body.search"]],
  ])("refuses %s [exports.filters, api.parameters]", async (_, body, fields) => {
    const store = await t.store();
    expect(errorsOf(await post(store, body))).toEqual([422, fields]);
    expect((await get(store, "")).body.data).toEqual([]);
  });

  it("refuses quizzes of another store, also in a search [exports.filters, api.given-ids]", async () => {
    const [store, other] = [await t.store(), await t.store()];
    const quiz = await makeQuiz(t, other, { publish: true });
    const term = { quiz_id: quiz.id, kind: "session", op: "equals", value: "completed" };
    expect(errorsOf(await post(store, { dataset: "responses", quiz_id: quiz.id }))).toEqual([422, ["body.quiz_id"]]);
    const search = { quiz_id: quiz.id, groups: [{ all: [term] }] };
    expect(errorsOf(await post(store, { dataset: "responses", search }))).toEqual([
      422,
      ["body.search.quiz_id", "body.search.groups.0.all.0.quiz_id"],
    ]);
  });

  it.each([
    ["profiles", "profiles:read"],
    ["responses", "profiles:read"],
    ["quiz_analytics", "analytics:read"],
  ] as const)(
    "needs for %s the scope %s, after the 422 and at the cost of a write [exports.scopes, api.body-scopes]",
    async (dataset, scope) => {
      const store = await t.store();
      const lacking = await t.key(
        store,
        allScopes.filter((each) => each !== scope),
      );
      const invalid = await t.request("POST", "/v1/exports", { key: lacking, body: { dataset, tz: "X" } });
      expect(errorsOf(invalid)).toEqual([422, ["body.tz"]]);
      const refused = await t.request("POST", "/v1/exports", { key: lacking, body: { dataset } });
      expect([refused.status, refused.body.title, refused.body.required]).toEqual([403, "insufficient_scope", [scope]]);
      expect(refused.headers["ratelimit"]).toMatch(/^limit=72, remaining=68, /);
      const key = await t.key(store, [scope]);
      expect((await t.request("POST", "/v1/exports", { key, body: { dataset } })).status).toBe(202);
    },
  );

  it("answers 409 while one of the dataset is being built, of this store alone [exports.one-at-a-time]", async () => {
    const [store, other] = [await t.store(), await t.store()];
    await askExport(t, store, { dataset: "responses" });
    const again = await post(store, { dataset: "responses", format: "json" });
    expect([again.status, again.body.title]).toEqual([409, "conflict"]);
    await askExport(t, store, { dataset: "profiles" });
    await askExport(t, other, { dataset: "responses" });
    const building = await t.store();
    await putExport(t, building, { dataset: "profiles", status: "running" });
    expect((await post(building, { dataset: "profiles" })).status).toBe(409);
    for (const status of ["completed", "failed", "expired"]) {
      await putExport(t, building, { dataset: "responses", status });
    }
    expect((await post(building, { dataset: "responses" })).status).toBe(202);
  });

  it("takes one of many requests at once [exports.one-at-a-time]", async () => {
    const store = await t.store({ plan: "enterprise" });
    const answers = await Promise.all([...Array(12)].map(() => post(store, { dataset: "profiles" })));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array(11).fill(409)]);
    expect((await get(store, "")).body.data).toHaveLength(1);
  });

  it("answers a repeat with its idempotency key as the first, where another one gets the 409 [api.idempotency]", async () => {
    const store = await t.store({ plan: "enterprise" });
    const headers = { "idempotency-key": "export-1" };
    const [first, second] = await Promise.all([1, 2].map(() => post(store, { dataset: "profiles" }, headers)));
    expect([first?.status, second?.status]).toEqual([202, 202]);
    expect(second?.body).toEqual(first?.body);
    expect([first, second].filter((answer) => answer?.headers["idempotent-replayed"] === "true")).toHaveLength(1);
    expect(second?.headers["location"]).toBe(first?.headers["location"]);
    const other = await post(store, { dataset: "responses" }, headers);
    expect(errorsOf(other)).toEqual([422, ["header.Idempotency-Key"]]);
    // a refusal is not kept
    const refused = await post(store, { dataset: "profiles" }, { "idempotency-key": "export-2" });
    expect(refused.status).toBe(409);
    const rows = await t.database
      .reader()
      .forStore(store.uuid)
      .all(sql`SELECT key FROM idempotency_keys WHERE store_id = ${ownStore}`);
    expect(rows).toEqual([{ key: "export-1" }]);
  });
});

describe("GET /v1/exports", () => {
  it("pages newest first without links, expired ones too, with any key [exports.list, api.paging]", async () => {
    const store = await t.store();
    const ids: string[] = [];
    for (const [index, status] of ["expired", "failed", "completed", "completed", "completed"].entries()) {
      ids.unshift(await putExport(t, store, { status, age: (5 - index) * 1000 }));
    }
    const key = await t.key(store, ["quizzes:read"]);
    const seen: Body[] = [];
    let cursor = "";
    do {
      const answer = await t.request("GET", `/v1/exports?limit=2${cursor}`, { key });
      expect(answer.status).toBe(200);
      seen.push(...answer.body.data);
      cursor = answer.body.has_more ? `&cursor=${answer.body.next_cursor}` : "";
      if (seen.length === 2) await putExport(t, store);
    } while (cursor !== "");
    expect(seen.map(({ id }) => id)).toEqual(ids);
    expect(seen.map(({ status }) => status)).toEqual(["completed", "completed", "completed", "failed", "expired"]);
    for (const each of seen) expect(Object.keys(each)).not.toContain("download_url");
  });

  it("refuses cursors of other stores and lists, and bad limits [api.cursors, api.parameters]", async () => {
    const [store, other] = [await t.store(), await t.store()];
    for (const each of [other, other, other]) await putExport(t, each);
    const foreign = (await get(other, "?limit=1")).body.next_cursor;
    for (const query of [`?cursor=${foreign}`, "?cursor=", "?cursor=x", `?cursor=${"x".repeat(201)}`]) {
      expect(errorsOf(await get(store, query)), query).toEqual([422, ["query.cursor"]]);
    }
    for (const limit of ["0", "101", "1e1", "x"]) {
      expect(errorsOf(await get(store, `?limit=${limit}`)), limit).toEqual([422, ["query.limit"]]);
    }
  });

  it("shows the store's own exports alone [api.one-store]", async () => {
    const [store, other] = [await t.store(), await t.store()];
    await putExport(t, other);
    expect((await get(store, "")).body).toEqual({ data: [], has_more: false, next_cursor: null });
  });
});

describe("GET /v1/exports/{export_id}", () => {
  it("mints a link of an hour with every read of a completed export [exports.links]", async () => {
    const store = await t.store();
    const id = await putExport(t, store);
    const first = await get(store, `/${id}`);
    const now = t.calendar.now();
    expect(first.body).toMatchObject({ status: "completed", row_count: 1, bytes: 13 });
    expect(first.body.download_url).toMatch(new RegExp(`^http://api.test/exports/${id}\\?token=[\\w-]{70,}$`));
    expect(first.body.download_url_expires_at).toBe(iso(now + 60 * 60 * 1000));
    t.calendar.advance(1000);
    const second = await get(store, `/${id}`);
    expect(second.body.download_url).not.toBe(first.body.download_url);
    expect(second.body.download_url_expires_at).toBe(iso(now + 1000 + 60 * 60 * 1000));
  });

  it("mints no link past the file's end, and answers 404 from then on, before any sweep [exports.links, exports.expiry]", async () => {
    const store = await t.store();
    const id = await putExport(t, store);
    const { expires_at: end } = await exportRow(t, store, id);
    t.calendar.advance(7 * dayMs - 60_000);
    expect((await get(store, `/${id}`)).body.download_url_expires_at).toBe(end.toISOString());
    t.calendar.advance(60_000 - 1);
    expect((await get(store, `/${id}`)).status).toBe(200);
    t.calendar.advance(1);
    const gone = await get(store, `/${id}`);
    expect([gone.status, gone.body.title]).toEqual([404, "not_found"]);
    const listed = (await get(store, "")).body.data;
    expect(listed).toEqual([expect.objectContaining({ id, status: "expired", row_count: 1 })]);
  });

  it.each(["pending", "running", "failed"])(
    "shows a %s export without a link, with any key [exports.links, exports.scopes]",
    async (status) => {
      const store = await t.store();
      const id = await putExport(t, store, { status });
      const key = await t.key(store, ["quizzes:read"]);
      const answer = await t.request("GET", `/v1/exports/${id}`, { key });
      expect([answer.status, answer.body.status]).toEqual([200, status]);
      expect(answer.body.error).toBe(status === "failed" ? "Something broke" : null);
      expect(Object.keys(answer.body)).not.toContain("download_url_expires_at");
    },
  );
});
