import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz, pagesNamed } from "../../testkit/quizzes.ts";
import { formatId } from "../platform/ids.ts";
import { fullDefinition, presentQuizzes, publishesOf } from "./public.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
});
afterAll(() => t.close());

const db = () => t.database.reader();
const definition = async (quizId: string) => {
  const found = await fullDefinition(db().forStore(store.uuid), quizId);
  return found?.pages.map(({ page_key, removed }) => (removed ? `-${page_key}` : page_key));
};

it("is the draft's, while no version was saved [quizzes.described-version]", async () => {
  const draft = await makeQuiz(t, store, { document: pagesNamed("a", "b") });
  expect(await definition(draft.uuid)).toEqual(["a", "b"]);
  expect(await fullDefinition(db().forStore(store.uuid), "00000000-0000-7000-8000-000000000404")).toBeNull();
  const other = await t.store();
  expect(await fullDefinition(db().forStore(other.uuid), draft.uuid)).toBeNull();
});

it("has what earlier versions had, and later ones that are not live, as removed [quizzes.removed-keys]", async () => {
  const quiz = await makeQuiz(t, store, { document: pagesNamed("a", "old"), publish: true, name: "Three versions" });
  const { id: quizId } = quiz;
  const second = await makeQuiz(t, store, { document: pagesNamed("a", "b"), publish: true, quizId });
  await makeQuiz(t, store, { document: pagesNamed("new", "a"), publish: true, quizId });
  expect(await definition(quiz.uuid)).toEqual(["new", "a", "-b", "-old"]);
  t.calendar.advance(60_000);
  const back = `/v1/quizzes/${quizId}/versions/${second.versionId}/publish`;
  expect((await t.request("POST", back, { key: store.key })).status).toBe(200);
  expect(await definition(quiz.uuid)).toEqual(["a", "b", "-new", "-old"]);
  const publishes = await publishesOf(db().forStore(store.uuid), quiz.uuid);
  expect(publishes.map(({ versionNumber }) => versionNumber)).toEqual([1, 2, 3, 2]);
  expect(publishes.at(-1)?.at).toBe(t.calendar.now());
});

it("stays with a deleted quiz, which is no present one any more [quizzes.described-version]", async () => {
  const quiz = await makeQuiz(t, store, { document: pagesNamed("a"), publish: true, name: "To go" });
  const listed = async () => (await presentQuizzes(db().forStore(store.uuid))).filter(({ id }) => id === quiz.uuid);
  expect(await listed()).toEqual([{ id: quiz.uuid, name: "To go", status: "published" }]);
  await t.request("DELETE", `/v1/quizzes/${formatId("quiz", quiz.uuid)}`, { key: store.key });
  expect(await listed()).toEqual([]);
  expect(await definition(quiz.uuid)).toEqual(["a"]);
});
