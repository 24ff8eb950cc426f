import { Type } from "typebox";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { strict } from "../../../contract/common.ts";
import { type Access, nothing, type Operation, operation } from "../../../contract/operation.ts";
import { openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { inStore, type PersonHeaders, TestPeople } from "../../../testkit/members.ts";
import { type DashboardRoute, memberRoute, openRoute, personRoute } from "./dashboard.ts";
import { readRoute, writeRoute } from "./operations.ts";

const echo = Type.Object({}, { additionalProperties: true });
const made = (id: string, access: Access, more: Partial<Operation> = {}): Operation =>
  operation({
    ...{ id, method: "POST", path: `/dashboard/api/${id}`, scope: null, cost: "write", tag: "Home", access },
    ...{ summary: "Only in tests", body: Type.Object({ note: Type.Optional(Type.String()) }, strict) },
    answer: { status: 200, shape: echo, example: {} },
    ...more,
  } as Operation);

const asked = operation({
  ...{ id: "read", method: "GET", path: "/dashboard/api/read", scope: null, cost: "read", tag: "Home" },
  ...{ summary: "Only in tests", access: { to: "member", role: "analyst" } },
  answer: { status: 200, shape: echo, example: {} },
});

const worked: string[] = [];
const write = (op: Operation): DashboardRoute =>
  memberRoute(
    writeRoute(op, async ({ caller, body }) => {
      worked.push(op.id);
      return { body: { store: caller.store.name, by: caller.by.kind, note: (body as { note?: string }).note ?? null } };
    }),
  );
const routes: DashboardRoute[] = [
  openRoute(made("open", { to: "anyone" }), async ({ address }) => ({
    body: { address },
    headers: { "Set-Cookie": ["a=1; HttpOnly", "b=2; HttpOnly"] },
  })),
  openRoute(made("gone", { to: "anyone" }, { answer: { status: 204, shape: nothing, example: null } }), async () => ({
    body: null,
  })),
  personRoute(made("mine", { to: "person" }), async ({ person }) => ({ body: { email: person.email } })),
  personRoute(made("everywhere", { to: "operator" }), async () => ({ body: {} })),
  write(made("look", { to: "member", role: "analyst" })),
  write(made("change", { to: "member", role: "editor" })),
  write(made("own", { to: "member", role: "owner" })),
  write(made("secret", { to: "member", role: "owner", confirmed: true })),
  memberRoute(readRoute(asked, async () => ({}))),
];

const people = new TestPeople();
let t: TestApp;
let store: TestStore;
let other: TestStore;
const headers: Record<string, PersonHeaders> = {};
const as = (name: string, of: TestStore = store) => inStore(headers[name] as PersonHeaders, of);
const post = (id: string, given: Record<string, string>, body?: unknown) =>
  t.request("POST", `/dashboard/api/${id}`, { headers: given, body });
const refusal = async (answer: Promise<{ status: number; body: { title: string; required?: string[] } }>) => {
  const { status, body } = await answer;
  return body.required ? [status, body.title, body.required] : [status, body.title];
};

beforeAll(async () => {
  t = await openTestApp({ signedIn: people.signedIn, extraDashboardRoutes: routes });
  store = await t.store();
  other = await t.store();
  for (const role of ["analyst", "editor", "owner"] as const) headers[role] = people.add(role, { in: [[store, role]] });
  headers["stranger"] = people.add("stranger", { in: [[other, "owner"]] });
  headers["operator"] = people.add("operator", { operator: true });
  headers["both"] = people.add("both", {
    in: [
      [store, "owner"],
      [other, "analyst"],
    ],
  });
  headers["stale"] = people.add("stale", { in: [[store, "owner"]], confirmedAt: t.calendar.now() - 10 * 60_000 });
});
afterAll(() => t.close());
beforeEach(() => t.passTime(600_000));

describe("who may", () => {
  it("is nobody without a session, but for what is open to everyone [dashboard-api.access]", async () => {
    for (const id of ["mine", "everywhere", "look", "change", "own", "secret", "v1/store"]) {
      const method = id === "v1/store" ? "GET" : "POST";
      const answer = t.request(method, `/dashboard/api/${id}`, { headers: { "sec-fetch-site": "same-origin" } });
      expect([id, ...(await refusal(answer))]).toEqual([id, 401, "not_signed_in"]);
    }
    expect((await post("open", { "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  it("is a member with the least role or a higher one; the refusal names those that may [dashboard-api.roles]", async () => {
    const least = { look: ["analyst", "editor", "owner"], change: ["editor", "owner"], own: ["owner"] };
    for (const [id, allowed] of Object.entries(least)) {
      for (const role of ["analyst", "editor", "owner"]) {
        const answer = await post(id, as(role));
        if (allowed.includes(role)) expect([id, role, answer.status]).toEqual([id, role, 200]);
        else
          expect([id, role, answer.status, answer.body.title, answer.body.required]).toEqual([
            id,
            role,
            403,
            "insufficient_role",
            allowed,
          ]);
      }
    }
  });

  it("is no member of another store, who learns no more of it than of one that does not exist [dashboard-api.store-header]", async () => {
    const nobodys = { ...as("owner"), "quizstore-store": `store_${"0".repeat(32)}` };
    const answers = [
      await post("look", as("stranger")),
      await post("look", nobodys),
      await post("look", { ...as("owner"), "quizstore-store": "x" }),
    ];
    const bodies = answers.map(({ text }) => text.replace(/req_[0-9a-f]{32}/, ""));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect(new Set(bodies).size).toBe(1);
  });

  it("is an operator where only operators may, and no operator in a store before saying so [dashboard-api.support]", async () => {
    expect((await post("everywhere", as("operator"))).status).toBe(200);
    expect(await refusal(post("everywhere", as("owner")))).toEqual([403, "insufficient_role", ["operator"]]);
    expect(await refusal(post("look", as("operator")))).toEqual([403, "insufficient_role", ["support"]]);
    const nowhere = { ...as("operator"), "quizstore-store": `store_${"0".repeat(32)}` };
    expect(await refusal(post("look", nowhere))).toEqual([404, "not_found"]);
  });

  it("has given the password within ten minutes where that is asked [dashboard-api.password-again]", async () => {
    expect(await refusal(post("secret", as("stale")))).toEqual([403, "password_required"]);
    expect((await post("secret", as("owner"))).status).toBe(200);
    expect((await post("own", as("stale"))).status).toBe(200);
    // who may not do it at all is not asked for a password first
    expect(await refusal(post("secret", as("editor")))).toEqual([403, "insufficient_role", ["owner"]]);
  });
});

describe("the store", () => {
  it("may be left out by whoever has one alone [dashboard-api.store-header]", async () => {
    expect((await post("look", headers["owner"] as PersonHeaders)).body.store).toBe("Shop 1");
    const answer = await post("look", headers["both"] as PersonHeaders);
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "header.Quizstore-Store"]);
    expect((await post("look", as("both", other))).body.store).toBe("Shop 2");
    expect(await refusal(post("own", as("both", other)))).toEqual([403, "insufficient_role", ["owner"]]);
  });
});

describe("requests of other sites", () => {
  it("change nothing, whatever cookie comes with them [dashboard-api.same-origin]", async () => {
    const { cookie } = headers["owner"] as PersonHeaders;
    const before = worked.length;
    const from: Record<string, string>[] = [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "sec-fetch-site": "cross-site", origin: "http://api.test" },
      { origin: "https://evil.example" },
      { origin: "http://api.test.evil.example" },
      { origin: "https://api.test" },
      { origin: "http://api.test:81" },
      { origin: "null" },
    ];
    for (const sent of from) {
      for (const id of ["own", "mine", "open"])
        expect([sent, id, ...(await refusal(post(id, { ...sent, cookie })))]).toEqual([
          sent,
          id,
          403,
          "cross_site_request",
        ]);
    }
    expect(worked.length).toBe(before);
    expect((await post("own", { cookie, origin: "http://api.test" })).status).toBe(200);
    // what changes nothing needs no such header: its answer is for no other page to read
    const read = await t.request("GET", "/dashboard/api/read", { headers: { cookie } });
    expect([read.status, read.headers["access-control-allow-origin"]]).toEqual([200, undefined]);
  });

  it("have no form that is taken for JSON [dashboard-api.same-origin]", async () => {
    const answer = await t.request("POST", "/dashboard/api/look", {
      headers: { ...as("owner"), "content-type": "text/plain" },
      body: '{"note":"x"}',
    });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, "body"]);
  });
});

describe("operations of /v1 for people", () => {
  it("answer a member as they answer a key, under /dashboard/api/v1 [dashboard-api.mounted]", async () => {
    const byKey = await t.request("GET", "/v1/store", { key: store.key });
    const byOwner = await t.request("GET", "/dashboard/api/v1/store", { headers: as("owner") });
    expect([byOwner.status, byOwner.body]).toEqual([200, byKey.body]);
    expect(byOwner.headers["cache-control"]).toBe("private, no-store");
    const byAnalyst = await t.request("GET", "/dashboard/api/v1/store", { headers: as("analyst") });
    expect(byAnalyst.body.scopes).toEqual(["quizzes:read", "analytics:read"]);
  });

  it("take no key there, and no session under /v1 [dashboard-api.mounted]", async () => {
    expect((await t.request("GET", "/dashboard/api/v1/store", { key: store.key })).status).toBe(401);
    expect((await t.request("GET", "/v1/store", { headers: as("owner") })).body.title).toBe("invalid_api_key");
  });

  it("refuse what the role lacks, by naming the roles that have it [dashboard-api.roles]", async () => {
    expect(await refusal(t.request("GET", "/dashboard/api/v1/profiles", { headers: as("analyst") }))).toEqual([
      403,
      "insufficient_role",
      ["owner"],
    ]);
    expect(await refusal(t.request("GET", "/dashboard/api/v1/webhooks", { headers: as("analyst") }))).toEqual([
      403,
      "insufficient_role",
      ["editor", "owner"],
    ]);
  });
});

describe("limits", () => {
  it("are each person's own, and none of the keys' [dashboard-api.limits]", async () => {
    await t.update(store, { limits: { capacity: 6, leak_per_second: 1, bot_multiplier: 1 } });
    t.passTime(6_000);
    const read = (name: string) => t.request("GET", "/dashboard/api/read", { headers: as(name) });
    for (let asked = 0; asked < 60; asked += 1) expect((await read("owner")).status).toBe(200);
    const refused = await read("owner");
    expect([refused.status, refused.body.detail]).toEqual([429, "Your rate limit is used up; wait 1 s"]);
    expect((await read("analyst")).status).toBe(200);
    const byKey = await t.request("GET", "/v1/store", { key: store.key });
    expect([byKey.status, byKey.headers["ratelimit"]]).toEqual([200, "limit=6, remaining=5, reset=1"]);
    await t.update(store, { limits: {} });
  });

  it("hold back an address that asks without a session [dashboard-api.limits]", async () => {
    const small = { capacity: 3, leakPerSecond: 1 };
    const app = t.compose({ dashboardLimits: { address: small, network: small, store: small } });
    const statuses: number[] = [];
    for (let asked = 0; asked < 5; asked += 1)
      statuses.push((await app.inject({ url: "/dashboard/api/v1/store" })).statusCode);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
  });
});

it("what a route sets of headers is sent, and a 204 has no body", async () => {
  const answer = await post("open", { "sec-fetch-site": "same-origin" });
  expect(answer.headers["set-cookie"]).toEqual(["a=1; HttpOnly", "b=2; HttpOnly"]);
  const empty = await post("gone", { "sec-fetch-site": "same-origin" });
  expect([empty.status, empty.text]).toEqual([204, ""]);
});
