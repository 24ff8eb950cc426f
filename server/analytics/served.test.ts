import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyticsOperations } from "../../contract/analytics.ts";
import { type Answered, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { makeQuiz, type TestQuiz } from "../../testkit/quizzes.ts";
import { finish, shortWay } from "../../testkit/session-scripts.ts";
import { finderDocument } from "../../testkit/small-quizzes.ts";
import { recently, send, sessionId, visitorId } from "../../testkit/storefront.ts";

/** Every analytics route from a shopper's event to the answer, through the real copy. */

let t: TestApp;
let store: TestStore;
let quiz: TestQuiz;
let sessions = 0;

/** Takes the quiz to its end, on the app's present day. */
async function takeQuiz(): Promise<void> {
  sessions += 1;
  const events = recently(t, [...shortWay, finish("result")], { firstId: sessions * 100 });
  const session = { id: sessionId(sessions), visitor_id: visitorId(sessions) };
  expect((await send(t, store, quiz, events, { session })).status).toBe(202);
}

beforeAll(async () => {
  t = await openTestApp();
  store = await t.store();
  await t.update(store, { limits: { capacity: 100_000, leak_per_second: 10_000 } });
  quiz = await makeQuiz(t, store, { document: finderDocument, publish: true });
  await takeQuiz();
});
afterAll(() => t.close());

const get = (url: string): Promise<Answered> => t.request("GET", url, { key: store.key });
const urlOf = (path: string) => path.replace("{quiz_id}", quiz.id) + (path.endsWith("breakdown") ? "?by=channel" : "");

/** What shows that the one session was counted. */
const told: Record<string, unknown> = {
  getAnalyticsSummary: { views: { current: 1 }, completions: { current: 1 }, period: "7d" },
  compareQuizzes: { data: [{ views: 1, starts: 1, completions: 1, status: "published" }], total: 1, has_more: false },
  getStoreAnalyticsOverview: { quiz_id: null, totals: { views: 1, completions: 1, completion_rate: 1 }, markers: [] },
  getStoreAnalyticsBreakdown: { quiz_id: null, rows: [{ value: "online_store", views: 1 }] },
  getStoreAnalyticsProducts: { quiz_id: null, total_products: 0, rows: [] },
  getQuizAnalyticsOverview: { totals: { views: 1, starts: 1, completions: 1 }, data_start: "2026-03-10" },
  getQuizAnalyticsAnswers: { answered: 1, question: { component_key: "skin_type" } },
  getQuizAnalyticsFunnel: { views: 1, starts: 1, completions: 1, in_progress: 0 },
  getQuizAnalyticsBreakdown: { by: "channel", rows: [{ value: "online_store", completions: 1 }] },
  getQuizAnalyticsPaths: { cohort: "all", sessions: 1 },
  getQuizAnalyticsProducts: { total_products: 0, line_revenue: { amount: "0.00", currency: "USD" } },
  getQuizAnalyticsTraffic: { by: "referrer_host", rows: [{ value: "direct", views: 1 }] },
};

describe("analytics of what a shopper did", () => {
  it.each(analyticsOperations.map(({ id, path }) => [id, path] as const))(
    "are told by %s [analytics.questions]",
    async (id, path) => {
      const answer = await get(urlOf(path));
      expect([answer.status, answer.body.title]).toEqual([200, undefined]);
      expect(answer.body).toMatchObject(told[id] as object);
      expect(answer.body.freshness).toMatchObject({ pending: false, stale: false, today_live: true });
    },
  );

  it.for([
    "/v1/analytics/quizzes?q=%00",
    "/v1/analytics/quizzes?q=",
    "/v1/analytics/quizzes?offset=999999999999999",
    "{quiz}/answers?component_key=%00",
    "{quiz}/answers?component_key=",
    "{quiz}/traffic?by=utm_term&limit=1000",
    "/v1/analytics/overview?to=0000-01-03",
    "/v1/analytics/overview?from=2011-12-01&to=2012-01-10&tz=Pacific/Apia",
    "/v1/analytics/overview?channel=x&device=other&new_returning=new&country=unknown&tz=Asia/Kathmandu",
  ])("refuse or answer %s, and never fail [analytics.parameter-values]", async (path) => {
    const answer = await get(path.replace("{quiz}", `/v1/quizzes/${quiz.id}/analytics`));
    expect([200, 422]).toContain(answer.status);
  });

  it("name a question that the quiz lacks [answers.unknown-question]", async () => {
    const answer = await get(`/v1/quizzes/${quiz.id}/analytics/answers?component_key=unknown`);
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, "query.component_key"]);
  });

  it("include an event from the first answer whose as_of is later [analytics.covers-accepted-events]", async () => {
    const url = "/v1/analytics/overview?tz=Europe/Berlin";
    const before = (await get(url)).body;
    t.calendar.advance(1);
    const sentAt = t.calendar.now();
    await takeQuiz();
    const kept = (await get(url)).body;
    expect(kept).toEqual(before);
    expect(Date.parse(kept.freshness.as_of)).toBeLessThan(sentAt);
    t.calendar.advance(60_000);
    expect((await get(url)).body.freshness).toEqual({ ...before.freshness, stale: true });
    let newer = before;
    for (let tries = 0; tries < 100 && newer.freshness.as_of === before.freshness.as_of; tries += 1) {
      await pause(20);
      newer = (await get(url)).body;
    }
    expect(Date.parse(newer.freshness.as_of)).toBeGreaterThanOrEqual(sentAt);
    expect([newer.totals.views, newer.freshness.stale]).toEqual([before.totals.views + 1, false]);
  });
});
