import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { analyticsOperations } from "../../contract/analytics.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { FakeCopies } from "../../testkit/fake-copies.ts";
import { makeQuiz } from "../../testkit/quizzes.ts";
import { MemoryCache } from "../platform/cache/memory.ts";
import { parseId } from "../platform/ids.ts";
import { invalid } from "../platform/problems.ts";
import type { Questions } from "./all-questions.ts";
import {
  zeroAnswers,
  zeroBreakdown,
  zeroComparison,
  zeroFunnel,
  zeroOverview,
  zeroPaths,
  zeroProducts,
  zeroSummary,
  zeroTraffic,
} from "./zero.ts";

/** What the questions were asked with: their figures are somebody else's tests. */
const puts: { name: string; own: unknown[] }[] = [];
const put = <Body>(name: string, body: Body, ...own: unknown[]): Body => {
  puts.push({ name, own });
  return body;
};

const questions: Questions = {
  summary: async (_query, _db, selection, previous) => put("summary", zeroSummary(selection), previous.to),
  comparison: async (_query, _db, _asked, page) => put("comparison", zeroComparison(page), page),
  overview: async (_query, _db, selection) => put("overview", zeroOverview(selection), selection.quizId),
  answers: async (_query, _db, selection, key) => {
    if (key === "unknown") throw invalid("query.component_key", "is not a question of this quiz");
    return put("answers", zeroAnswers(selection), key);
  },
  funnel: async (_query, _db, selection) => put("funnel", zeroFunnel(selection)),
  breakdown: async (_query, _db, selection, by) => put("breakdown", zeroBreakdown(selection, by), selection.quizId, by),
  paths: async (_query, _db, selection, cohort) => put("paths", zeroPaths(selection, cohort), cohort),
  products: async (_query, _db, selection, page) =>
    put("products", zeroProducts(selection, page), selection.quizId, page),
  traffic: async (_query, _db, selection, by, limit) => put("traffic", zeroTraffic(selection, by), by, limit),
};

let t: TestApp;
let app: FastifyInstance;
let facts: FakeCopies;
let store: TestStore;
let quiz: string;
let deleted: string;
let foreign: string;
beforeAll(async () => {
  t = await openTestApp();
  facts = new FakeCopies(t.calendar);
  app = t.compose({ facts, questions });
  store = await t.store();
  await t.update(store, { limits: { capacity: 100_000, leak_per_second: 10_000 } });
  quiz = (await makeQuiz(t, store)).id;
  deleted = (await makeQuiz(t, store)).id;
  await t.request("DELETE", `/v1/quizzes/${deleted}`, { key: store.key });
  foreign = (await makeQuiz(t, await t.store())).id;
});
afterAll(() => t.close());
afterEach(() => {
  facts.loading = false;
  puts.length = 0;
});

async function get(url: string, options: { key?: string; tag?: string; from?: FastifyInstance } = {}) {
  const answer = await (options.from ?? app).inject({
    method: "GET",
    url,
    headers: {
      authorization: `Bearer ${options.key ?? store.key}`,
      ...(options.tag === undefined ? {} : { "if-none-match": options.tag }),
    },
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.body,
    body: answer.body === "" ? null : answer.json(),
  };
}
const urlOf = (path: string, of = quiz) =>
  path.replace("{quiz_id}", of) + (path.endsWith("breakdown") ? "?by=device" : "");
const fields = (body: { errors?: { field: string }[] }) => body.errors?.map((error) => error.field);

describe.each(analyticsOperations.map(({ path }) => path))("GET %s", (path) => {
  const joined = (query: string) => urlOf(path) + (path.endsWith("breakdown") ? "&" : "?") + query;

  it("answers in its shape, with range, filters, freshness and an ETag [analytics.shared-fields, analytics.kept, analytics.etag]", async () => {
    const answer = await get(urlOf(path));
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      range: { end: "2026-03-10", timezone: "UTC" },
      filters: { channel: null, device: null, new_returning: null, country: null, region: null },
      freshness: { pending: false, stale: false, today_live: true, closed_days_through: "2026-03-09" },
    });
    expect(answer.headers["etag"]).toMatch(/^"[\w-]{22}"$/);
    expect(puts).toHaveLength(1);
    expect((await get(urlOf(path))).headers["etag"]).toBe(answer.headers["etag"]);
    expect(puts).toHaveLength(1);
  });

  it("answers 304 without a body while the figures are the same [analytics.etag]", async () => {
    const { headers } = await get(urlOf(path));
    const tag = String(headers["etag"]);
    for (const selection of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
      const unchanged = await get(urlOf(path), { tag: selection });
      expect([unchanged.status, unchanged.text, unchanged.headers["etag"]]).toEqual([304, "", tag]);
    }
    expect((await get(urlOf(path), { tag: '"other"' })).status).toBe(200);
    expect((await get(urlOf(path), { tag: `"${"x".repeat(1_023)}"` })).body.errors[0].field).toBe(
      "header.If-None-Match",
    );
  });

  it("is pending, with zero figures of the same shape, while the store is loaded [analytics.pending]", async () => {
    facts.loading = true;
    // a zone that no other test has asked for, so that nothing is kept
    const answer = await get(joined("tz=Asia/Kathmandu"));
    expect([answer.status, answer.body.freshness.pending, answer.body.freshness.as_of]).toEqual([200, true, null]);
  });

  it("refuses parameters that it does not declare, and an unknown timezone [analytics.parameters]", async () => {
    expect(fields((await get(joined("odd=1"))).body)).toEqual(["query.odd"]);
    expect(fields((await get(joined("tz=Mars/Olympus"))).body)).toEqual(["query.tz"]);
    expect(fields((await get(joined(`tz=${"x".repeat(65)}`))).body)).toEqual(["query.tz"]);
  });

  it("needs the scope analytics:read [api.scopes]", async () => {
    const answer = await get(urlOf(path), { key: await t.key(store, ["quizzes:read"]) });
    expect([answer.status, answer.body.required]).toEqual([403, ["analytics:read"]]);
  });
});

const ofQuizzes = analyticsOperations.map(({ path }) => path).filter((path) => path.includes("{quiz_id}"));

it.each(ofQuizzes)("GET %s answers 404 for no such quiz, uncomputed [analytics.missing-quiz]", async (path) => {
  const other = `quiz_${"0".repeat(32)}`;
  for (const id of [deleted, foreign, other, "nonsense", quiz.replace("quiz_", "ver_")]) {
    const answer = await get(urlOf(path, id));
    expect([id, answer.status, answer.body.detail]).toEqual([id, 404, "Not found"]);
  }
  const both = await get(`${urlOf(path, other)}${path.endsWith("breakdown") ? "&" : "?"}tz=x`);
  expect(fields(both.body)).toEqual(["query.tz"]);
  expect(puts).toEqual([]);
});

describe("what is asked for", () => {
  const overview = (query: string) => get(`/v1/analytics/overview?${query}`);

  it.for([
    ["from=2026-03-02&to=2026-03-01", "query.from", {}],
    ["to=2026-03-11", "query.to", {}],
    ["from=2025-03-09", "query.from", { max_days: 366 }],
    ["from=2026-02-30", "query.from", {}],
    ["to=10.03.2026", "query.to", {}],
    ["from=", "query.from", {}],
    ["tz=Mars/Olympus", "query.tz", {}],
    ["device=watch", "query.device", { filter: "device", value: "watch" }],
    ["device=", "query.device", { filter: "device", value: "" }],
    ["new_returning=old", "query.new_returning", { filter: "new_returning", value: "old" }],
    ["country=us", "query.country", { filter: "country", value: "us" }],
    ["country=USA", "query.country", { filter: "country", value: "USA" }],
    ["region=CA", "query.region", { filter: "region", value: "CA" }],
    ["region=us-ca", "query.region", { filter: "region", value: "us-ca" }],
    ["region=US-CALI", "query.region", { filter: "region", value: "US-CALI" }],
    ["channel=Online%20Store", "query.channel", { filter: "channel", value: "Online Store" }],
    ["channel=%00", "query.channel", { filter: "channel", value: "\u0000" }],
    [`channel=${"a".repeat(33)}`, "query.channel", { filter: "channel" }],
  ] as const)("refuses %s [analytics.range-limits, analytics.filter-values]", async ([query, field, extra]) => {
    const answer = await overview(query);
    expect([answer.status, answer.body.title, fields(answer.body)]).toEqual([422, "validation_error", [field]]);
    expect(answer.body).toMatchObject(extra);
    expect([answer.body.max_days !== undefined, answer.body.filter !== undefined]).toEqual([
      "max_days" in extra,
      "filter" in extra,
    ]);
  });

  it("names everything that is refused [analytics.filter-values]", async () => {
    const answer = await overview("tz=x&device=watch&country=us");
    expect(fields(answer.body)).toEqual(["query.tz", "query.device", "query.country"]);
    expect([answer.body.filter, answer.body.value]).toEqual(["device", "watch"]);
  });

  it("takes the last 366 days, and each filter, and says so [analytics.range-limits, analytics.filter-values, analytics.shared-fields]", async () => {
    const answer = await overview(
      "from=2025-03-10&channel=online_store&device=tablet&new_returning=returning&country=unknown&region=US-CA&tz=UTC",
    );
    expect(answer.body.range).toEqual({ days: 366, start: "2025-03-10", end: "2026-03-10", timezone: "UTC" });
    expect(answer.body.filters).toEqual({
      channel: "online_store",
      device: "tablet",
      new_returning: "returning",
      country: "unknown",
      region: "US-CA",
    });
    expect(answer.body.series).toHaveLength(366);
  });

  it.for([
    ["/v1/analytics/summary?period=90d", "query.period"],
    ["/v1/analytics/summary?from=2026-03-01", "query.from"],
    ["/v1/analytics/summary?device=mobile", "query.device"],
    ["/v1/analytics/breakdown", "query.by"],
    ["/v1/analytics/breakdown?by=placement", "query.by"],
    ["/v1/analytics/quizzes?sort=title", "query.sort"],
    ["/v1/analytics/quizzes?dir=up", "query.dir"],
    ["/v1/analytics/quizzes?limit=0", "query.limit"],
    ["/v1/analytics/quizzes?limit=1001", "query.limit"],
    ["/v1/analytics/quizzes?offset=-1", "query.offset"],
    [`/v1/analytics/quizzes?q=${"x".repeat(201)}`, "query.q"],
    ["/v1/analytics/products?sort=views", "query.sort"],
    ["/v1/analytics/products?bucket=all", "query.bucket"],
    ["/v1/analytics/products?limit=1001", "query.limit"],
    ["{quiz}/answers?component_key=unknown", "query.component_key"],
    [`{quiz}/answers?component_key=${"x".repeat(201)}`, "query.component_key"],
    ["{quiz}/paths?cohort=some", "query.cohort"],
    ["{quiz}/traffic?by=country", "query.by"],
    ["{quiz}/traffic?limit=0x10", "query.limit"],
  ] as const)("refuses %s [analytics.parameter-values]", async ([path, field]) => {
    const answer = await get(path.replace("{quiz}", `/v1/quizzes/${quiz}/analytics`));
    expect([answer.status, fields(answer.body)]).toEqual([422, [field]]);
  });

  it("hands each question its own parameters, defaults filled in [analytics.parameters, analytics.parameter-values]", async () => {
    const mine = `/v1/quizzes/${quiz}/analytics`;
    t.calendar.advance(86_400_000);
    for (const path of [
      "/v1/analytics/quizzes",
      "/v1/analytics/quizzes?q=tea&limit=5&offset=10&sort=share&dir=desc",
      "/v1/analytics/products",
      `${mine}/products?bucket=bought_not_shown&sort=title&limit=1000`,
      `${mine}/answers`,
      `${mine}/paths?cohort=left`,
      `${mine}/traffic?by=utm_term`,
      `${mine}/breakdown?by=new_returning`,
    ])
      expect([path, (await get(path)).status]).toEqual([path, 200]);
    const uuid = parseId("quiz", quiz);
    expect(puts).toEqual([
      { name: "comparison", own: [{ q: null, limit: 25, offset: 0, sort: "name", dir: "asc" }] },
      { name: "comparison", own: [{ q: "tea", limit: 5, offset: 10, sort: "share", dir: "desc" }] },
      { name: "products", own: [null, { limit: 50, sort: "revenue", bucket: null }] },
      { name: "products", own: [uuid, { limit: 1000, sort: "title", bucket: "bought_not_shown" }] },
      { name: "answers", own: [null] },
      { name: "paths", own: ["left"] },
      { name: "traffic", own: ["utm_term", 25] },
      { name: "breakdown", own: [uuid, "new_returning"] },
    ]);
  });

  it("compares the summary's period with the one before it [figures.summary]", async () => {
    const { body } = await get("/v1/analytics/summary?period=30d&tz=Pacific/Kiritimati");
    expect([body.range.days, body.previous_range.days, body.views.sparkline.length]).toEqual([30, 30, 30]);
    expect(body.range.end > "2026-03-11").toBe(true);
    expect(new Date(`${body.previous_range.end}T00:00:00Z`).getTime() + 86_400_000).toBe(
      new Date(`${body.range.start}T00:00:00Z`).getTime(),
    );
    expect((await get("/v1/analytics/summary")).body.period).toBe("7d");
  });
});

describe("the price of analytics", () => {
  it("is 3 for a 200, 1 for a 304, a 404 and a 422 [api.analytics-price]", async () => {
    const one = await t.store();
    const mine = (await makeQuiz(t, one)).id;
    const left = async (url: string, tag?: string) => {
      const answer = await get(url, { key: one.key, ...(tag === undefined ? {} : { tag }) });
      const remaining = Number(/remaining=(\d+)/.exec(String(answer.headers["ratelimit"]))?.[1]);
      return { status: answer.status, remaining, tag: String(answer.headers["etag"]) };
    };
    const url = `/v1/quizzes/${mine}/analytics/funnel`;
    const first = await left(url);
    expect([first.status, first.remaining]).toEqual([200, 69]);
    expect(await left(url, first.tag)).toMatchObject({ status: 304, remaining: 68 });
    expect(await left(url)).toMatchObject({ status: 200, remaining: 65 });
    expect(await left(url.replace(mine, foreign))).toMatchObject({ status: 404, remaining: 64 });
    expect(await left(`${url}?device=watch`)).toMatchObject({ status: 422, remaining: 63 });
    const answers = `/v1/quizzes/${mine}/analytics/answers?component_key=unknown`;
    expect(await left(answers)).toMatchObject({ status: 422, remaining: 62 });
  });
});

it("answers 504 when time is up, at the price of the admission, and answers those who have time left [api.request-time, analytics.shared-work]", async () => {
  let now = 0;
  const elapsed = () => now;
  const slow = new FakeCopies(t.calendar);
  const from = t.compose({ elapsed, facts: slow, cache: new MemoryCache(elapsed), questions });
  const { key } = await t.store();
  slow.hold();
  const timeLeft = () => expect.poll(() => slow.deadline?.remaining(), { timeout: 30_000 });
  const first = get("/v1/analytics/summary", { key, from });
  await timeLeft().toBe(30_000);
  now = 20_000;
  const second = get("/v1/analytics/summary", { key, from });
  // the second has joined
  await timeLeft().toBe(30_000);
  now = 30_000;
  const late = await first;
  expect([late.status, late.body.title, late.headers["ratelimit"]]).toEqual([
    504,
    "timeout",
    "limit=72, remaining=71, reset=1",
  ]);
  slow.letGo();
  expect((await second).status).toBe(200);
  expect(slow.reads).toBe(1);
});

it("never answers one store with what is kept of another [analytics.kept-apart]", async () => {
  const [one, other] = [await t.store({ currency: "EUR" }), await t.store({ currency: "JPY" })];
  const currencyOf = async ({ key }: TestStore) =>
    (await get("/v1/analytics/overview", { key })).body.totals.revenue.currency;
  expect([await currencyOf(one), await currencyOf(other), await currencyOf(one)]).toEqual(["EUR", "JPY", "EUR"]);
});
