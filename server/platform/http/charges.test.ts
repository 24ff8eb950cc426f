import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoreAllowances } from "../../../contract/limits.ts";
import { type Answered, openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { type TestRoutes, testRoutes } from "../../../testkit/operations.ts";
import { MemoryLimiter } from "../limiter/memory.ts";
import { type Charge, type Limiter, LimiterUnavailable } from "../limiter/types.ts";

/** A limiter that can be cut off. */
class FaultyLimiter implements Limiter {
  readonly inner = new MemoryLimiter(() => 0);
  away = false;
  async #run<Value>(action: () => Promise<Value>): Promise<Value> {
    if (this.away) throw new LimiterUnavailable(new Error("connect ECONNREFUSED"));
    return action();
  }
  admit = (charge: Charge) => this.#run(() => this.inner.admit(charge));
  book = (charge: Charge) => this.#run(() => this.inner.book(charge));
  chargeBucket = (charge: Parameters<Limiter["chargeBucket"]>[0]) => this.#run(() => this.inner.chargeBucket(charge));
  close = async () => undefined;
}

let t: TestApp;
let routes: TestRoutes;
const limiter = new FaultyLimiter();
beforeAll(async () => {
  routes = testRoutes();
  t = await openTestApp({ extraRoutes: routes.routes, limiter });
});
afterAll(() => t.close());

const rate = (answer: Answered) => [answer.status, answer.headers["ratelimit"], answer.headers["ratelimit-policy"]];
const override = (one: TestStore, value: Partial<StoreAllowances>) => t.update(one, { limits: value });

describe("limits through HTTP", () => {
  it("charges each class its cost and says what is left of the key's bucket [api.costs, api.rate-headers]", async () => {
    const { key } = await t.store();
    const policy = "72;w=6";
    const calls: [string, string, string][] = [
      ["GET", "/v1/store", "limit=72, remaining=71, reset=1"],
      ["POST", "/v1/things", "limit=72, remaining=69, reset=1"],
      ["POST", "/v1/things/search", "limit=72, remaining=63, reset=1"],
      ["GET", "/v1/figures", "limit=72, remaining=60, reset=1"],
      ["GET", "/v1/things", "limit=72, remaining=59, reset=2"],
    ];
    for (const [method, url, expected] of calls) {
      const answer = await t.request(method, url, { key, ...(method === "POST" ? { body: {} } : {}) });
      expect([answer.status < 300, answer.headers["ratelimit"], answer.headers["ratelimit-policy"]]).toEqual([
        true,
        expected,
        policy,
      ]);
    }
    const enterprise = await t.store({ plan: "enterprise" });
    expect(rate(await t.request("GET", "/v1/store", { key: enterprise.key }))).toEqual([
      200,
      "limit=360, remaining=359, reset=1",
      "360;w=6",
    ]);
  });

  it("charges analytics 1 at admission and 2 more for a 200; a 304, 404 or 422 costs 1 [api.analytics-price]", async () => {
    const { key } = await t.store();
    const left = (answer: Answered) => Number(/remaining=(\d+)/.exec(String(answer.headers["ratelimit"]))?.[1]);
    const fresh = await t.request("GET", "/v1/figures", { key });
    expect([fresh.status, left(fresh), fresh.headers["etag"]]).toEqual([200, 69, '"abc"']);
    const same = await t.request("GET", "/v1/figures", { key, headers: { "if-none-match": 'W/"x", "abc"' } });
    expect([same.status, left(same), same.text, same.headers["etag"]]).toEqual([304, 68, "", '"abc"']);
    expect(same.headers["request-id"]).toMatch(/^req_/);
    const missing = await t.request("GET", "/v1/figures?outcome=missing", { key });
    expect([missing.status, left(missing)]).toEqual([404, 67]);
    const odd = await t.request("GET", "/v1/figures?odd=1", { key });
    expect([odd.status, left(odd)]).toEqual([422, 66]);
    const long = await t.request("GET", "/v1/figures", {
      key,
      headers: { "if-none-match": `"${"x".repeat(1024)}"` },
    });
    expect([long.status, long.body.errors[0].field, left(long)]).toEqual([422, "header.If-None-Match", 65]);
    const asked = routes.worked.count;
    const both = await t.request("GET", "/v1/figures?outcome=missing&odd=1", {
      key,
      headers: { "if-none-match": "x".repeat(1025) },
    });
    const named = both.body.errors.map(({ field }: { field: string }) => field);
    expect([both.status, named, left(both)]).toEqual([422, ["query.odd", "header.If-None-Match"], 64]);
    expect(routes.worked.count).toBe(asked);
    const changed = await t.request("GET", "/v1/figures", { key, headers: { "if-none-match": '"abcd"' } });
    expect([changed.status, left(changed)]).toEqual([200, 61]);
  });

  it("books the surcharge even on a full bucket, and says 0 remaining [api.analytics-price]", async () => {
    const one = await t.store();
    await override(one, { capacity: 6, leak_per_second: 2 });
    for (let n = 0; n < 5; n += 1) await t.request("GET", "/v1/store", { key: one.key });
    const answer = await t.request("GET", "/v1/figures", { key: one.key });
    expect(rate(answer)).toEqual([200, "limit=6, remaining=0, reset=4", "6;w=3"]);
    const next = await t.request("GET", "/v1/store", { key: one.key });
    expect([next.status, next.headers["retry-after"], next.body.retry_after]).toEqual([429, "2", 2]);
  });

  it("refuses by the key's bucket and describes it [api.rate-limits, api.rate-headers]", async () => {
    const one = await t.store();
    await override(one, { capacity: 7, leak_per_second: 2 });
    for (let n = 0; n < 3; n += 1) await t.request("POST", "/v1/things", { key: one.key, body: {} });
    const worked = routes.worked.count;
    const answer = await t.request("POST", "/v1/things", { key: one.key, body: {} });
    expect(rate(answer)).toEqual([429, "limit=7, remaining=1, reset=3", "7;w=4"]);
    expect(answer.body).toMatchObject({ title: "rate_limited", status: 429, retry_after: 1 });
    expect(answer.headers["retry-after"]).toBe("1");
    expect(routes.worked.count).toBe(worked);
    const search = await t.request("POST", "/v1/things/search", { key: one.key, body: {} });
    expect([search.status, search.body.retry_after]).toEqual([429, 3]);
    const other = await t.key(one, ["quizzes:read"]);
    expect((await t.request("GET", "/v1/store", { key: other })).status).toBe(200);
  });

  it("refuses by the store's bucket, describes that one, and has spent the key's charge [api.rate-limits, api.rate-headers]", async () => {
    const one = await t.store();
    await override(one, { capacity: 10, leak_per_second: 1, bot_multiplier: 2 });
    const keys = [one.key, await t.key(one, ["quizzes:read"]), await t.key(one, ["quizzes:read"])];
    for (const key of keys.slice(0, 2)) {
      for (let n = 0; n < 10; n += 1) expect((await t.request("GET", "/v1/store", { key })).status).toBe(200);
    }
    const refused = await t.request("GET", "/v1/store", { key: keys[2] ?? "" });
    expect(rate(refused)).toEqual([429, "limit=20, remaining=0, reset=10", "20;w=10"]);
    expect([refused.headers["retry-after"], refused.body.retry_after]).toEqual(["1", 1]);
    for (let n = 0; n < 9; n += 1) await t.request("GET", "/v1/store", { key: keys[2] ?? "" });
    expect((await t.request("GET", "/v1/store", { key: keys[2] ?? "" })).headers["ratelimit"]).toMatch(/^limit=10,/);
  });

  it("puts overrides in force within a minute and shows them in GET /v1/store [api.overrides]", async () => {
    const one = await t.store();
    await t.request("GET", "/v1/store", { key: one.key });
    await override(one, { capacity: 500, leak_per_second: 50 });
    t.passTime(60_000);
    const answer = await t.request("GET", "/v1/store", { key: one.key });
    expect(answer.headers["ratelimit-policy"]).toBe("500;w=10");
    expect(answer.body.limits).toMatchObject({ capacity: 500, leak_per_second: 50, bot_multiplier: 3 });
  });

  it("admits reads without headers while the limiter is away, and refuses the rest [api.limiter-away]", async () => {
    const { key } = await t.store();
    limiter.away = true;
    const read = await t.request("GET", "/v1/store", { key });
    expect(rate(read)).toEqual([200, undefined, undefined]);
    const worked = routes.worked.count;
    for (const url of ["/v1/things", "/v1/things/search"]) {
      const refused = await t.request("POST", url, { key, body: {} });
      expect(rate(refused)).toEqual([503, undefined, undefined]);
      expect([refused.body.title, refused.headers["retry-after"], refused.body.retry_after]).toEqual([
        "limiter_unavailable",
        "2",
        2,
      ]);
    }
    expect(routes.worked.count).toBe(worked);
    const figures = await t.request("GET", "/v1/figures", { key });
    expect([figures.body.title, figures.headers["retry-after"]]).toEqual(["limiter_unavailable", "2"]);
    const same = await t.request("GET", "/v1/figures", { key, headers: { "if-none-match": "*" } });
    expect(rate(same)).toEqual([304, undefined, undefined]);
    limiter.away = false;
  });

  it("answers 503 when the limiter goes away between admission and the body [api.limiter-away]", async () => {
    const { key } = await t.store();
    routes.beforeFigures.run = () => {
      limiter.away = true;
    };
    const answer = await t.request("GET", "/v1/figures", { key });
    routes.beforeFigures.run = () => undefined;
    limiter.away = false;
    expect(rate(answer)).toEqual([503, undefined, undefined]);
    expect([answer.body.title, answer.headers["retry-after"]]).toEqual(["limiter_unavailable", "2"]);
    expect(answer.headers["etag"]).toBeUndefined();
  });
});
