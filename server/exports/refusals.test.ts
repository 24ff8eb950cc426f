import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { exportOperations } from "../../contract/exports.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { exportRow, putExport } from "../../testkit/exports.ts";

/** What every route of exports refuses alike. */

let t: TestApp;
let store: TestStore;
let own: string;
let foreign: { store: TestStore; id: string };
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
  own = await putExport(t, store);
  const other = await t.store({ plan: "enterprise" });
  foreign = { store: other, id: await putExport(t, other) };
});
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

const routes = exportOperations.map((operation) => ({ ...operation, name: `${operation.method} ${operation.path}` }));
const bodies: Record<string, object> = { createExport: { dataset: "profiles" } };
const fill = (path: string, id: string) => path.replace("{export_id}", id);

describe.each(routes)("$name", ({ id, method, path }) => {
  it("refuses a request without a key [api.key-required]", async () => {
    const answer = await t.request(method, fill(path, own));
    expect([answer.status, answer.body.title]).toEqual([401, "invalid_api_key"]);
  });

  it("refuses a parameter and a body field that it does not declare [api.bodies, api.parameters]", async () => {
    const url = fill(path, own);
    const odd = await t.request(method, `${url}?odd=1`, { key: store.key, body: bodies[id] });
    expect([odd.status, odd.body.errors]).toEqual([422, [{ field: "query.odd", message: expect.any(String) }]]);
    const more = await t.request(method, url, { key: store.key, body: { ...bodies[id], odd: 1 } });
    expect([more.status, more.body.errors]).toEqual([422, [{ field: "body.odd", message: expect.any(String) }]]);
  });

  it("refuses a method that the path does not take, with Allow [api.methods]", async () => {
    const answer = await t.request("DELETE", fill(path, own));
    expect([answer.status, answer.body.title]).toEqual([405, "method_not_allowed"]);
    expect(String(answer.headers["allow"]).split(", ")).toContain(method);
  });

  it("refuses a store on a paused plan before it charges [api.plans]", async () => {
    const paused = await t.store({ plan: "other" });
    const answer = await t.request(method, fill(path, own), { key: paused.key, body: bodies[id] });
    expect([answer.status, answer.body.title]).toEqual([403, "plan_required"]);
    expect(answer.headers["ratelimit"]).toBeUndefined();
  });

  it("costs what its class says [api.costs]", async () => {
    const fresh = await t.store();
    const answer = await t.request(method, fill(path, own), { key: fresh.key, body: bodies[id] });
    const cost = method === "GET" ? 1 : 2;
    expect(answer.headers["ratelimit"]).toMatch(new RegExp(`^limit=72, remaining=${72 - cost}, `));
  });
});

it("finds no unknown, foreign, malformed or misplaced export [api.not-found]", async () => {
  const before = await exportRow(t, foreign.store, foreign.id);
  const hex = own.slice(4);
  for (const id of [
    `exp_${"0".repeat(32)}`,
    foreign.id,
    `quiz_${hex}`,
    hex,
    own.toUpperCase(),
    "exp_1",
    "%00",
    own + 0,
  ]) {
    const answer = await t.request("GET", `/v1/exports/${id}`, { key: store.key });
    expect([id, answer.status, answer.body.title, answer.body.detail]).toEqual([id, 404, "not_found", "Not found"]);
  }
  expect(await exportRow(t, foreign.store, foreign.id)).toEqual(before);
});
