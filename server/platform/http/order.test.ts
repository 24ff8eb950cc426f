import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StoreAllowances } from "../../../contract/limits.ts";
import { openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { testRoutes } from "../../../testkit/operations.ts";

let t: TestApp;
let store: TestStore;
let paused: TestStore;
beforeAll(async () => {
  t = await openTestApp({ extraRoutes: testRoutes().routes });
  store = await t.store();
  paused = await t.store({ plan: "other" });
});
afterAll(() => t.close());

const limits = (one: TestStore, value: Partial<StoreAllowances>) => t.update(one, { limits: value });
const missing = `/v1/things/quiz_${"0".repeat(32)}`;

describe("order of checks [api.check-order]", () => {
  it("answers 404 for an unknown path before it asks for a key", async () => {
    for (const method of ["GET", "POST", "PATCH", "DELETE", "PUT", "PROPFIND"]) {
      const answer = await t.request(method, "/v1/nothing", { body: "{not json" });
      expect([method, answer.status, answer.body.title]).toEqual([method, 404, "not_found"]);
      expect(answer.body.detail).toBe("Not found");
    }
  });

  it("answers 405 with Allow for a known path before it asks for a key or reads the body; HEAD counts as GET [api.methods]", async () => {
    const answer = await t.request("PATCH", "/v1/things", { body: "{not json" });
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "GET, HEAD, POST"]);
    expect((await t.request("DELETE", missing)).headers["allow"]).toBe("GET, HEAD");
    expect((await t.request("GET", `${missing}/touch`)).headers["allow"]).toBe("POST");
    expect((await t.request("QUERY", "/v1/things")).status).toBe(405);
  });

  it("answers HEAD as GET without a body, at the same price [api.methods]", async () => {
    const one = await t.store();
    const answer = await t.request("HEAD", "/v1/store", { key: one.key });
    expect([answer.status, answer.text]).toEqual([200, ""]);
    expect(answer.headers["ratelimit"]).toBe("limit=72, remaining=71, reset=1");
    expect((await t.request("HEAD", "/v1/store")).status).toBe(401);
  });

  it("answers 401 before the plan, the plan before the scope, the scope before the limiter", async () => {
    const noScope = await t.key(paused, ["analytics:read"]);
    const bad = { headers: { authorization: "Bearer svc_live_x" }, body: "{not json" };
    expect((await t.request("POST", "/v1/things", bad)).body.title).toBe("invalid_api_key");
    const plan = await t.request("POST", "/v1/things", { key: noScope, body: "{not json" });
    expect([plan.status, plan.body.title, plan.headers["ratelimit"]]).toEqual([403, "plan_required", undefined]);

    const full = await t.store();
    const reader = await t.key(full, ["analytics:read"]);
    await limits(full, { capacity: 6, leak_per_second: 1 });
    for (let n = 0; n < 6; n += 1) await t.request("GET", "/v1/store", { key: reader });
    expect((await t.request("GET", "/v1/store", { key: reader })).status).toBe(429);
    const scope = await t.request("POST", "/v1/things", { key: reader, body: "{not json" });
    expect([scope.status, scope.body.title, scope.body.required]).toEqual([
      403,
      "insufficient_scope",
      ["quizzes:write"],
    ]);
    expect(scope.headers["ratelimit"]).toBeUndefined();
  });

  it("answers 429 before 422, and charges a 422", async () => {
    const one = await t.store();
    await limits(one, { capacity: 6, leak_per_second: 1 });
    const send = () => t.request("POST", "/v1/things", { key: one.key, body: "{not json" });
    const answers = [await send(), await send(), await send(), await send()];
    expect(answers.map((answer) => answer.status)).toEqual([422, 422, 422, 429]);
    expect(answers[2]?.headers["ratelimit"]).toBe("limit=6, remaining=0, reset=6");
  });

  it("answers 422 before 404 of a resource, malformed ids included [api.check-order, api.not-found]", async () => {
    for (const path of [missing, "/v1/things/nonsense", "/v1/things/prof_00000000000000000000000000000001"]) {
      const both = await t.request("GET", `${path}?odd=1`, { key: store.key });
      expect([both.status, both.body.errors]).toEqual([
        422,
        [{ field: "query.odd", message: "is not a parameter of this route" }],
      ]);
      const alone = await t.request("GET", path, { key: store.key });
      expect([alone.status, alone.body.detail]).toEqual([404, "Not found"]);
      expect(alone.headers["ratelimit"]).toBeDefined();
    }
  });

  it("sends no CORS headers under /v1 [api.cross-origin]", async () => {
    const answer = await t.request("GET", "/v1/store", { key: store.key, headers: { origin: "https://a.example" } });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    const preflight = await t.request("OPTIONS", "/v1/store", { headers: { origin: "https://a.example" } });
    expect(preflight.status).toBe(405);
  });

  it("announces a deprecated operation on every answer of it [api.deprecation]", async () => {
    for (const key of [store.key, "svc_live_x"]) {
      const answer = await t.request("GET", "/v1/retired", { key });
      expect(answer.headers).toMatchObject({
        deprecation: "@1767225600",
        sunset: "Wed, 01 Apr 2026 00:00:00 GMT",
        link: '<https://docs.example/things>; rel="deprecation"',
      });
    }
    expect((await t.request("GET", "/v1/store", { key: store.key })).headers["deprecation"]).toBeUndefined();
  });
});
