import { beforeAll, describe, expect, it } from "vitest";
import { creamId, oilId, shortQuiz } from "./documents.ts";
import type { Answer, Client, Problem } from "./http.ts";
import { type Place, until } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { openShopWithKey, publishQuiz } from "./shop.ts";
import type { Live } from "./visit.ts";
import { bought, day, dayIn, daysAgo, moment, sendWeek, type Told, type Week } from "./week.ts";

/** What ten visits and three orders come to, recomputed by hand. */

let program: Place;
let api: Client;
let live: Live;
let week: Week;
let sentAt: number;
let other: Live;

beforeAll(async () => {
  program = await sharedProgram();
  const limits = { capacity: 100_000, leak_per_second: 10_000, analytics_soft_ttl_seconds: 1 };
  const opened = await openShopWithKey(program, { limits });
  api = opened.api;
  other = await publishQuiz(program, opened.shop, shortQuiz, "Another quiz");
  week = await sendWeek(program, opened.shop, api);
  live = week.live;
  sentAt = Date.now();
}, 120_000);

type Figures = Record<string, unknown> & { freshness: Record<string, unknown> & { as_of: string } };

/** The answer that counts all that was sent. */
async function ask<T>(path: string, base = `/v1/quizzes/${live.quiz_id}/analytics`): Promise<T & Figures> {
  const answer = await until(
    () => api.get<T & Figures>(`${base}/${path}`),
    ({ status, body }) => status !== 200 || Date.parse(body.freshness.as_of) > sentAt,
  );
  expect([path, answer.status], answer.text).toEqual([path, 200]);
  expect(Date.parse(answer.body.freshness.as_of)).toBeGreaterThan(sentAt);
  return answer.body;
}

type Row = Record<string, unknown>;
const within = (from: number, to: number): string => `from=${daysAgo(from)}&to=${daysAgo(to)}`;
const euros = (amount: string) => ({ amount, currency: "EUR" });
const nothing = { added_from_quiz: euros("0.00"), shown_bought_later: euros("0.00"), bought_not_shown: euros("0.00") };
const rate = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const mean = (all: number[]): number => all.reduce((sum, one) => sum + one, 0) / all.length;
const median = (all: number[]): number => {
  const sorted = all.toSorted((a, b) => a - b);
  return ((sorted[Math.floor((all.length - 1) / 2)] ?? 0) + (sorted[Math.floor(all.length / 2)] ?? 0)) / 2;
};
const near = (ms: number) => expect.closeTo(ms, -3.5);

/** The counters of some visits, each on the days that `on` accepts. */
function counted(visits: Told[], on: (at: number) => boolean) {
  const those = (at: (visit: Told) => number | null) =>
    visits.filter((visit) => {
      const time = at(visit);
      return time !== null && on(time);
    });
  const opened = those((visit) => visit.opened);
  return {
    views: opened.length,
    viewers: new Set(opened.map(({ visitor }) => visitor)).size,
    starts: those(({ started }) => started).length,
    completions: those(({ completed }) => completed).length,
    email_opt_ins: those(({ emailLeft }) => emailLeft).length,
    phone_opt_ins: those(({ phoneLeft }) => phoneLeft).length,
    consent_denied: those(({ denied }) => denied).length,
  };
}

function timesOf(on: (at: number) => boolean): number[] {
  const done = week.all.filter(({ completed }) => completed !== null && on(completed));
  return done.map(({ started, completed }) => (completed ?? 0) - (started ?? 0));
}

function expectedDay(name: string, zone: string) {
  const on = (at: number): boolean => dayIn(zone, at) === name;
  const { viewers, ...counts } = counted(week.all, on);
  const times = timesOf(on);
  const mine = [bought.ada, bought.bea].filter(on);
  const cents = (on(bought.ada) ? 4000 : 0) + (on(bought.bea) ? 1200 : 0);
  return {
    ...{ day: name, ...counts, unique_viewers_approx: viewers, orders: mine.length, orders_inside_window: mine.length },
    avg_time_to_complete_ms: times.length === 0 ? null : near(mean(times)),
    median_time_to_complete_ms: times.length === 0 ? null : near(median(times)),
    ...sold("revenue", (cents / 100).toFixed(2)),
    revenue_by_bucket: {
      ...{ added_from_quiz: euros(on(bought.ada) ? "38.00" : "0.00") },
      shown_bought_later: euros(on(bought.bea) ? "7.00" : "0.00"),
      bought_not_shown: euros(on(bought.bea) ? "5.00" : "0.00"),
    },
  };
}

/** Nothing was paid back. */
const sold = (name: "revenue" | "line_revenue", amount: string) => ({
  [name]: euros(amount),
  refunded: euros("0.00"),
  net_revenue: euros(amount),
});

interface Overview {
  series: Row[];
  totals: Row;
}

async function overviewHolds(zone: string): Promise<void> {
  const answer = await ask<Overview>(`overview?${within(9, 1)}&tz=${encodeURIComponent(zone)}`);
  expect(answer["range"]).toEqual({ days: 9, start: daysAgo(9), end: daysAgo(1), timezone: zone });
  const names = [9, 8, 7, 6, 5, 4, 3, 2, 1].map(daysAgo);
  expect(answer.series).toEqual(names.map((name) => expectedDay(name, zone)));
  const on = (at: number): boolean => names.includes(dayIn(zone, at));
  const { viewers, ...counts } = counted(week.all, on);
  const times = timesOf(on);
  expect(answer.totals).toMatchObject({
    ...{ ...counts, unique_viewers_approx: viewers },
    start_rate: expect.closeTo(rate(counts.starts, counts.views) ?? Number.NaN),
    completion_rate: expect.closeTo(rate(counts.completions, counts.starts) ?? Number.NaN),
    ...{ avg_time_to_complete_ms: near(mean(times)), median_time_to_complete_ms: near(median(times)) },
  });
}

describe("the overview", () => {
  it("before the shopper of the night has finished [figures.own-day, figures.every-day]", async () => {
    const { series, totals } = await ask<Overview>(`overview?${within(2, 1)}`);
    expect(series.map(({ starts, completions }) => [starts, completions])).toEqual([
      [4, 2],
      [4, 2],
    ]);
    expect(totals).toMatchObject({ views: 9, starts: 8, completions: 4 });
    await overviewHolds("UTC");
  });

  it("counts a completion after midnight on its own day, and so changes yesterday [figures.own-day]", async () => {
    const path = `/v1/quizzes/${live.quiz_id}/analytics/overview?${within(2, 1)}`;
    const tag = (await api.get(path)).headers.get("etag") ?? "";
    await week.finishNight();
    sentAt = Date.now();
    const { series } = await ask<Overview>(`overview?${within(2, 1)}`);
    expect(series.map(({ starts, completions }) => [starts, completions])).toEqual([
      [4, 2],
      [4, 3],
    ]);
    expect((await api.get(path, { "if-none-match": tag })).status).toBe(200);
    const first = await ask<Row>(`funnel?${within(2, 2)}`);
    expect(first).toMatchObject({ starts: 4, completions: 3, in_progress: 0 });
  });

  for (const zone of ["UTC", "Asia/Kolkata", "America/New_York", "Pacific/Chatham"]) {
    it(`places everything on its day in ${zone} [figures.own-day, time.days]`, () => overviewHolds(zone));
  }

  it("has the sums, the times to the order, and when data begin [figures.rates, figures.averages, figures.revenue, figures.checkout-times, figures.data-start]", async () => {
    const answer = await ask<Overview>(`overview?${within(9, 1)}`);
    const checkout = Math.floor(bought.ada / 1000) * 1000 - (week.named("ada").completed ?? 0);
    const cameBack = Math.floor(bought.bea / 1000) * 1000 - (week.named("jumps").completed ?? 0);
    expect(answer.totals).toMatchObject({
      ...{ views: 10, unique_viewers_approx: 7, starts: 9, completions: 6, orders: 2, orders_inside_window: 2 },
      ...{ email_opt_ins: 2, phone_opt_ins: 1, consent_denied: 1, revenue: euros("52.00"), aov: euros("26.00") },
      ...{ avg_quiz_to_checkout_ms: near(checkout), median_quiz_to_checkout_ms: near(checkout) },
      ...{ avg_came_back_to_buy_ms: near(cameBack), median_came_back_to_buy_ms: near(cameBack) },
      revenue_by_bucket: {
        ...{ added_from_quiz: euros("38.00"), shown_bought_later: euros("7.00"), bought_not_shown: euros("5.00") },
      },
    });
    expect(answer).toMatchObject({ quiz_id: live.quiz_id, data_start: daysAgo(8) });
    expect(answer["filters"]).toEqual({
      channel: null,
      device: null,
      new_returning: null,
      country: null,
      region: null,
    });
    const none = await ask<Overview>(`overview?${within(6, 3)}`);
    expect(none.totals).toMatchObject({ views: 0, start_rate: null, completion_rate: null, aov: null });
    expect(none.totals).toMatchObject({ revenue: euros("0.00"), revenue_by_bucket: nothing });
  });

  it("keeps to its filters [analytics.filters, figures.new-returning]", async () => {
    const returns = new Set(["idles", "restarts", "hans"]);
    const cases: [string, string, (visit: Told) => boolean][] = [
      ["channel", "popup", ({ channel }) => channel === "popup"],
      ["device", "mobile", ({ device }) => device === "mobile"],
      ["country", "unknown", ({ country }) => country === "unknown"],
      ["new_returning", "returning", ({ name }) => returns.has(name)],
    ];
    for (const [name, value, holds] of cases) {
      const answer = await ask<Overview>(`overview?${within(9, 1)}&${name}=${value}`);
      const { viewers, ...counts } = counted(week.all.filter(holds), () => true);
      expect(answer.totals, name).toMatchObject({ ...counts, unique_viewers_approx: viewers });
      expect(answer["filters"]).toMatchObject({ [name]: value });
    }
  });

  it("of the store is that of its only quiz with visits [figures.whole-store, analytics.questions]", async () => {
    const quiz = await ask<Overview>(`overview?${within(9, 1)}`);
    const store = await ask<Overview>(`overview?${within(9, 1)}`, "/v1/analytics");
    expect([store["quiz_id"], store["markers"], store.totals]).toEqual([null, [], quiz.totals]);
    expect(store.series).toEqual(quiz.series);
  });
});

describe("rows of", () => {
  const counters = (visits: Told[], viewers = "unique_viewers_approx") => {
    const { viewers: count, consent_denied: _, ...rest } = counted(visits, () => true);
    return { ...rest, [viewers]: count };
  };
  const rowsBy = (of: (visit: Told) => string, viewers?: string): Row[] =>
    [...Map.groupBy(week.all, of)]
      .map(([value, visits]): Row => ({ value, ...counters(visits, viewers) }))
      .sort((a, b) => Number(b["views"]) - Number(a["views"]) || (String(a["value"]) < String(b["value"]) ? -1 : 1));

  it("the breakdown, for a quiz and for the store [figures.breakdown]", async () => {
    const returns = ["idles", "restarts", "hans"];
    const ways: [string, (visit: Told) => string][] = [
      ["channel", ({ channel }) => channel],
      ["device", ({ device }) => device],
      ["country", ({ country }) => country],
      ["new_returning", ({ name }) => (returns.includes(name) ? "returning" : "new")],
    ];
    for (const [by, of] of ways) {
      const answer = await ask<{ rows: Row[] }>(`breakdown?by=${by}&${within(9, 1)}`);
      expect([answer["by"], answer.rows]).toEqual([by, rowsBy(of)]);
    }
    const store = await ask<{ rows: Row[] }>(`breakdown?by=channel&${within(9, 1)}`, "/v1/analytics");
    expect([store["quiz_id"], store.rows]).toEqual([null, rowsBy(({ channel }) => channel)]);
  });

  it("the traffic, the rest in other [figures.traffic-sources, figures.traffic-other]", async () => {
    const expected = rowsBy(({ host }) => host, "unique_viewers");
    const answer = await ask<{ rows: Row[]; other: Row }>(`traffic?${within(9, 1)}`);
    expect([answer["by"], answer.rows]).toEqual(["referrer_host", expected]);
    expect(answer.other).toMatchObject({ value: "other", views: 0, starts: 0, completions: 0 });
    const short = await ask<{ rows: Row[]; other: Row }>(`traffic?limit=1&${within(9, 1)}`);
    const rest = counters(
      week.all.filter(({ host }) => host !== "search.example"),
      "unique_viewers",
    );
    expect([short.rows, short.other]).toEqual([expected.slice(0, 1), { value: "other", ...rest }]);
    const source = await ask<{ rows: Row[] }>(`traffic?by=utm_source&${within(9, 1)}`);
    expect(source.rows.map(({ value, views }) => [value, views])).toEqual([["news", 10]]);
  });

  it("the products, by revenue and in one bucket [products.rows, products.bucket]", async () => {
    const answer = await ask<{ rows: Row[] }>(`products?${within(2, 1)}`);
    expect(answer).toMatchObject({ sort: "revenue", bucket: null, total_products: 3, orders_matched_by_email: 1 });
    expect(answer).toMatchObject({ line_revenue: euros("50.00") });
    const shown_on = { block_key: "block", page_key: "result", page_title: "Title of result" };
    const where = { quiz_name: "Full quiz", had_variants: false, times_shown: 5, orders_approx: 1, shown_on };
    const unseen = { block_key: null, page_key: null, page_title: null };
    expect(answer.rows).toEqual([
      {
        ...{ ...where, product_id: creamId, title: "Cream", in_store: true, units: 2 },
        ...sold("line_revenue", "38.00"),
        revenue_by_bucket: { ...nothing, added_from_quiz: euros("38.00") },
      },
      {
        ...{ ...where, product_id: oilId, title: "Oil", in_store: false, units: 1 },
        ...sold("line_revenue", "7.00"),
        revenue_by_bucket: { ...nothing, shown_bought_later: euros("7.00") },
      },
      {
        ...{ ...where, product_id: "gid://shopify/Product/103", title: "Soap", in_store: false, units: 1 },
        ...{ times_shown: 0, shown_on: unseen, ...sold("line_revenue", "5.00") },
        revenue_by_bucket: { ...nothing, bought_not_shown: euros("5.00") },
      },
    ]);
    const one = await ask<{ rows: Row[] }>(`products?bucket=shown_bought_later&sort=title&${within(2, 1)}`);
    expect([one["bucket"], one["sort"], one["line_revenue"]]).toEqual(["shown_bought_later", "title", euros("7.00")]);
    expect(one.rows.find(({ product_id }) => product_id === oilId)).toMatchObject({ units: 1 });
  });
});

describe("the whole store", () => {
  it("sums up seven days beside the seven before [figures.summary]", async () => {
    const answer = await ask<Record<string, { sparkline: unknown[] }>>("summary", "/v1/analytics");
    const line = (on2: number, on1: number): number[] => [0, 0, 0, 0, on2, on1, 0];
    const pair = (current: number, previous: number, delta_pct: number | null, sparkline: number[]) => ({
      ...{ current, previous, delta_pct, sparkline },
    });
    expect(answer).toMatchObject({
      ...{ period: "7d", views: pair(9, 1, 800, line(5, 4)), starts: pair(8, 1, 700, line(4, 4)) },
      ...{ completions: pair(5, 1, 400, line(2, 3)), opt_ins: pair(2, 0, null, line(1, 1)) },
      ...{ orders: pair(2, 0, null, line(1, 1)) },
      range: { days: 7, start: daysAgo(6), end: daysAgo(0), timezone: "UTC" },
      previous_range: { days: 7, start: daysAgo(13), end: daysAgo(7) },
    });
    const zero = euros("0.00");
    const sparkline = [zero, zero, zero, zero, euros("40.00"), euros("12.00"), zero];
    expect(answer["revenue"]).toEqual({ current: euros("52.00"), previous: zero, delta_pct: null, sparkline });
  });

  it("compares its quizzes, with the quiz's part of all revenue [figures.comparison-rows, figures.attributed-share]", async () => {
    const sorted = await ask<{ data: Row[] }>(`quizzes?sort=starts&dir=desc&${within(2, 1)}`, "/v1/analytics");
    expect(sorted).toMatchObject({ total: 2, has_more: false, limit: 25, offset: 0, sort: "starts", dir: "desc" });
    expect(sorted.data).toMatchObject([
      {
        ...{ quiz_id: live.quiz_id, name: "Full quiz", status: "published", views: 9, starts: 8, completions: 5 },
        ...{ orders: 2, email_opt_ins: 2, phone_opt_ins: 1, revenue: euros("52.00"), attributed_share: 0.52 },
        completion_rate: 0.625,
      },
      {
        quiz_id: other.quiz_id,
        views: 0,
        starts: 0,
        completion_rate: null,
        revenue: euros("0.00"),
        attributed_share: 0,
      },
    ]);
    const second = await ask<{ data: Row[] }>(`quizzes?limit=1&offset=1&${within(2, 1)}`, "/v1/analytics");
    expect(second.data.map(({ name }) => name)).toEqual(["Full quiz"]);
    const found = await ask<{ data: Row[] }>(`quizzes?q=ANOTHER&${within(2, 1)}`, "/v1/analytics");
    expect([found["total"], found.data.map(({ name }) => name)]).toEqual([1, ["Another quiz"]]);
  });
});

describe("an answer's tag", () => {
  it("answers 304 without a body while nothing is recomputed [analytics.etag]", async () => {
    const path = `/v1/quizzes/${live.quiz_id}/analytics/overview?${within(30, 20)}`;
    const given = await api.get(path);
    const tag = given.headers.get("etag") ?? "";
    expect(tag).toMatch(/^"[^"]+"$/);
    for (const value of [tag, `W/${tag}`, `"no", ${tag}`, "*"]) {
      const again = await api.get(path, { "if-none-match": value });
      expect([value, again.status, again.text, again.headers.has("etag")]).toEqual([value, 304, "", true]);
    }
    expect((await api.get(path, { "if-none-match": '"no"' })).status).toBe(200);
    expect((await api.get(path, { "if-none-match": "a".repeat(1025) })).status).toBe(422);
  });
});

describe("refused with 422", () => {
  const refuse = async (query: string, path = "overview"): Promise<Answer<Problem & Row>> => {
    const answer = await api.get<Problem & Row>(`/v1/quizzes/${live.quiz_id}/analytics/${path}?${query}`);
    expect([query, answer.status, answer.body.title]).toEqual([query, 422, "validation_error"]);
    return answer;
  };

  it("are ranges that are too long, reversed or in the future [analytics.range-limits]", async () => {
    expect((await refuse(within(366, 0))).body).toMatchObject({ max_days: 366 });
    expect((await api.get(`/v1/quizzes/${live.quiz_id}/analytics/overview?${within(365, 0)}`)).status).toBe(200);
    await refuse(within(1, 2));
    await refuse(`from=${daysAgo(1)}&to=${dayIn("UTC", moment(0, "00:00") + 2 * day)}`);
    await refuse("from=2026-02-30");
  });

  it("are filters with values that no session has [analytics.filter-values]", async () => {
    const values = { device: "phone", new_returning: "old", country: "de", channel: "Embed!" };
    for (const [filter, value] of Object.entries(values)) {
      expect((await refuse(`${filter}=${encodeURIComponent(value)}`)).body).toMatchObject({ filter, value });
    }
  });

  it("are unknown zones, questions, ways and parameters [analytics.parameters, analytics.parameter-values, time.zones]", async () => {
    for (const tz of ["Mars/Base", "utc", "%2B02:00", "ABC5", "x".repeat(65)]) {
      const fields = (await refuse(`tz=${tz}`)).body.errors?.map(({ field }) => field);
      expect([tz, fields]).toEqual([tz, ["query.tz"]]);
    }
    await refuse("component_key=nothing", "answers");
    await refuse("", "breakdown");
    await refuse("by=device", "traffic");
    await refuse("cohort=some", "paths");
    expect((await refuse("form=2026-01-01")).body.errors?.map(({ field }) => field)).toEqual(["query.form"]);
    expect((await api.get(`/v1/quizzes/quiz_${"0".repeat(32)}/analytics/overview`)).status).toBe(404);
  });
});
