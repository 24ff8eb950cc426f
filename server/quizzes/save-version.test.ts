import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { choice, content, option, page, quizDocument } from "../../testkit/document-parts.ts";
import { makeQuiz, pagesNamed } from "../../testkit/quizzes.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { aiRunEnd, aiRunStart } from "./ai-lease.ts";
import { quizHistory } from "./operators.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
});
afterAll(() => t.close());
beforeEach(() => {
  t.passTime(60_000);
  t.calendar.advance(1000);
});

const save = (id: string, body?: unknown, headers: Record<string, string> = {}) =>
  t.request("POST", `/v1/quizzes/${id}/versions`, { key: store.key, headers, ...(body === undefined ? {} : { body }) });
const versions = async (id: string) =>
  (await t.request("GET", `/v1/quizzes/${id}/versions?limit=100`, { key: store.key })).body.data;

describe("POST /v1/quizzes/{quiz_id}/versions", () => {
  it("saves the draft as the next version, at its own address [quizzes.versions]", async () => {
    const { id } = await makeQuiz(t, store, { document: pagesNamed("a", "b") });
    const before = (await t.request("GET", `/v1/quizzes/${id}`, { key: store.key })).body;
    t.calendar.advance(5000);
    const first = await save(id, { label: "Autumn" });
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      id: expect.stringMatching(/^ver_[0-9a-f]{32}$/),
      quiz_id: id,
      number: 1,
      label: "Autumn",
      page_count: 2,
      published: false,
      created_at: new Date(t.calendar.now()).toISOString(),
    });
    const location = `http://api.test/v1/quizzes/${id}/versions/${first.body.id}`;
    expect(first.headers["location"]).toBe(location);
    const read = await t.request("GET", location.slice("http://api.test".length), { key: store.key });
    expect(read.status).toBe(200);
    expect(read.body).toEqual(first.body);
    const second = await save(id);
    expect(second.body).toMatchObject({ number: 2, label: null });
    const after = (await t.request("GET", `/v1/quizzes/${id}`, { key: store.key })).body;
    expect(after).toEqual({ ...before, definition_version: second.body.id });
  });

  it("refuses an option without a text at its label [quiz-documents.option-texts]", async () => {
    const feel = choice("feel", [option("dry"), option("oily", { label: " " })]);
    const { id } = await makeQuiz(t, store, { document: quizDocument([page("a", [feel])]) });
    const refused = await save(id);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      { field: "draft.pages.0.components.0.options.1.label", message: "the option has no text" },
    ]);
    expect(await versions(id)).toEqual([]);
  });

  it("takes HTML out of a draft that was kept before there was a list, and logs it [quiz-documents.html]", async () => {
    const { id, uuid } = await makeQuiz(t, store);
    const draft = quizDocument([page("a", [content("c", "<p>x</p><script>a()</script>")])]);
    await t.database.transaction((tx) =>
      tx.forStore(store.uuid).all(sql`
        UPDATE quizzes SET draft = ${JSON.stringify(draft)} WHERE store_id = ${ownStore} AND id = ${uuid}`),
    );
    const saved = await save(id);
    expect(saved.status).toBe(201);
    const version = await t.database
      .reader()
      .forStore(store.uuid)
      .first<{ document: unknown }>(sql`
      SELECT document FROM quiz_versions WHERE store_id = ${ownStore} AND quiz_id = ${uuid}`);
    expect(version?.document).toEqual(quizDocument([page("a", [content("c", "<p>x</p>")])]));
    expect(t.logged.filter((line) => line.includes(uuid) && line.includes("<script>"))).toHaveLength(1);
  });

  it("refuses a draft whose keys stand for something else than in an earlier version [quizzes.valid-version, quiz-documents.key-kinds]", async () => {
    const { id } = await makeQuiz(t, store, { publish: true });
    const changed = sampleQuiz();
    changed.pages[1]!.kind = "content";
    const you = changed.pages[2]!.components;
    const since = you[1];
    you[1] = { kind: "text", component_key: "since", question: "Since?", required: false, max_length: 100 };
    // not in the version before, but in one before that
    await makeQuiz(t, store, { quizId: id, document: pagesNamed("elsewhere"), publish: true });
    await makeQuiz(t, store, { quizId: id, document: changed });
    const refused = await save(id);
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toEqual([
      {
        field: "draft.pages.1.page_key",
        message: "is the key of a page of kind question in an earlier version, here of a page of kind content",
      },
      {
        field: "draft.pages.2.components.1.component_key",
        message: "is the key of a component of kind date in an earlier version, here of a component of kind text",
      },
    ]);
    expect(await versions(id)).toHaveLength(2);
    changed.pages[1]!.kind = "question";
    if (since) you[1] = since;
    await makeQuiz(t, store, { quizId: id, document: changed });
    expect((await save(id)).status).toBe(201);
  });

  it("takes labels of up to 200 characters [quizzes.versions]", async () => {
    const { id } = await makeQuiz(t, store);
    expect((await save(id, { label: "é🙂".repeat(100) })).body.label).toHaveLength(300);
    expect((await save(id, { label: "" })).body.label).toBe("");
    // half of a surrogate pair is answered as it is kept
    expect((await save(id, { label: "a\ud800b" })).body.label).toBe("a\ufffdb");
    expect((await versions(id))[0].label).toBe("a\ufffdb");
    for (const label of ["x".repeat(201), null, 7, ["x"]]) {
      const answer = await save(id, { label });
      expect(answer.status).toBe(422);
      expect(answer.body.errors).toMatchObject([{ field: "body.label" }]);
    }
    expect(await versions(id)).toHaveLength(3);
  });

  it("refuses a draft that is not valid, problem by problem [quizzes.valid-version]", async () => {
    const [page] = pagesNamed("a").pages;
    const document = { pages: [page, { ...page, title: 7 }], odd: true };
    const { id } = await makeQuiz(t, store, { document });
    const answer = await save(id);
    expect(answer.status).toBe(422);
    expect(answer.body.title).toBe("validation_error");
    const fields = answer.body.errors.map((error: { field: string }) => error.field);
    expect(fields.sort()).toEqual(["draft.odd", "draft.pages.1.title"]);
    expect(await versions(id)).toEqual([]);
    const repeated = await makeQuiz(t, store, { document: { pages: [page, page] } });
    expect((await save(repeated.id)).body.errors).toMatchObject([{ field: "draft.pages.1.page_key" }]);
  });

  it("saves a draft without pages [quizzes.pages-to-publish]", async () => {
    const { id } = await makeQuiz(t, store, { document: pagesNamed() });
    expect((await save(id)).body).toMatchObject({ number: 1, page_count: 0 });
  });

  it("waits for the AI assistant until its lease ends [quizzes.ai-run, quizzes.ai-lease]", async () => {
    const { id } = await makeQuiz(t, store);
    const start = () => t.database.transaction((tx) => aiRunStart(tx, t.foundations, id));
    await start();
    const answer = await save(id);
    expect(answer.status).toBe(409);
    expect(answer.body.title).toBe("ai_run_in_progress");
    t.calendar.advance(9 * 60_000);
    await start();
    t.calendar.advance(10 * 60_000 - 1);
    expect((await save(id)).status).toBe(409);
    t.calendar.advance(1);
    expect((await save(id)).status).toBe(201);
    await start();
    expect((await save(id)).status).toBe(409);
    await t.database.transaction((tx) => aiRunEnd(tx, id));
    expect((await save(id)).status).toBe(201);
    expect((await versions(id)).map((version: { number: number }) => version.number)).toEqual([2, 1]);
  });

  it("numbers versions without a gap however many are saved at once [quizzes.version-numbers]", async () => {
    const { id } = await makeQuiz(t, store);
    const answers = await Promise.all(Array.from({ length: 12 }, () => save(id)));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 201));
    const numbers = (await versions(id)).map((version: { number: number }) => version.number);
    expect(numbers).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it("answers a repeat under one Idempotency-Key with the version that it made [api.idempotency]", async () => {
    const { id } = await makeQuiz(t, store);
    const headers = { "idempotency-key": "once" };
    const first = await save(id, { label: "a" }, headers);
    const again = await save(id, { label: "a" }, headers);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(again.headers["location"]).toBe(first.headers["location"]);
    expect([first.headers["idempotent-replayed"], again.headers["idempotent-replayed"]]).toEqual([undefined, "true"]);
    const other = await save(id, { label: "b" }, headers);
    expect(other.status).toBe(422);
    expect(other.body.errors).toMatchObject([{ field: "header.Idempotency-Key" }]);
    const atOnce = await Promise.all([1, 2, 3].map(() => save(id, {}, { "idempotency-key": "at-once" })));
    expect(new Set(atOnce.map((answer) => answer.body.id)).size).toBe(1);
    expect(atOnce.filter((answer) => answer.headers["idempotent-replayed"] === "true")).toHaveLength(2);
    expect(await versions(id)).toHaveLength(2);
    t.calendar.advance(24 * 60 * 60_000);
    expect((await save(id, { label: "a" }, headers)).body.number).toBe(3);
  });

  it("keeps nothing of a refusal under its Idempotency-Key [api.idempotency]", async () => {
    const { id } = await makeQuiz(t, store, { document: { pages: 1 } });
    const headers = { "idempotency-key": "mended" };
    expect((await save(id, {}, headers)).status).toBe(422);
    await makeQuiz(t, store, { quizId: id });
    const answer = await save(id, {}, headers);
    expect(answer.status).toBe(201);
    expect(answer.headers["idempotent-replayed"]).toBeUndefined();
  });

  it("records the version under the key's admin [quizzes.history]", async () => {
    const key = await t.key(store, ["quizzes:write"], { admin: "mira@example.com" });
    const { id } = await makeQuiz(t, store);
    t.calendar.advance(1);
    const { body } = await t.request("POST", `/v1/quizzes/${id}/versions`, { key });
    const [newest] = await quizHistory(t.database.reader(), id);
    expect(newest).toEqual({
      at: body.created_at,
      action: "saved",
      version_id: body.id,
      version_number: 1,
      admin: "mira@example.com",
      source: "api",
      key_id: expect.stringMatching(/^key_[0-9a-f]{32}$/),
    });
  });
});
