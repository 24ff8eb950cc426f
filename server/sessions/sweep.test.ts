import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { choose, closed, enter, finish, opened, shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { countRows, outbox, recently, send, sessionId, sessionRow } from "../../testkit/storefront.ts";
import { VersionCache } from "../quizzes/public.ts";
import { sweepSessions } from "./sweep.ts";

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  store = await t.store();
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  await sweep();
});

const half = 30 * 60_000;
const sweep = () => {
  const { random, log } = t.foundations;
  return sweepSessions(t.database, { versions: new VersionCache(), now: t.calendar.now, random, log });
};
const answered = [opened({ min: 0 }), enter("skin", "start"), choose("skin", "skin_type", 1)];
const take = (script: Parameters<typeof recently>[1], number = 1, more = {}) =>
  send(t, store, quiz, recently(t, script, { minutesAgo: 0 }), { session: { id: sessionId(number), ...more } });
const topics = async () => (await outbox(t, store)).map((event) => event.topic);

it("ends a session after 30 idle minutes and appends quiz.abandoned once (storefront 2, 6.1)", async () => {
  await take(answered);
  const before = await sessionRow(t, store, sessionId(1));
  t.calendar.advance(half - 1);
  expect(await sweep()).toBe(0);
  const changes = await countRows(t, store, "changes");
  t.calendar.advance(1);
  expect(await sweep()).toBe(1);
  expect(await sessionRow(t, store, sessionId(1))).toMatchObject({
    status: "left",
    ended_at: new Date((before?.last_event_at.getTime() ?? 0) + half),
    due_at: null,
    state: { end_reason: "timed_out" },
  });
  expect(await topics()).toEqual(["quiz.started", "quiz.abandoned"]);
  expect((await outbox(t, store))[1]?.created_at.getTime()).toBe((before?.last_event_at.getTime() ?? 0) + half);
  expect(await countRows(t, store, "changes")).toBe(changes + 1);
  expect(await sweep()).toBe(0);
  await take([closed({ seq: 30 })]);
  t.calendar.advance(2 * half);
  await sweep();
  expect((await topics()).filter((topic) => topic === "quiz.abandoned")).toHaveLength(1);
});

it("appends quiz.abandoned for a closed session too, not for one without an answer, a finished one, a preview (6.1, F, D17)", async () => {
  await take([...answered, closed()], 1);
  await take([opened({ min: 0 }), enter("skin", "start")], 2);
  await take([...shortWay, finish("result")], 3);
  await take(answered, 4, { preview: true });
  t.calendar.advance(2 * half);
  while ((await sweep()) > 0);
  expect((await topics()).filter((topic) => topic === "quiz.abandoned")).toHaveLength(1);
  const ends = await Promise.all(
    [1, 2, 3, 4].map(async (n) => (await sessionRow(t, store, sessionId(n)))?.state.end_reason),
  );
  expect(ends).toEqual(["closed", "timed_out", "finished", "timed_out"]);
});

it("moves a session on that went on meanwhile (design: due work is state)", async () => {
  await take(answered);
  t.calendar.advance(20 * 60_000);
  await send(t, store, quiz, recently(t, [enter("age", "next", { seq: 8, min: 0 })], { minutesAgo: 0, firstId: 8 }));
  t.calendar.advance(20 * 60_000);
  expect(await sweep()).toBe(1);
  const row = await sessionRow(t, store, sessionId(1));
  expect(row?.status).toBe("in_progress");
  expect(row?.due_at?.getTime()).toBe((row?.last_event_at.getTime() ?? 0) + half);
  t.calendar.advance(half);
  expect(await sweep()).toBe(1);
  expect((await sessionRow(t, store, sessionId(1)))?.status).toBe("left");
});

it("deals with many sessions of several stores, at most 100 at a time (promise 6)", async () => {
  const other = await t.store();
  const theirs = await makeQuiz(t, other, { document: finderDocument, publish: true });
  await Promise.all(
    Array.from({ length: 130 }, (_, number) => {
      const [shop, own] = number % 2 ? [store, quiz] : [other, theirs];
      return send(t, shop, own, recently(t, [opened({ min: 0 })], { minutesAgo: 0 }), {
        session: { id: sessionId(number) },
      });
    }),
  );
  t.calendar.advance(half);
  expect(await sweep()).toBe(100);
  expect(await sweep()).toBe(30);
  expect(await sweep()).toBe(0);
});

it("lets two sweepers at once append each event once (promise 6)", async () => {
  await Promise.all(Array.from({ length: 20 }, (_, number) => take(answered, number)));
  t.calendar.advance(half);
  await Promise.all([sweep(), sweep(), sweep()]);
  expect((await topics()).filter((topic) => topic === "quiz.abandoned")).toHaveLength(20);
});
