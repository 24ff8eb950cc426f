import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Body, openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { createEndpoint } from "../../testkit/endpoints.ts";
import { inStore, type PersonHeaders, TestPeople } from "../../testkit/members.ts";

let t: TestApp;
let store: TestStore;
const people = new TestPeople();
let operator: PersonHeaders;
let owner: Record<string, string>;
const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = operator) =>
  t.request(method, `/dashboard/api${path}`, { headers, body });
beforeAll(async () => {
  t = await openTestApp({ signedIn: people.signedIn });
  store = await t.store();
  operator = people.add("olga", { operator: true });
  owner = inStore(people.add("mira", { in: [[store, "owner"]] }), store);
});
afterAll(() => t.close());
beforeEach(() => {
  t.passTime(60_000);
  t.calendar.advance(60_000);
});

const log = async (): Promise<Body[]> => (await ask("GET", "/audit", undefined, owner)).body.data;

describe("operators [dashboard-api.operator]", () => {
  it("make stores, find them, and change their plan and limits, in whose log it stands", async () => {
    const given = {
      name: "Lumen & Fern",
      shop_domain: "Lumen.example.com",
      plan: "plus",
      timezone: "UTC",
      currency: "EUR",
    };
    const made = await ask("POST", "/operator/stores", given);
    expect([made.status, made.body.shop_domain]).toEqual([201, "lumen.example.com"]);
    expect(made.body.commerce_secret).toMatch(/^[0-9a-f]{64}$/);
    const again = await ask("POST", "/operator/stores", given);
    expect([again.status, again.body.title]).toEqual([409, "conflict"]);
    for (const wrong of [{ timezone: "Mars/Olympus" }, { currency: "QQQ" }, { shop_domain: "no domain" }])
      expect((await ask("POST", "/operator/stores", { ...given, shop_domain: "x.example.com", ...wrong })).status).toBe(
        422,
      );
    const found = await ask("GET", "/operator/stores?q=men%20%26");
    expect(found.body.data.map(({ id }: Body) => id)).toEqual([made.body.id]);
    expect((await ask("GET", "/operator/stores?q=100%25")).body.data).toEqual([]);
    const path = `/operator/stores/${store.id}`;
    const changed = await ask("PATCH", path, { plan: "enterprise", limits: { webhook_endpoints: 7 } });
    expect(changed.body).toMatchObject({ plan: "enterprise", limits: { webhook_endpoints: 7 } });
    expect((await ask("GET", "/plan", undefined, owner)).body).toMatchObject({
      plan: "enterprise",
      limits: { webhook_endpoints: 7 },
    });
    expect((await ask("PATCH", path, { limits: { capacity: 1 } })).status).toBe(422);
    expect((await ask("PATCH", path, {})).status).toBe(422);
    const [row] = await log();
    expect(row).toMatchObject({ action: "store.updated", actor: { name: "olga@people.example" } });
    await ask("PATCH", path, { plan: "plus", limits: {} });
  });

  it("list all stores page by page, newest first", async () => {
    const first = (await ask("GET", "/operator/stores?limit=1")).body;
    const rest = (await ask("GET", `/operator/stores?limit=100&cursor=${first.next_cursor}`)).body;
    const ids = [...first.data, ...rest.data].map(({ id }: Body) => id);
    expect([first.has_more, rest.has_more, new Set(ids).size]).toEqual([true, false, ids.length]);
    expect(ids).toContain(store.id);
  });

  it("disconnect a store, whose keys and members are out at once, and connect it again", async () => {
    const gone = await t.store();
    const member = inStore(people.add("gone", { in: [[gone, "owner"]] }), gone);
    expect((await ask("GET", "/settings", undefined, member)).status).toBe(200);
    const path = `/operator/stores/${gone.id}`;
    expect((await ask("POST", `${path}/reconnect`)).status).toBe(409);
    const answer = await ask("POST", `${path}/disconnect`);
    expect(answer.body.disconnected_at).not.toBeNull();
    expect((await t.request("GET", "/v1/store", { key: gone.key })).status).toBe(401);
    expect((await ask("GET", "/settings", undefined, member)).status).toBe(404);
    expect((await ask("POST", `${path}/reconnect`)).body.disconnected_at).toBeNull();
    expect((await ask("GET", "/settings", undefined, member)).status).toBe(200);
  });

  it("are nobody else: an owner may do nothing of it", async () => {
    for (const [method, path] of [
      ["GET", "/operator/stores"],
      ["POST", `/operator/stores/${store.id}/support`],
      ["POST", `/operator/stores/${store.id}/disconnect`],
    ] as const) {
      const answer = await ask(method, path, method === "POST" ? {} : undefined, owner);
      expect([path, answer.status, answer.body.required]).toEqual([path, 403, ["operator"]]);
    }
  });
});

describe("support [dashboard-api.support]", () => {
  it("begins with a reason, ends after an hour or when left, and marks what is done in the store's log", async () => {
    const there = inStore(operator, store);
    const endpoint = await createEndpoint(t, store);
    expect((await ask("GET", `/where/${endpoint["id"]}`)).status).toBe(404);
    expect((await ask("GET", "/settings", undefined, there)).body.required).toEqual(["support"]);
    const path = `/operator/stores/${store.id}/support`;
    expect((await ask("POST", path, {})).body.errors[0].field).toBe("body.reason");
    const begun = await ask("POST", path, { reason: "Orders are missing" });
    expect(begun.body.support_until).toBe(new Date(t.calendar.now() + 3_600_000).toISOString());
    expect((await ask("GET", "/v1/store", undefined, there)).status).toBe(200);
    expect((await ask("PATCH", "/settings", { name: "Renamed by support" }, there)).status).toBe(200);
    // among however many others: the dashboard asks for those alone
    for (let n = 0; n < 2; n += 1) await t.store();
    const helped = (await ask("GET", "/operator/stores?supported=true&limit=1")).body;
    expect([helped.data.map(({ id }: Body) => id), helped.has_more]).toEqual([[store.id], false]);
    const found = await ask("GET", `/where/${endpoint["id"]}`);
    expect([found.status, found.body.store_id]).toEqual([200, store.id]);
    const rows = (await log()).slice(0, 2).toSorted((a, b) => (a["action"] < b["action"] ? -1 : 1));
    expect(rows).toMatchObject([
      { action: "store.updated", actor: { name: "olga@people.example", support: true } },
      { action: "support.begun", details: { reason: "Orders are missing" } },
    ]);
    expect((await ask("DELETE", path)).status).toBe(204);
    expect((await ask("GET", "/operator/stores?supported=true")).body.data).toEqual([]);
    expect((await ask("GET", "/settings", undefined, there)).status).toBe(403);
    await ask("POST", path, { reason: "Again" });
    t.calendar.advance(3_600_000);
    t.passTime(5_001);
    expect((await ask("GET", "/settings", undefined, there)).status).toBe(403);
  });
});
