import { describe, expect, it } from "vitest";
import { createRandom } from "../demo/random.ts";
import { Checker, canary } from "./fuzz-check.ts";
import { type FuzzOperation, readDocument } from "./fuzz-document.ts";
import { Known } from "./fuzz-known.ts";
import { operationShot } from "./fuzz-requests.ts";
import { curlLine, type FuzzAnswer, type FuzzKey, type Shot } from "./fuzz-shot.ts";

/** A fuzz that finds nothing proves something only where it would have found what is wrong. */

const document = readDocument();
const every = new Set([
  "quizzes:read",
  "quizzes:write",
  "quizzes:publish",
  "analytics:read",
  "profiles:read",
  "webhooks:manage",
]);
const full: FuzzKey = { name: "full", header: "Bearer svc_live_x", good: true, store: "main", scopes: every };
const operation = (id: string): FuzzOperation => {
  const found = document.operations.find((one) => one.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
};

const requestId = `req_${"a".repeat(32)}`;
const stranger = `quiz_${"b".repeat(32)}`;
const charged = { ratelimit: "limit=72, remaining=71, reset=1", "ratelimit-policy": "72;w=6" };
const problem = {
  ...{ type: "http://localhost/errors/not_found", title: "not_found", detail: "Not found", status: 404 },
  request_id: requestId,
};
const version = {
  ...{ id: `ver_${"c".repeat(32)}`, quiz_id: `quiz_${"d".repeat(32)}`, number: 1, label: null, page_count: 2 },
  ...{ published: false, created_at: "2026-09-01T08:00:00.000Z" },
};

const shot: Shot = {
  ...{
    label: "",
    operation: operation("getVersion"),
    method: "GET",
    path: "/v1/x",
    headers: [],
    body: null,
    key: full,
  },
  statuses: null,
};
const answer = (status: number, body: unknown, headers: Record<string, string> = {}): FuzzAnswer => ({
  ...{ status, body, text: JSON.stringify(body), length: Buffer.byteLength(JSON.stringify(body)) },
  headers: {
    ...{ "request-id": requestId, ...charged },
    "content-type": status < 400 ? "application/json; charset=utf-8" : "application/problem+json",
    ...headers,
  },
});

function faultOf(given: FuzzAnswer, asked: Partial<Shot> = {}): string | null {
  const known = new Known([]);
  known.learnStrangers(`"${stranger}"`);
  return new Checker(document, known).fault({ ...shot, ...asked }, given);
}

describe("the fuzz's judgement of an answer", () => {
  it("is content with what the document declares [api.problems, api.description]", () => {
    expect(faultOf(answer(200, version))).toBeNull();
    expect(faultOf(answer(404, problem))).toBeNull();
  });

  const faults: [string, FuzzAnswer, Partial<Shot>?][] = [
    ["status 500", answer(500, { ...problem, status: 500, title: "internal_error" })],
    ["status 409 is not declared", answer(409, { ...problem, status: 409 })],
    ["status 200, should be 404", answer(200, version), { statuses: [404] }],
    ["request id", answer(200, version, { "request-id": "req_1" })],
    ["not of the declared shape", answer(200, { ...version, number: "1" })],
    ["not of the declared shape", answer(200, { ...version, undeclared: 1 })],
    ["not of the declared shape", answer(200, { ...version, created_at: "2026-09-01T08:00:00Z" })],
    // the cast: a header that is not there, where headers are texts
    ["no limits in a charged answer", answer(200, version, { ratelimit: undefined as unknown as string })],
    ["a refusal that is no problem", answer(404, problem, { "content-type": "application/json" })],
    ["no problem", answer(404, { ...problem, detail: undefined })],
    ["no problem", answer(404, { ...problem, cause: "x" })],
    ["the problem names another request id", answer(404, { ...problem, request_id: `req_${"0".repeat(32)}` })],
    ["type and title disagree", answer(404, { ...problem, title: "conflict" })],
    ["is not declared", answer(404, { ...problem, title: "conflict", type: "http://x/errors/conflict" })],
    ["a 404 that says more", answer(404, { ...problem, detail: "no quiz 7" })],
    ["no limits in a charged answer", answer(404, problem, { ratelimit: "72" })],
    ["content of the other store", answer(200, { ...version, label: canary })],
    ["of the other store", answer(200, { ...version, quiz_id: stranger })],
    [
      "tells of its insides",
      answer(422, {
        ...problem,
        status: 422,
        title: "validation_error",
        detail: "SELECT 1 FROM x",
        type: "http://x/errors/validation_error",
      }),
    ],
    ["of the machine", answer(200, { ...version, label: "/node_modules/pg" })],
    ["allows other origins", answer(200, version, { "access-control-allow-origin": "*" })],
  ];
  it.for(faults)("says: %s [api.problems]", ([due, given, asked]) => {
    expect(faultOf(given, asked)).toContain(due);
  });
});

describe("the fuzz's requests", () => {
  it("are mostly ones that the document takes, and none is called wrong that it takes", () => {
    const known = new Known(["https://hooks.example.com"]);
    const sound = new Map<string, number>();
    for (const one of document.operations) {
      for (let step = 0; step < 60; step += 1) {
        const made = operationShot(one, full, createRandom(`1/${step}`), known);
        const refusedAlone = made.statuses?.every((status) => status === 422 || status === 429);
        const body = typeof made.body === "string" && made.label === "sound" ? JSON.parse(made.body) : {};
        if (made.label === "sound" && made.statuses?.includes(one.method === "POST" ? 422 : 200)) {
          if (!refusedAlone) expect(one.takes(body)).toBe(true);
          sound.set(one.id, (sound.get(one.id) ?? 0) + 1);
        }
      }
    }
    expect([...sound.values()].every((times) => times > 10)).toBe(true);
    expect(sound.size).toBeGreaterThan(30);
  });

  it("are the same for the same seed", () => {
    const made = () => operationShot(operation("listProfiles"), full, createRandom("7/1"), new Known([]));
    expect(made()).toEqual(made());
  });

  it("can be repeated in a shell, bytes that are no text too", () => {
    const body = Buffer.from([0x7b, 0xff]);
    expect(curlLine("http://h", { ...shot, method: "POST", headers: ["a", "it's"], body })).toBe(
      "printf %s e/8= | base64 -d | curl -sS -i --path-as-is -X 'POST' -H 'a: it'\\''s' 'http://h/v1/x' --data-binary @-",
    );
  });
});
