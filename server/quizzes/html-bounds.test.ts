import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Answered, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { content, page, quizDocument } from "../../testkit/document-parts.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { importQuiz } from "./import.ts";
import { lintFile } from "./operators.ts";

let t: TestApp;
let store: TestStore;
let mira: Record<string, string>;
beforeAll(async () => {
  const people = new TestPeople();
  t = await openTestApp({ signedIn: people.signedIn });
  store = await t.store({ plan: "enterprise" });
  mira = inStore(people.add("mira", { in: [[store, "editor"]] }), store);
});
afterAll(() => t.close());
beforeEach(() => t.passTime(600_000));

/** As programs before this rule stored it. */
async function storeAnyway(quiz: TestQuiz, document: object): Promise<void> {
  await t.database.transaction(async (tx) => {
    const db = tx.forStore(store.uuid);
    const json = JSON.stringify(document);
    await db.all(sql`UPDATE quizzes SET draft = ${json} WHERE store_id = ${ownStore} AND id = ${quiz.uuid}`);
    await db.all(
      sql`UPDATE quiz_versions SET document = ${json} WHERE store_id = ${ownStore} AND quiz_id = ${quiz.uuid}`,
    );
  });
}

const nestedIn = (tag: string, depth: number) => `<${tag}>`.repeat(depth).concat("a", `</${tag}>`.repeat(depth));
const withHtml = (html: string) => quizDocument([page("a", [content("one", "<p>b</p>"), content("two", html)])]);
const deep = withHtml(nestedIn("em", 33));
const path = "pages.0.components.1.html_text";
const message = "must not be nested more than 32 elements deep";
const refused = ({ status, body }: Answered) => [status, body.errors];
const asField = [422, [{ field: `draft.${path}`, message }]];

describe("HTML that is nested more than 32 elements deep [quiz-documents.html-bounds]", () => {
  it("is refused at its field in drafts, however it is sent", async () => {
    const { id } = await makeQuiz(t, store, { document: withHtml("<p>b</p>") });
    const put = (document: unknown) =>
      t.request("PUT", `/dashboard/api/quizzes/${id}/draft`, {
        body: { document },
        headers: { ...mira, "if-match": '"1"' },
      });
    expect(refused(await put(deep))).toEqual(asField);
    expect(refused(await put(withHtml(nestedIn("div", 33))))).toEqual(asField);
    expect(refused(await put(withHtml("<div>".repeat(4_000))))).toEqual(asField);
    const created = await t.request("POST", "/dashboard/api/quizzes", { body: { document: deep }, headers: mira });
    expect(refused(created)).toEqual(asField);
    const run = await t.request("POST", `/v1/quizzes/${id}/draft/run`, { key: store.key, body: {} });
    const changes = [{ op: "set", path: "/pages/a/components/two/html_text", value: nestedIn("em", 33) }];
    const body = { run_id: run.body.run_id, changes };
    expect(refused(await t.request("PATCH", `/v1/quizzes/${id}/draft`, { key: store.key, body }))).toEqual(asField);
    await t.request("POST", `/v1/quizzes/${id}/draft/run/end`, { key: store.key, body: { run_id: run.body.run_id } });
    expect((await t.request("GET", `/v1/quizzes/${id}/draft`, { key: store.key })).body.revision).toBe(1);
  });

  it("is an error of the lint, and nothing that an import accepts", async () => {
    const { id } = await makeQuiz(t, store);
    const error = { severity: "error", code: "invalid", path, message };
    const lint = await t.request("POST", `/dashboard/api/quizzes/${id}/draft/lint`, { body: deep, headers: mira });
    expect([lint.status, lint.body.findings]).toEqual([200, expect.arrayContaining([error])]);
    expect(await lintFile(deep)).toContainEqual(error);
    for (const publish of [false, true]) {
      const taken = t.database.transaction((tx) =>
        importQuiz(tx, t.foundations, store.uuid, { document: deep, publish }),
      );
      await expect(taken).rejects.toThrow(`${path} ${message}`);
    }
  });

  it("makes no version of a draft from before, which can still be read, copied and renamed", async () => {
    const quiz = await makeQuiz(t, store);
    await storeAnyway(quiz, deep);
    const { id } = quiz;
    expect(refused(await t.request("POST", `/v1/quizzes/${id}/versions`, { key: store.key, body: {} }))).toEqual(
      asField,
    );
    const headers = { ...mira, "if-match": '"1"' };
    const at = `/dashboard/api/quizzes/${id}`;
    expect(refused(await t.request("POST", `${at}/draft/publish`, { headers, body: {} }))).toEqual(asField);
    expect((await t.request("GET", `${at}/draft`, { headers: mira })).body.document).toEqual(deep);
    expect((await t.request("POST", `${at}/duplicate`, { headers: mira, body: {} })).body.document).toEqual(deep);
    expect((await t.request("PUT", `${at}/draft`, { headers, body: { name: "Older" } })).status).toBe(200);
  });

  it("stays in versions from before, which are published, served and restored as they are", async () => {
    const quiz = await makeQuiz(t, store, { publish: true });
    const { id, versionId } = quiz;
    await storeAnyway(quiz, withHtml(nestedIn("em", 1_000)));
    const at = `/v1/quizzes/${id}/versions/${versionId}/publish`;
    expect((await t.request("POST", at, { key: store.key, body: {} })).status).toBe(200);
    const served = await t.request("GET", `/storefront/v1/quizzes/${id}?store=${store.publishableKey}`);
    expect([served.status, served.body.document.pages[0].components[1].html_text]).toEqual([
      200,
      nestedIn("em", 1_000),
    ]);
    const restored = await t.request("POST", `/dashboard/api/quizzes/${id}/versions/${versionId}/restore`, {
      headers: { ...mira, "if-match": '"1"' },
      body: {},
    });
    expect(restored.status).toBe(200);
  });
});
