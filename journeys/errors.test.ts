import { beforeAll, describe, expect, it } from "vitest";
import { shortQuiz } from "./documents.ts";
import {
  type Answer,
  type Client,
  client,
  type Problem,
  type QuizSummary,
  request,
  type VersionSummary,
} from "./http.ts";
import type { Place } from "./program.ts";
import { sharedProgram } from "./shared-program.ts";
import { importQuiz, newKey, openShop, openShopWithKey, type Shop } from "./shop.ts";
import { newId } from "./visit.ts";
import { rawRequest } from "./wire.ts";

/** Every refusal is a problem that says what is wrong, in one order [api.check-order]. */

let program: Place;
let shop: Shop;
let text: string;
let api: Client;
let quiz: string;

beforeAll(async () => {
  program = await sharedProgram();
  let key: { key: string };
  ({ shop, key, api } = await openShopWithKey(program));
  text = key.key;
  quiz = (await importQuiz(program.data, shop.store_id, shortQuiz, "--name", "Quiz")).quiz_id;
}, 120_000);

/** The body of a problem, field by field, against its headers. */
function expectProblem(answer: Answer<unknown>, status: number, title: string): Problem {
  const problem = answer.body as Problem;
  expect([answer.status, problem?.title], answer.text).toEqual([status, title]);
  expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(problem.status).toBe(status);
  expect(problem.type).toMatch(new RegExp(`^https?://[^/]+/errors/${title}$`));
  expect(problem.detail.length).toBeGreaterThan(0);
  expect(problem.request_id).toMatch(/^req_[0-9a-f]{32}$/);
  expect(answer.headers.get("request-id")).toBe(problem.request_id);
  return problem;
}

const fields = (problem: Problem): string[] => (problem.errors ?? []).map(({ field }) => field);

describe("the order of checks", () => {
  it("an unknown path is 404 and another method 405, both without a key [api.check-order, api.methods]", async () => {
    for (const path of ["/v1", "/v1/", "/v1/nothing", "/v2/store", "/v1/store/", "/V1/store"]) {
      const problem = expectProblem(await request(`${program.url}${path}`), 404, "not_found");
      expect(problem.detail).toBe("Not found");
    }
    const wrong: [string, string, string[]][] = [
      ["POST", "/v1/store", ["GET"]],
      ["DELETE", "/v1/quizzes", ["GET", "POST"]],
      ["PUT", `/v1/quizzes/${quiz}`, ["GET", "DELETE"]],
      ["GET", `/v1/quizzes/${quiz}/archive`, ["POST"]],
      ["PATCH", `/v1/quizzes/${quiz}/versions`, ["GET", "POST"]],
      ["DELETE", `/v1/profiles/${newId("prof")}`, ["GET"]],
      ["OPTIONS", "/v1/store", ["GET"]],
    ];
    for (const [method, path, methods] of wrong) {
      const answer = await request(`${program.url}${path}`, { method });
      expectProblem(answer, 405, "method_not_allowed");
      const allow = answer.headers.get("allow")?.split(/,\s*/) ?? [];
      for (const known of methods) expect(allow).toContain(known);
      expect(allow.filter((known) => known !== "HEAD").sort()).toEqual(methods.sort());
    }
  });

  it("401 comes before plan, scope, parameters and resource, with its header and no limits [api.check-order, api.key-required]", async () => {
    const headers = [
      ...["", "Bearer", "Bearer ", `Basic ${text}`, text, `Bearer ${text}x`, `Bearer ${text.slice(0, -1)}`],
      ...[`Bearer svc_live_${"a".repeat(36)}`, `Bearer ${text} ${text}`, "Bearer svc_test_1"],
    ];
    for (const authorization of headers) {
      const answer = await request(`${program.url}/v1/quizzes/quiz_1?x=1`, { headers: { authorization } });
      expectProblem(answer, 401, "invalid_api_key");
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.headers.get("ratelimit")).toBeNull();
      expect(answer.headers.get("ratelimit-policy")).toBeNull();
    }
    expectProblem(await request(`${program.url}/v1/store`), 401, "invalid_api_key");
    expect((await request(`${program.url}/v1/store`, { headers: { authorization: `bearer ${text}` } })).status).toBe(
      200,
    );
  });

  it("plan comes before scope, scope before parameters and resource [api.check-order, api.plans]", async () => {
    const paused = await openShop(program.data, { plan: "other" });
    const without = await newKey(program.data, paused.store_id, ["analytics:read"]);
    const planless = await client(program.url, without.key).get("/v1/quizzes?x=1");
    expectProblem(planless, 403, "plan_required");
    expect(planless.headers.get("ratelimit")).toBeNull();
    const narrow = client(program.url, (await newKey(program.data, shop.store_id, ["analytics:read"])).key);
    const refused = await narrow.post(`/v1/quizzes/quiz_1/versions/${quiz}/publish?x=1`, "{");
    expect(expectProblem(refused, 403, "insufficient_scope").required).toEqual(["quizzes:publish"]);
    expect(refused.headers.get("ratelimit")).toBeNull();
  });

  it("422 comes before 404 of the resource, and both are charged [api.check-order, api.rate-limits]", async () => {
    const invalid = await api.post("/v1/quizzes/quiz_1/versions", { label: 1 });
    expect(fields(expectProblem(invalid, 422, "validation_error"))).toEqual(["body.label"]);
    const absent = await api.get(`/v1/quizzes/${newId("quiz")}`);
    expect(expectProblem(absent, 404, "not_found").detail).toBe("Not found");
    for (const { headers } of [invalid, absent]) {
      expect(headers.get("ratelimit")).toMatch(/^limit=360, remaining=\d+, reset=\d+$/);
      expect(headers.get("ratelimit-policy")).toBe("360;w=6");
    }
  });
});

describe("bodies", () => {
  const versions = (): string => `/v1/quizzes/${quiz}/versions`;
  const ask = (body: string, type = "application/json", path = versions()) =>
    api.post<VersionSummary>(path, body, { "content-type": type });

  it("that are no JSON object, of another type or too large are 422 of the body [api.bodies]", async () => {
    const large = JSON.stringify({ label: "x".repeat(1024 * 1024) });
    const refused = [
      ...[await ask("{"), await ask("[]"), await ask("null"), await ask('"x"'), await ask("{}{}"), await ask(large)],
      ...[await ask("{}", "text/plain"), await ask("a=b", "application/x-www-form-urlencoded"), await ask("\ufeff{")],
      await ask("<a/>", "application/xml"),
    ];
    for (const answer of refused) {
      const named = fields(expectProblem(answer, 422, "validation_error"));
      expect(named[0], answer.text).toBe("body");
    }
  });

  it("that are empty are {}, whatever their type; routes without a body accept nothing else [api.bodies]", async () => {
    expect((await api.post(versions())).status).toBe(201);
    expect((await ask("", "application/xml")).status).toBe(201);
    expect((await api.post(`/v1/quizzes/${quiz}/archive`, {})).status).toBe(200);
    expect((await ask("", "text/plain", `/v1/quizzes/${quiz}/unarchive`)).status).toBe(200);
    const more = await api.post(`/v1/quizzes/${quiz}/archive`, { archived: true });
    expect(fields(expectProblem(more, 422, "validation_error"))).toEqual(["body.archived"]);
    const deleted = await api.ask("DELETE", `/v1/quizzes/${quiz}`, { sure: true });
    expect(fields(expectProblem(deleted, 422, "validation_error"))).toEqual(["body.sure"]);
  });

  it("with NUL, lone surrogates and __proto__ are no server fault [api.texts]", async () => {
    for (const label of ["a\u0000b", "\ud800", "💚", "'; DROP TABLE quizzes; --"]) {
      const answer = await ask(JSON.stringify({ label }));
      expect([201, 422]).toContain(answer.status);
    }
    const polluted = await ask('{"__proto__": {"label": "x"}}');
    expect([201, 422]).toContain(polluted.status);
  });
});

describe("parameters and ids", () => {
  it("undeclared parameters are refused by name on every kind of route [api.parameters]", async () => {
    const asked: [string, string][] = [
      ...[
        ["GET", "/v1/store"],
        ["GET", "/v1/quizzes"],
        ["GET", `/v1/quizzes/${quiz}`],
        ["GET", "/v1/profiles"],
      ],
      ...[
        ["POST", `/v1/quizzes/${quiz}/archive`],
        ["POST", `/v1/quizzes/${quiz}/versions`],
        ["DELETE", `/v1/quizzes/${quiz}`],
      ],
    ] as [string, string][];
    for (const [method, path] of asked) {
      const answer = await api.ask(method, `${path}?Limit=5&_=1`);
      expect(fields(expectProblem(answer, 422, "validation_error")).toSorted()).toEqual(["query.Limit", "query._"]);
    }
  });

  it("malformed, unknown and wrong-kind ids in the path are 404 alike, never echoed [api.not-found]", async () => {
    const ids = [
      ...[
        "quiz_1",
        "1",
        newId("quiz"),
        newId("ver"),
        quiz.toUpperCase(),
        quiz.slice(5),
        `${quiz}0`,
        "%00",
        "..%2f..",
        "é",
      ],
      ...["a".repeat(150), `quiz_${"g".repeat(32)}`, "%E0%A4%A"],
    ];
    for (const id of ids) {
      const answer = await api.get(`/v1/quizzes/${id}`);
      const problem = expectProblem(answer, 404, "not_found");
      expect(problem.detail).toBe("Not found");
    }
    expectProblem(await api.get("/v1/quizzes//versions"), 404, "not_found");
  });
});

describe("the wire", () => {
  it("malformed requests and oversized headers are problems with request ids too [api.problems, api.request-ids]", async () => {
    const host = `Host: 127.0.0.1:${program.port}`;
    const key = `Authorization: Bearer ${text}`;
    const asked = [
      "NONSENSE\r\n\r\n",
      `GET /v1/store HTTP/1.1\r\n${host}\r\nX: ${"a".repeat(100_000)}\r\n\r\n`,
      `GET /v1/store HTTP/9.9\r\n${host}\r\n\r\n`,
      `POST /v1/quizzes/${quiz}/versions HTTP/1.1\r\n${host}\r\n${key}\r\nContent-Length: x\r\n\r\n`,
    ];
    for (const sent of asked) {
      const { status, headers, body } = await rawRequest(program.port, sent);
      expect(headers.get("request-id"), `${sent.slice(0, 40)}: ${body}`).toMatch(/^req_[0-9a-f]{32}$/);
      const problem = JSON.parse(body) as Problem;
      expect([problem.status, problem.request_id]).toEqual([status, headers.get("request-id")]);
      expect(headers.get("content-type")).toContain("application/problem+json");
      expect([400, 413, 414, 415, 431, 500]).not.toContain(status);
    }
    const expecting = `GET /v1/store HTTP/1.1\r\n${host}\r\n${key}\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n`;
    const { status, headers } = await rawRequest(program.port, expecting);
    expect(status).not.toBe(500);
    expect(headers.get("request-id")).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it("every request has an own id, and /v1 sends nothing for other origins [api.request-ids, api.cross-origin]", async () => {
    const headers = { origin: "https://shop.example", "x-request-id": "mine", "request-id": "mine" };
    const answers = [await api.get("/v1/store", headers), await api.get("/v1/store", headers)];
    const ids = answers.map((answer) => answer.headers.get("request-id"));
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f]{32}$/);
    for (const answer of answers) expect(answer.headers.get("access-control-allow-origin")).toBeNull();
  });
});

describe("what describes the API", () => {
  it("each error's address answers a readable page without a key [api.error-pages]", async () => {
    const answer = await request(`${program.url}/v1/nothing`);
    const titles = ["invalid_api_key", "plan_required", "insufficient_scope", "not_found", "method_not_allowed"];
    const more = ["conflict", "ai_run_in_progress", "validation_error", "rate_limited", "internal_error", "timeout"];
    for (const title of [...titles, ...more, "upstream_error", "limiter_unavailable", "dependency_unavailable"]) {
      const page = await request(`${program.url}/errors/${title}`);
      expect([title, page.status]).toEqual([title, 200]);
      expect(page.text).toContain(title);
      expect(page.text.length).toBeGreaterThan(40);
    }
    expect(new URL(answer.body.type).pathname).toBe("/errors/not_found");
    expectProblem(await request(`${program.url}/errors/no_such_error`), 404, "not_found");
  });

  it("openapi.json lists every route, without a key [api.description]", async () => {
    const { status, body } = await request<{ openapi: string; paths: Record<string, object> }>(
      `${program.url}/openapi.json`,
    );
    expect([status, body.openapi.slice(0, 3)]).toEqual([200, "3.1"]);
    const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, "{}")}`),
    );
    const expected = [
      ...["GET /v1/store", "GET /v1/quizzes", "GET /v1/quizzes/{}", "DELETE /v1/quizzes/{}", "GET /v1/profiles"],
      ...["POST /v1/quizzes/{}/archive", "POST /v1/quizzes/{}/unarchive", "GET /v1/quizzes/{}/versions"],
      ...["POST /v1/quizzes/{}/versions", "GET /v1/quizzes/{}/versions/{}", "POST /v1/quizzes/{}/versions/{}/publish"],
      "GET /v1/profiles/{}",
    ];
    for (const operation of expected) expect(operations).toContain(operation);
  });
});

describe("idempotency keys", () => {
  it("replay a stored answer, once per key and body, also to a concurrent repeat [api.idempotency]", async () => {
    const path = `/v1/quizzes/${quiz}/versions`;
    const key = { "idempotency-key": newId("order") };
    const [one, two] = await Promise.all([
      api.post<VersionSummary>(path, { label: "once" }, key),
      api.post<VersionSummary>(path, { label: "once" }, key),
    ]);
    const three = await api.post<VersionSummary>(path, { label: "once" }, key);
    expect([one.status, two.status, three.status]).toEqual([201, 201, 201]);
    expect([two.body, three.body]).toEqual([one.body, one.body]);
    const replayed = [one, two].map(({ headers }) => headers.get("idempotent-replayed")).toSorted();
    expect([replayed.filter((value) => value === "true").length, three.headers.get("idempotent-replayed")]).toEqual([
      1,
      "true",
    ]);
    const other = await api.post(path, { label: "other" }, key);
    expect(fields(expectProblem(other, 422, "validation_error"))).toEqual(["header.Idempotency-Key"]);
    const archive = { "idempotency-key": newId("order") };
    const first = await api.post<QuizSummary>(`/v1/quizzes/${quiz}/archive`, undefined, archive);
    await api.post(`/v1/quizzes/${quiz}/unarchive`);
    const again = await api.post<QuizSummary>(`/v1/quizzes/${quiz}/archive`, undefined, archive);
    expect([again.body, (await api.get<QuizSummary>(`/v1/quizzes/${quiz}`)).body.archived]).toEqual([
      first.body,
      false,
    ]);
  });
});
