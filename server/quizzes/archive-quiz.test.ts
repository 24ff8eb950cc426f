import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { aiRunStart } from "./ai-lease.ts";
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

const post = (id: string, act: string) => t.request("POST", `/v1/quizzes/${id}/${act}`, { key: store.key });
const summary = async (id: string) => {
  const { data } = (await t.request("GET", "/v1/quizzes?limit=100", { key: store.key })).body;
  return data.find((quiz: { id: string }) => quiz.id === id);
};
const history = (id: string) => quizHistory(t.database.reader(), id);

describe("POST /v1/quizzes/{quiz_id}/archive and unarchive", () => {
  it("archives and takes out again, whatever the status [quizzes.archive, quizzes.summary]", async () => {
    for (const publish of [false, true]) {
      const { id } = await makeQuiz(t, store, { publish });
      const before = await summary(id);
      t.calendar.advance(5000);
      const archived = await post(id, "archive");
      expect(archived.status).toBe(200);
      const at = new Date(t.calendar.now()).toISOString();
      expect(archived.body).toEqual({ ...before, archived: true, updated_at: at });
      expect(await summary(id)).toEqual(archived.body);
      t.calendar.advance(5000);
      const back = await post(id, "unarchive");
      const later = new Date(t.calendar.now()).toISOString();
      expect(back.body).toEqual({ ...before, archived: false, updated_at: later });
      expect((await history(id)).map(({ action }) => action).slice(0, 2)).toEqual(["unarchived", "archived"]);
    }
  });

  it("changes nothing where it is so already [quizzes.no-change]", async () => {
    const { id } = await makeQuiz(t, store);
    const before = [await summary(id), await history(id)];
    t.calendar.advance(5000);
    expect((await post(id, "unarchive")).status).toBe(200);
    expect([await summary(id), await history(id)]).toEqual(before);
    await post(id, "archive");
    const archived = [await summary(id), await history(id)];
    t.calendar.advance(5000);
    const again = await post(id, "archive");
    expect([again.status, again.body]).toEqual([200, archived[0]]);
    expect([await summary(id), await history(id)]).toEqual(archived);
  });

  it("waits for the AI assistant until its lease ends [quizzes.ai-run, quizzes.ai-lease]", async () => {
    const { id } = await makeQuiz(t, store);
    await t.database.transaction((tx) => aiRunStart(tx, t.foundations, id));
    for (const act of ["archive", "unarchive"]) {
      const answer = await post(id, act);
      expect(answer.status).toBe(409);
      expect(answer.body.title).toBe("ai_run_in_progress");
    }
    t.calendar.advance(10 * 60_000);
    expect((await post(id, "archive")).status).toBe(200);
  });

  it("archives once when asked several times at once [quizzes.archive]", async () => {
    const { id } = await makeQuiz(t, store);
    t.calendar.advance(1);
    const answers = await Promise.all([1, 2, 3, 4].map(() => post(id, "archive")));
    expect(answers.map((answer) => [answer.status, answer.body.archived])).toEqual(answers.map(() => [200, true]));
    expect((await history(id)).map(({ action }) => action)).toEqual(["archived", "imported"]);
  });
});
