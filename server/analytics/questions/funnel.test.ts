import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { askedOf, at, type HandStore, openHandStore } from "../../../testkit/hand-copy.ts";
import { makeQuiz } from "../../../testkit/quizzes.ts";
import { sampleQuiz } from "../../../testkit/sample-quiz.ts";
import { funnel } from "./funnel.ts";

/** Pages as the copy numbers them; `old` was in the first version alone. */
const pageKeys = ["skin", "oil", "you", "result", "old"];
const [skin, oil, you, result, old] = [1, 2, 3, 4, 5];

let hand: HandStore;
beforeAll(async () => {
  const first = sampleQuiz();
  first.pages.splice(1, 0, { ...first.pages[1]!, page_key: "old", title: "An old page", components: [] });
  hand = await openHandStore(first, pageKeys);
  const quizId = `quiz_${hand.quizId.replaceAll("-", "")}`;
  await makeQuiz(hand.t, hand.store, { publish: true, quizId });
});
beforeEach(() => hand.begin());
afterAll(() => hand.close());

const ask = (filters: Parameters<typeof askedOf>[4] = {}) =>
  funnel(hand.copy.query, hand.db, askedOf(hand, hand.quizId, "2026-03-01", "2026-03-31", filters));

/** A session with its way through the pages. */
async function went(session: number, opened: string, started: string | null, status: string, way: object[], more = {}) {
  const start = started === null ? null : at(started);
  const exit_page = (way.at(-1) as { page: number } | undefined)?.page ?? null;
  const completed = status === "completed" ? at("2026-05-01T00:00") : null;
  await hand.copy.put("sessions", {
    session,
    opened: at(opened),
    started: start,
    status,
    completed,
    exit_page,
    ...more,
  });
  await hand.copy.put("visits", ...way.map((visit) => ({ session, started: start, ...visit })));
}

it("follows the cohort to its end, past the range, and adds up [funnel.cohort, funnel.views, funnel.balance, funnel.page-counts, funnel.page-time, funnel.page-list]", async () => {
  // opened before the range, started in it: a view too; finished after it
  await went(1, "2026-02-28T23:59", "2026-03-01T00:00", "completed", [
    { page: skin, time_ms: 1_000 },
    { page: oil, time_ms: 500, skipped: true },
    { page: you, time_ms: 2_001 },
    { page: result },
  ]);
  await went(2, "2026-03-02T10:00", "2026-03-02T10:00", "left", [
    { page: skin, time_ms: 2_000, went_back: true },
    { page: you, first_by_jump: true },
  ]);
  await went(3, "2026-03-03T10:00", "2026-03-31T23:59", "in_progress", [{ page: skin, time_ms: 1 }, { page: you }]);
  await went(4, "2026-03-04T10:00", "2026-03-04T10:00", "left", [{ page: old }]);
  // opened in the range, never started, or after it: no cohort
  await went(5, "2026-03-05T10:00", null, "left", [{ page: skin, time_ms: 99_000 }]);
  await went(6, "2026-03-31T23:59", "2026-04-01T00:00", "left", [{ page: skin }]);
  await went(7, "2026-02-01T00:00", "2026-02-01T00:00", "left", [{ page: skin }]);
  await went(8, "2026-03-02T10:00", "2026-03-02T10:00", "left", [{ page: skin, quiz: 2 }], { quiz: 2 });
  const body = await ask();
  expect(body).toMatchObject({ views: 6, not_started: 2, starts: 4, completions: 1, in_progress: 1 });
  const dropped = body.pages.reduce((sum, page) => sum + page.sessions_dropped, 0);
  expect(body.starts).toBe(body.completions + dropped + body.in_progress);
  expect(body.pages.map(({ page_key, title, removed }) => [page_key, title, removed])).toEqual([
    ["skin", "Your skin", false],
    ["oil", "About oil", false],
    ["you", "You", false],
    ["result", "For you", false],
    ["old", "An old page", true],
  ]);
  expect(body.pages.map((page) => [page.sessions_reached, page.sessions_continued, page.sessions_dropped])).toEqual([
    [3, 3, 0],
    [1, 1, 0],
    [3, 1, 1],
    [1, 1, 0],
    [1, 0, 1],
  ]);
  expect(body.pages[0]).toMatchObject({
    sessions_reached_by_jump: 0,
    sessions_skipped: 0,
    sessions_went_back: 1,
    avg_time_on_page_ms: 3_001 / 3,
    dropped_share_of_starts: 0,
  });
  expect(body.pages[1]).toMatchObject({ sessions_skipped: 1, avg_time_on_page_ms: 500 });
  expect(body.pages[2]).toMatchObject({
    sessions_reached_by_jump: 1,
    avg_time_on_page_ms: 2_001,
    dropped_share_of_starts: 0.25,
  });
  expect(body.pages[3]?.avg_time_on_page_ms).toBeNull();
});

it("counts two steps of the same second as two steps [funnel.page-counts]", async () => {
  await went(1, "2026-03-02T10:00", "2026-03-02T10:00", "completed", [
    { page: skin, time_ms: 0 },
    { page: you, time_ms: 0 },
    { page: result, time_ms: 0 },
  ]);
  const reached = (await ask()).pages.map((page) => [page.page_key, page.sessions_continued, page.avg_time_on_page_ms]);
  expect(reached).toEqual([
    ["skin", 1, 0],
    ["oil", 0, null],
    ["you", 1, 0],
    ["result", 1, 0],
  ]);
});

it("lists the present pages without data, and no rates [funnel.page-list, funnel.page-counts]", async () => {
  const body = await ask();
  expect(body).toMatchObject({ views: 0, not_started: 0, starts: 0, completions: 0, in_progress: 0 });
  expect(body.pages.map((page) => page.page_key)).toEqual(["skin", "oil", "you", "result"]);
  expect(body.pages[0]).toMatchObject({
    sessions_reached: 0,
    avg_time_on_page_ms: null,
    dropped_share_of_starts: null,
  });
});

it("filters sessions and their pages alike [analytics.filters]", async () => {
  await went(1, "2026-03-02T10:00", "2026-03-02T10:00", "left", [{ page: skin }], { device: "tablet" });
  await went(2, "2026-03-02T10:00", "2026-03-02T10:00", "left", [{ page: skin }, { page: you }]);
  const body = await ask({ device: "tablet" });
  expect(body).toMatchObject({ views: 1, starts: 1 });
  expect(body.pages.map((page) => page.sessions_reached)).toEqual([1, 0, 0, 0]);
});
