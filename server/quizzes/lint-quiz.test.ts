import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lint } from "../../engine/lint.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { sampleQuiz } from "../../testkit/sample-quiz.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
});
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

const ask = (path: string, key = store.key) => t.request("GET", `/v1/quizzes/${path}/lint`, { key });

/** A document with a page that nobody reaches. */
function flawed() {
  const document = sampleQuiz();
  const [first] = document.pages;
  if (!first) throw new Error("the sample has pages");
  const lost = { ...first, page_key: "lost", components: [], visible_when: { any: [] } };
  return { ...document, pages: [...document.pages, lost] };
}

describe("the lint by API [quizzes.lint]", () => {
  it("says of a saved version what the command line says of its document", async () => {
    const document = flawed();
    expect(lint(document).length).toBeGreaterThan(lint(sampleQuiz()).length);
    const quiz = await makeQuiz(t, store, { document, publish: true });
    const answer = await ask(`${quiz.id}/versions/${quiz.versionId}`);
    expect([answer.status, answer.body]).toEqual([200, { findings: lint(document) }]);
  });

  it("says of the draft what stands in the way of its next version, and leaves the version's as they are", async () => {
    const quiz = await makeQuiz(t, store, { publish: true });
    const before = await ask(`${quiz.id}/versions/${quiz.versionId}`);
    expect((await ask(`${quiz.id}/draft`)).body).toEqual(before.body);
    await makeQuiz(t, store, { quizId: quiz.id, document: { pages: "none" } });
    const answer = await ask(`${quiz.id}/draft`);
    expect(answer.status).toBe(200);
    expect(answer.body.findings[0]).toMatchObject({ severity: "error" });
    expect((await ask(`${quiz.id}/versions/${quiz.versionId}`)).body).toEqual(before.body);
  });

  it("names a key that the draft gives to another kind of thing [quiz-documents.key-kinds]", async () => {
    const document = sampleQuiz();
    const quiz = await makeQuiz(t, store, { document, publish: true });
    const changed = structuredClone(document);
    const page = changed.pages.find(({ components }) => components.some(({ kind }) => kind === "email"));
    const question = page?.components.find((component) => component.kind === "email");
    if (!page || question?.kind !== "email") throw new Error("the sample asks for an email");
    page.components = [{ ...question, kind: "phone" }];
    await makeQuiz(t, store, { quizId: quiz.id, document: changed });
    const { body } = await ask(`${quiz.id}/draft`);
    expect(body.findings.map(({ severity }: { severity: string }) => severity)).toContain("error");
    expect((await ask(`${quiz.id}/versions/${quiz.versionId}`)).body.findings).toEqual(lint(document));
  });

  it("finds no version of another quiz, no deleted quiz, and needs quizzes:read [api.not-found, api.scopes]", async () => {
    const [one, other] = [await makeQuiz(t, store, { publish: true }), await makeQuiz(t, store, { publish: true })];
    expect((await ask(`${one.id}/versions/${other.versionId}`)).status).toBe(404);
    await t.request("DELETE", `/v1/quizzes/${other.id}`, { key: store.key });
    expect((await ask(`${other.id}/versions/${other.versionId}`)).status).toBe(404);
    expect((await ask(`${other.id}/draft`)).status).toBe(404);
    const key = await t.key(store, ["quizzes:write"]);
    expect((await ask(`${one.id}/draft`, key)).body).toMatchObject({ status: 403, required: ["quizzes:read"] });
  });
});
