import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { countRows, outbox, recently, send, sessionId, sessionRow } from "../../testkit/storefront.ts";
import { twinOf } from "../../testkit/test-twins.ts";

let t: TestApp;
let store: TestStore;
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "plus" });
});
afterAll(() => t.close());

const headless =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/137.0.0.0 Safari/537.36";
const headed = headless.replace("Headless", "");
let visits = 0;

/** A whole visit; the number that its session has. */
async function visit(shop: TestStore, quiz: TestQuiz, userAgent: string): Promise<number> {
  visits += 1;
  const events = recently(t, shortWay, { firstId: visits * 100 });
  const session = { id: sessionId(visits) };
  const answer = await send(t, shop, quiz, events, { session, headers: { "user-agent": userAgent } });
  expect([answer.status, answer.body]).toEqual([202, { accepted: events.length, duplicates: 0, rejected: [] }]);
  return visits;
}

describe("a robot that takes a quiz", () => {
  it("is answered like anybody, and counts nowhere [sessions.robots]", async () => {
    const quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
    const before = [await outbox(t, store), await countRows(t, store, "profiles")];
    const robot = await visit(store, quiz, headless);
    expect(await sessionRow(t, store, sessionId(robot))).toMatchObject({ preview: true });
    expect([await outbox(t, store), await countRows(t, store, "profiles")]).toEqual(before);
    const person = await visit(store, quiz, headed);
    expect(await sessionRow(t, store, sessionId(person))).toMatchObject({ preview: false });
    const overview = await t.request("GET", `/v1/quizzes/${quiz.id}/analytics/overview`, { key: store.key });
    expect(overview.body.totals).toMatchObject({ views: 1, unique_viewers_approx: 1, starts: 1 });
    const { body } = await t.request("GET", "/v1/store", { key: store.key });
    expect(body.credits.used).toBe(1);
  });

  it("counts in a test twin, where browsers of tests take quizzes [sessions.robots, test-stores.twin]", async () => {
    const twin = await twinOf(t, store);
    const quiz = await makeQuiz(t, twin, { document: finderDocument, publish: true });
    const robot = await visit(twin, quiz, headless);
    expect(await sessionRow(t, twin, sessionId(robot))).toMatchObject({ preview: false });
  });
});
