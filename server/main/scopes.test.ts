import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { operations, storeOperations } from "../../contract/api.ts";
import type { Operation } from "../../contract/operation.ts";
import { allScopes, type Scope } from "../../contract/scopes.ts";
import { type Answered, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { createEndpoint } from "../../testkit/endpoints.ts";
import { nobodys, pathOf } from "../../testkit/tenants.ts";
import { createKey, disconnectStore, revokeKey } from "../stores/admin.ts";
import { newKeyText } from "../stores/key-text.ts";

/**
 * Who may do what: every operation with every scope, and with every kind of key that is none [api.scopes,
 * api.key-required].
 */

/** Written by hand: what the contract says is held against it. */
const scopes: Readonly<Record<string, Scope | null>> = {
  "GET /v1/store": null,
  "GET /v1/quizzes": "quizzes:read",
  "GET /v1/quizzes/{}": "quizzes:read",
  "DELETE /v1/quizzes/{}": "quizzes:write",
  "POST /v1/quizzes/{}/archive": "quizzes:write",
  "POST /v1/quizzes/{}/unarchive": "quizzes:write",
  "GET /v1/quizzes/{}/versions": "quizzes:read",
  "POST /v1/quizzes/{}/versions": "quizzes:write",
  "GET /v1/quizzes/{}/versions/{}": "quizzes:read",
  "GET /v1/quizzes/{}/versions/{}/lint": "quizzes:read",
  "GET /v1/quizzes/{}/draft/lint": "quizzes:read",
  "POST /v1/quizzes/{}/versions/{}/approvals": "quizzes:publish",
  "POST /v1/quizzes/{}/versions/{}/publish": "quizzes:publish",
  "POST /v1/quizzes": "quizzes:write",
  "GET /v1/quizzes/{}/draft": "quizzes:write",
  "PATCH /v1/quizzes/{}/draft": "quizzes:write",
  "POST /v1/quizzes/{}/draft/run": "quizzes:write",
  "POST /v1/quizzes/{}/draft/run/end": "quizzes:write",
  "POST /v1/quizzes/{}/preview": "quizzes:write",
  "GET /v1/analytics/summary": "analytics:read",
  "GET /v1/analytics/quizzes": "analytics:read",
  "GET /v1/analytics/overview": "analytics:read",
  "GET /v1/analytics/breakdown": "analytics:read",
  "GET /v1/analytics/products": "analytics:read",
  "GET /v1/quizzes/{}/analytics/overview": "analytics:read",
  "GET /v1/quizzes/{}/analytics/answers": "analytics:read",
  "GET /v1/quizzes/{}/analytics/funnel": "analytics:read",
  "GET /v1/quizzes/{}/analytics/breakdown": "analytics:read",
  "GET /v1/quizzes/{}/analytics/paths": "analytics:read",
  "GET /v1/quizzes/{}/analytics/products": "analytics:read",
  "GET /v1/quizzes/{}/analytics/traffic": "analytics:read",
  "GET /v1/profiles": "profiles:read",
  "POST /v1/profiles/search": "profiles:read",
  "GET /v1/profiles/{}": "profiles:read",
  "GET /v1/exports": null,
  // by the dataset in its body
  "POST /v1/exports": null,
  "GET /v1/exports/{}": null,
  "GET /v1/events": "webhooks:manage",
  "GET /v1/events/{}": "webhooks:manage",
  "GET /v1/webhooks": "webhooks:manage",
  "POST /v1/webhooks": "webhooks:manage",
  "GET /v1/webhooks/{}": "webhooks:manage",
  "PATCH /v1/webhooks/{}": "webhooks:manage",
  "DELETE /v1/webhooks/{}": "webhooks:manage",
  "GET /v1/webhooks/{}/deliveries": "webhooks:manage",
  "POST /v1/webhooks/{}/deliveries/{}/redeliver": "webhooks:manage",
  "POST /v1/webhooks/{}/redeliver-failed": "webhooks:manage",
  "POST /v1/webhooks/{}/reveal-secret": "webhooks:manage",
  "POST /v1/webhooks/{}/rotate-secret": "webhooks:manage",
  "POST /v1/webhooks/{}/ping": "webhooks:manage",
  "GET /v1/test/clock": null,
  "POST /v1/test/clock": null,
  "DELETE /v1/test/data": null,
};

const openWhenPaused = ["GET /v1/webhooks", "GET /v1/webhooks/{}/deliveries"];
const nameOf = ({ method, path }: Operation): string => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`;

let t: TestApp;
let store: TestStore;
let paused: TestStore;
const narrow = new Map<Scope, string>();
const allBut = new Map<Scope, string>();
beforeAll(async () => {
  t = await openTestApp();
  store = await t.store({ plan: "enterprise" });
  paused = await t.store({ plan: "other" });
  for (const one of [store, paused]) await t.update(one, { limits: { capacity: 1_000_000 } });
  for (const scope of allScopes) {
    narrow.set(scope, await t.key(store, [scope]));
    const others = allScopes.filter((each) => each !== scope);
    allBut.set(scope, await t.key(store, others, { admin: "owner@shop.example" }));
  }
});
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

const nobody = nobodys();

/** A request that gets past its scope and changes nothing: it names what nobody has, or lacks what it needs. */
const ask = (operation: Operation, authorization: string | undefined): Promise<Answered> =>
  t.request(operation.method, `${pathOf(operation, nobody)}?odd=1`, {
    headers: authorization === undefined ? {} : { authorization },
  });

function expectRefusal(label: string, answer: Answered, status: number, title: string): void {
  expect([label, answer.status, answer.body?.title]).toEqual([label, status, title]);
  expect([label, answer.headers["content-type"]]).toEqual([
    label,
    expect.stringMatching(/^application\/problem\+json/),
  ]);
  // refused before limits were looked at [api.check-order]
  expect([label, answer.headers["ratelimit"], answer.headers["ratelimit-policy"]]).toEqual([
    label,
    undefined,
    undefined,
  ]);
}

it("the contract asks for the scopes that are listed here, operation by operation [api.scopes, api.plans]", () => {
  expect(Object.fromEntries(operations.map((operation) => [nameOf(operation), operation.scope]))).toEqual(scopes);
  const open = operations.filter(({ openOnPausedPlan }) => openOnPausedPlan).map(nameOf);
  expect(open.sort()).toEqual(openWhenPaused);
});

describe.each(storeOperations.map((operation) => [nameOf(operation), operation] as const))("%s", (name, operation) => {
  it("takes a key with its scope alone, and none that lacks it, whoever its admin is [api.scopes]", async () => {
    const { scope } = operation;
    for (const held of allScopes) {
      const [alone, without] = [narrow.get(held), allBut.get(held)];
      const single = await ask(operation, `Bearer ${alone}`);
      const rest = await ask(operation, `Bearer ${without}`);
      for (const [label, answer, allowed] of [
        [`${name} with ${held}`, single, scope === null || scope === held],
        [`${name} without ${held}`, rest, scope !== held],
      ] as const) {
        // the parameter that no route declares is met behind the scope
        if (allowed) expect([label, answer.status, answer.body.errors[0].field]).toEqual([label, 422, "query.odd"]);
        else {
          expectRefusal(label, answer, 403, "insufficient_scope");
          expect(answer.body.required).toEqual([scope]);
        }
      }
    }
  });

  it("takes no key of a store on a paused plan, but for two lists [api.plans]", async () => {
    const answer = await ask(operation, `Bearer ${paused.key}`);
    if (openWhenPaused.includes(name)) expect([answer.status, answer.body.errors[0].field]).toEqual([422, "query.odd"]);
    else expectRefusal(name, answer, 403, "plan_required");
  });
});

describe("a key that is none", () => {
  it("is refused by every operation with one and the same answer, whatever is wrong with it [api.key-required]", async () => {
    const keyOfExpired = await t.key(store, allScopes, { expires: new Date(t.calendar.now() + 1_000).toISOString() });
    t.calendar.advance(2_000);
    const made = (one: TestStore) =>
      t.database.transaction((tx) => createKey(tx, t.foundations, one.uuid, { scopes: allScopes }));
    const [revoked, gone] = [await made(store), await t.store()];
    await t.database.transaction(async (tx) => {
      await revokeKey(tx, t.foundations, revoked.key_id);
      await disconnectStore(tx, t.foundations, gone.uuid);
    });
    const { key } = store;
    const other = key.at(-1) === "a" ? "b" : "a";
    const wrong: Record<string, string | undefined> = {
      none: undefined,
      empty: "",
      "of another scheme": `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
      "without a scheme": key,
      "without a key": "Bearer ",
      "twice in one header": `Bearer ${key}, Bearer ${key}`,
      "with something behind": `Bearer ${key} x`,
      malformed: "Bearer svc_live_",
      "of another kind": `Bearer ${store.publishableKey}`,
      "of the commerce platform": `Bearer ${store.commerceSecret}`,
      "with a wrong checksum": `Bearer ${key.slice(0, -1)}${other}`,
      "with another character in its secret": `Bearer ${key.slice(0, 20)}${key[20] === "a" ? "b" : "a"}${key.slice(21)}`,
      "in small letters": `Bearer ${key.toLowerCase()}`,
      "well-formed and nobody's": `Bearer ${newKeyText(t.foundations.random)}`,
      "its hash": `Bearer ${Buffer.from(key).toString("hex")}`,
      "a quote": "Bearer ' OR 1=1 --",
      revoked: `Bearer ${revoked.key}`,
      expired: `Bearer ${keyOfExpired}`,
      "of a disconnected store": `Bearer ${gone.key}`,
    };
    const bodies = new Set<string>();
    for (const operation of operations) {
      for (const [label, authorization] of Object.entries(wrong)) {
        const answer = await ask(operation, authorization);
        expectRefusal(`${nameOf(operation)} ${label}`, answer, 401, "invalid_api_key");
        expect(answer.headers["www-authenticate"]).toBe("Bearer");
        bodies.add(answer.text.replace(/req_[0-9a-f]{32}/, ""));
      }
    }
    expect(bodies.size).toBe(1);
  });

  it("is one wherever else than in the header it is sent [api.key-required]", async () => {
    const { key } = store;
    for (const url of [`/v1/store?api_key=${key}`, `/v1/store?access_token=${key}`, `/v1/store?key=${key}`]) {
      expectRefusal(url, await t.request("GET", url), 401, "invalid_api_key");
    }
    const headers = { cookie: `authorization=Bearer ${key}`, "x-api-key": key, "proxy-authorization": `Bearer ${key}` };
    expectRefusal("other headers", await t.request("GET", "/v1/store", { headers }), 401, "invalid_api_key");
    const form = await t.request("POST", "/v1/exports", { body: { access_token: key, dataset: "profiles" } });
    expectRefusal("body", form, 401, "invalid_api_key");
    expect((await t.request("GET", "/v1/store", { headers: { authorization: `bearer ${key}` } })).status).toBe(200);
  });

  it("is none from five seconds after its revocation on, also where it was used just before [api.key-end]", async () => {
    const { key, key_id } = await t.database.transaction((tx) =>
      createKey(tx, t.foundations, store.uuid, { scopes: allScopes }),
    );
    expect((await t.request("GET", "/v1/store", { key })).status).toBe(200);
    await t.database.transaction((tx) => revokeKey(tx, t.foundations, key_id));
    t.passTime(5_001);
    expect((await t.request("GET", "/v1/store", { key })).status).toBe(401);
  });
});

describe("scopes that depend on the body", () => {
  const dataset = { profiles: "profiles:read", responses: "profiles:read", quiz_analytics: "analytics:read" } as const;

  it.each(Object.entries(dataset))(
    "an export of %s needs %s, told behind its 422 and charged [exports.scopes, api.body-scopes]",
    async (name, scope) => {
      for (const held of allScopes) {
        const key = narrow.get(held) ?? "";
        const invalid = await t.request("POST", "/v1/exports", { key, body: { dataset: name, tz: "Nowhere" } });
        expect([held, invalid.status, invalid.body.errors[0].field]).toEqual([held, 422, "body.tz"]);
        const answer = await t.request("POST", "/v1/exports", { key, body: { dataset: name } });
        if (held === scope) expect([held, answer.status]).toEqual([held, 202]);
        else expect([held, answer.status, answer.body.required]).toEqual([held, 403, [scope]]);
        expect(answer.headers["ratelimit"]).toBeDefined();
      }
    },
  );

  it("an endpoint that takes contacts needs profiles:read as well, to be made and to be changed [webhooks.pii-scope, api.body-scopes]", async () => {
    const key = narrow.get("webhooks:manage") ?? "";
    const both = await t.key(store, ["webhooks:manage", "profiles:read"]);
    const body = { url: "https://hooks.example.com/pii", topics: ["identity.captured"], include_pii: true };
    const refused = await t.request("POST", "/v1/webhooks", { key, body });
    expect([refused.status, refused.body.required]).toEqual([403, ["profiles:read"]]);
    const made = await t.request("POST", "/v1/webhooks", { key: both, body });
    expect(made.status).toBe(201);
    const path = `/v1/webhooks/${made.body.id}`;
    // anything that leaves the switch on, the address above all
    for (const change of [{ url: "https://evil.example.com/" }, { description: "x" }, { include_pii: true }]) {
      const answer = await t.request("PATCH", path, { key, body: change });
      expect([change, answer.status, answer.body.required]).toEqual([change, 403, ["profiles:read"]]);
    }
    const plain = await createEndpoint(t, store);
    const on = await t.request("PATCH", `/v1/webhooks/${plain.id}`, { key, body: { include_pii: true } });
    expect([on.status, on.body.required]).toEqual([403, ["profiles:read"]]);
    expect((await t.request("GET", path, { key })).body).toMatchObject({ url: body.url, include_pii: true });
  });

  it("hold for a repeat under another's Idempotency-Key too: nobody is answered what they may not ask [api.idempotency-kept]", async () => {
    const one = await t.store();
    const lacking = await t.key(one, ["webhooks:manage"]);
    const requests: [string, object][] = [
      ["/v1/exports", { dataset: "responses" }],
      ["/v1/webhooks", { url: "https://hooks.example.com/x", topics: ["identity.captured"], include_pii: true }],
    ];
    for (const [path, body] of requests) {
      const headers = { "idempotency-key": `repeat ${path}`.replace(" ", "-") };
      const first = await t.request("POST", path, { key: one.key, body, headers });
      const repeat = await t.request("POST", path, { key: lacking, body, headers });
      const again = await t.request("POST", path, { key: one.key, body, headers });
      expect([path, repeat.status, repeat.body.required]).toEqual([path, 403, ["profiles:read"]]);
      expect(repeat.text).not.toContain(first.body.id);
      expect([again.status, again.headers["idempotent-replayed"], again.body]).toEqual([
        first.status,
        "true",
        first.body,
      ]);
    }
  });
});

it("no key was logged, whatever it was used for [operations.logs]", () => {
  const keys = [store.key, paused.key, ...narrow.values(), ...allBut.values()];
  expect(t.logged.length).toBeGreaterThan(1_000);
  const all = t.logged.join("");
  for (const key of keys) expect(all.includes(key.slice(13, 30))).toBe(false);
});
