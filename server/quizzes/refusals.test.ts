import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { quizOperations } from "../../contract/quizzes.ts";
import { allScopes } from "../../contract/scopes.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";

/** What every route of quizzes and versions refuses alike. */

let t: TestApp;
let store: TestStore;
let other: TestStore;
let quiz: TestQuiz;
let foreign: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
  other = await t.store({ plan: "enterprise" });
  quiz = await makeQuiz(t, store, { publish: true });
  foreign = await makeQuiz(t, other, { publish: true });
});
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

const fill = (path: string, { id, versionId }: { id: string; versionId: string }) =>
  path.replace("{quiz_id}", id).replace("{version_id}", versionId);
const routes = quizOperations.map((operation) => ({ ...operation, name: `${operation.method} ${operation.path}` }));
const withQuiz = routes.filter(({ path }) => path.includes("{quiz_id}"));
const unknown = { id: `quiz_${"0".repeat(32)}`, versionId: `ver_${"0".repeat(32)}` };

describe.each(routes)("$name", ({ method, path, scope }) => {
  it("refuses a request without a key [api.key-required]", async () => {
    const answer = await t.request(method, fill(path, quiz));
    expect(answer.status).toBe(401);
    expect(answer.body.title).toBe("invalid_api_key");
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  });

  it("refuses a key without its scope and names it [api.scopes]", async () => {
    const key = await t.key(
      store,
      allScopes.filter((each) => each !== scope),
    );
    const answer = await t.request(method, fill(path, quiz), { key });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ title: "insufficient_scope", required: [scope] });
  });

  it("refuses a parameter that it does not declare [api.parameters]", async () => {
    const answer = await t.request(method, `${fill(path, unknown)}?odd=1`, { key: store.key });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([{ field: "query.odd", message: expect.any(String) }]);
  });

  it("refuses a body field that it does not declare [api.bodies]", async () => {
    const answer = await t.request(method, fill(path, unknown), { key: store.key, body: { odd: 1 } });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([{ field: "body.odd", message: expect.any(String) }]);
  });

  it("refuses a method that the path does not take, with Allow [api.methods]", async () => {
    const answer = await t.request("PATCH", fill(path, quiz));
    expect(answer.status).toBe(405);
    expect(answer.body.title).toBe("method_not_allowed");
    expect(String(answer.headers["allow"]).split(", ")).toContain(method);
  });
});

describe.each(withQuiz)("$name", ({ method, path }) => {
  it("does not find unknown, foreign, malformed, misplaced and deleted ids [api.not-found]", async () => {
    const deleted = await makeQuiz(t, store, { publish: true });
    await t.request("DELETE", `/v1/quizzes/${deleted.id}`, { key: store.key });
    const hex = quiz.id.slice(5);
    const wrong = [
      unknown,
      foreign,
      { ...quiz, id: foreign.id },
      deleted,
      { ...quiz, id: `ver_${hex}` },
      { ...quiz, id: hex },
      { ...quiz, id: `quiz_${hex.toUpperCase()}x` },
      { ...quiz, id: quiz.uuid },
      { ...quiz, id: "%00" },
    ];
    if (path.includes("{version_id}")) {
      const sibling = await makeQuiz(t, store, { publish: true });
      wrong.push({ ...quiz, versionId: sibling.versionId });
      wrong.push({ ...quiz, versionId: foreign.versionId });
      wrong.push({ ...quiz, versionId: quiz.versionId.replace("ver_", "quiz_") });
      wrong.push({ ...quiz, versionId: "ver_1" });
    }
    for (const ids of wrong) {
      const answer = await t.request(method, fill(path, ids), { key: store.key });
      expect([ids, answer.status]).toEqual([ids, 404]);
      expect(answer.body.title).toBe("not_found");
    }
    const kept = await t.request("GET", `/v1/quizzes/${foreign.id}`, { key: other.key });
    expect(kept.body).toMatchObject({ status: "published", archived: false, published_version: foreign.versionId });
    const versions = await t.request("GET", `/v1/quizzes/${foreign.id}/versions`, { key: other.key });
    expect(versions.body.data).toHaveLength(1);
  });
});
