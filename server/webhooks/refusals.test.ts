import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventOperations } from "../../contract/event-feed.ts";
import { allScopes } from "../../contract/scopes.ts";
import { webhookOperations } from "../../contract/webhooks.ts";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { createEndpoint, newUrl, putDelivery, rowOf } from "../../testkit/endpoints.ts";

/** What every route of webhooks refuses alike. */

let t: TestApp;
let store: TestStore;
let other: TestStore;
interface Ids {
  endpoint: string;
  delivery: string;
}
let own: Ids;
let foreign: Ids;
beforeAll(async () => {
  t = await openTestApp();
  [store, other] = [await t.store({ plan: "enterprise" }), await t.store({ plan: "enterprise" })];
  [own, foreign] = [await endpointIn(store), await endpointIn(other)];
});
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

async function endpointIn(one: TestStore): Promise<Ids> {
  const endpoint: Body = await createEndpoint(t, one);
  return { endpoint: endpoint.id, delivery: await putDelivery(t, one, endpoint.id, { status: "dead" }) };
}

const fill = (path: string, { endpoint, delivery }: Ids) =>
  path.replace("{endpoint_id}", endpoint).replace("{delivery_id}", delivery);
const routes = [...eventOperations, ...webhookOperations].map((operation) => ({
  ...operation,
  name: `${operation.method} ${operation.path}`,
}));
const withId = routes.filter(({ path }) => path.includes("{"));
const unknown = { endpoint: `whe_${"0".repeat(32)}`, delivery: `whd_${"0".repeat(32)}` };
/** a body that each route would take */
const bodies: Record<string, object> = {
  createWebhook: { url: newUrl(), topics: ["quiz.started"] },
  updateWebhook: { description: "changed" },
  redeliverFailed: { since: "2026-01-01T00:00:00Z" },
};

describe.each(routes)("$name", ({ id, method, path, scope }) => {
  it("refuses a request without a key [api.key-required]", async () => {
    const answer = await t.request(method, fill(path, own));
    expect([answer.status, answer.body.title]).toEqual([401, "invalid_api_key"]);
  });

  it("refuses a key without webhooks:manage and names it [api.scopes]", async () => {
    expect(scope).toBe("webhooks:manage");
    const scopes = allScopes.filter((each) => each !== scope);
    const answer = await t.request(method, fill(path, own), { key: await t.key(store, scopes) });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ title: "insufficient_scope", required: [scope] });
  });

  it("refuses a parameter and a body field that it does not declare [api.bodies, api.parameters]", async () => {
    const url = fill(path, unknown);
    const odd = await t.request(method, `${url}?odd=1`, { key: store.key, body: bodies[id] });
    expect([odd.status, odd.body.errors]).toEqual([422, [{ field: "query.odd", message: expect.any(String) }]]);
    const body = { ...bodies[id], odd: 1 };
    const more = await t.request(method, url, { key: store.key, body });
    expect([more.status, more.body.errors]).toEqual([422, [{ field: "body.odd", message: expect.any(String) }]]);
  });

  it("refuses a method that the path does not take, with Allow [api.methods]", async () => {
    const answer = await t.request("PUT", fill(path, own));
    expect([answer.status, answer.body.title]).toEqual([405, "method_not_allowed"]);
    expect(String(answer.headers["allow"]).split(", ")).toContain(method);
  });
});

describe.each(withId)("$name", ({ id, method, path }) => {
  it("does not find unknown, foreign, malformed and misplaced ids, and changes nothing [api.not-found]", async () => {
    const sibling = await endpointIn(store);
    const hex = own.endpoint.slice(4);
    const wrong = [
      unknown,
      foreign,
      { ...own, endpoint: foreign.endpoint },
      { ...own, endpoint: `quiz_${hex}` },
      { ...own, endpoint: hex },
      { ...own, endpoint: own.endpoint.toUpperCase() },
      { ...own, endpoint: "%00" },
      ...(path.includes("{delivery_id}")
        ? [
            { ...own, delivery: foreign.delivery },
            { ...own, delivery: sibling.delivery },
            { ...own, delivery: own.endpoint },
            { ...own, delivery: "whd_1" },
          ]
        : []),
    ];
    const before = [await rowOf(t, other, foreign.endpoint), await rowOf(t, other, foreign.delivery)];
    for (const ids of wrong) {
      const answer = await t.request(method, fill(path, ids), { key: store.key, body: bodies[id] });
      expect([ids, answer.status, answer.body?.title]).toEqual([ids, 404, "not_found"]);
    }
    expect([await rowOf(t, other, foreign.endpoint), await rowOf(t, other, foreign.delivery)]).toEqual(before);
    expect(await rowOf(t, store, own.delivery)).toMatchObject({ status: "dead" });
  });
});

describe("a paused plan", () => {
  it("keeps the lists of endpoints and deliveries, and nothing else [api.plans]", async () => {
    const paused = await t.store();
    const ids = await endpointIn(paused);
    await t.update(paused, { plan: "other" });
    // what is known of a key is forgotten after a while
    t.passTime(60_000);
    const open = ["GET /v1/webhooks", "GET /v1/webhooks/{endpoint_id}/deliveries"];
    for (const { id, name, method, path } of routes) {
      const answer = await t.request(method, fill(path, ids), { key: paused.key, body: bodies[id] });
      if (open.includes(name)) {
        expect([name, answer.status, answer.body.data]).toEqual([name, 200, [expect.anything()]]);
        expect(answer.headers["ratelimit"]).toMatch(/^limit=72, /);
      } else {
        expect([name, answer.status, answer.body.title]).toEqual([name, 403, "plan_required"]);
        expect(answer.headers["ratelimit"]).toBeUndefined();
      }
    }
    const narrow = await t.key(paused, ["quizzes:read"]);
    const refused = await t.request("GET", "/v1/webhooks", { key: narrow });
    expect([refused.status, refused.body.title]).toEqual([403, "insufficient_scope"]);
  });
});
