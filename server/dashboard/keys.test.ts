import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { inStore, TestPeople } from "../../testkit/members.ts";
import { patience } from "../../testkit/slowness.ts";

let t: TestApp;
let store: TestStore;
const people = new TestPeople();
let owner: Record<string, string>;
const ask = (method: string, path: string, body?: unknown, headers = owner) =>
  t.request(method, `/dashboard/api${path}`, { headers, body });
beforeAll(async () => {
  t = await openTestApp({ signedIn: people.signedIn });
  store = await t.store();
  owner = inStore(people.add("mira", { in: [[store, "owner"]] }), store);
});
afterAll(() => t.close());
beforeEach(() => t.passTime(60_000));

describe("API keys in the dashboard [dashboard-api.keys]", () => {
  it("are made with a name and scopes, shown once, and open what they say", async () => {
    // later than the store's own key: what is of one moment has no order
    t.calendar.advance(1_000);
    const made = await ask("POST", "/keys", { name: "Warehouse", scopes: ["quizzes:read"], expires_at: null });
    expect([made.status, made.body.name, made.body.scopes, made.body.admin, made.body.revoked_at]).toEqual([
      ...[201, "Warehouse", ["quizzes:read"], "mira@people.example", null],
    ]);
    expect((await t.request("GET", "/v1/quizzes", { key: made.body.key })).status).toBe(200);
    expect((await t.request("GET", "/v1/profiles", { key: made.body.key })).status).toBe(403);
    const listed = await ask("GET", "/keys");
    expect(listed.body.data[0]).toMatchObject({ id: made.body.id, head: made.body.key.slice(0, 13) });
    expect(listed.text).not.toContain(made.body.key);
  });

  it("tell when they were used last, to the minute [dashboard-api.key-use]", async () => {
    const made = await ask("POST", "/keys", { name: "Clock", scopes: ["quizzes:read"] });
    const used = async () => {
      const { body } = await ask("GET", "/keys");
      return body.data.find((each: { id: string }) => each.id === made.body.id).last_used_at;
    };
    expect(await used()).toBeNull();
    t.calendar.advance(30_000);
    await t.request("GET", "/v1/store", { key: made.body.key });
    for (let waited = 0; waited < 100 * patience && (await used()) === null; waited += 1) await pause(20);
    const minute = t.calendar.now() - (t.calendar.now() % 60_000);
    expect(await used()).toBe(new Date(minute).toISOString());
  });

  it("stop at once when they are revoked, again without a change", async () => {
    const made = await ask("POST", "/keys", { name: "Gone", scopes: ["quizzes:read"] });
    expect((await t.request("GET", "/v1/quizzes", { key: made.body.key })).status).toBe(200);
    const revoked = await ask("POST", `/keys/${made.body.id}/revoke`);
    expect([revoked.status, revoked.body.revoked_at]).toEqual([200, expect.any(String)]);
    expect((await t.request("GET", "/v1/quizzes", { key: made.body.key })).status).toBe(401);
    t.calendar.advance(60_000);
    expect((await ask("POST", `/keys/${made.body.id}/revoke`)).body.revoked_at).toBe(revoked.body.revoked_at);
  });

  it("are refused by field: no name, no scope, an unknown one, an expiry that is past", async () => {
    const past = new Date(t.calendar.now() - 1).toISOString();
    for (const [body, field] of [
      [{ scopes: ["quizzes:read"] }, "body.name"],
      [{ name: "  ", scopes: ["quizzes:read"] }, "body.name"],
      [{ name: "x", scopes: [] }, "body.scopes"],
      [{ name: "x", scopes: ["everything"] }, "body.scopes.0"],
      [{ name: "x", scopes: ["quizzes:read"], expires_at: past }, "body.expires_at"],
      [{ name: "x", scopes: ["quizzes:read"], expires_at: "soon" }, "body.expires_at"],
    ] as const) {
      const answer = await ask("POST", "/keys", body);
      expect([answer.status, answer.body.errors?.[0].field]).toEqual([422, field]);
    }
  });

  it("take every name of 200 characters, and an owner with the longest address there is", async () => {
    const email = `${"m".repeat(64)}@${`${"people.".repeat(40)}`.slice(0, 181)}.example`;
    const named = inStore(people.add("longest", { in: [[store, "owner"]], email }), store);
    for (const name of ["🧴".repeat(200), "half a \ud83e"]) {
      t.calendar.advance(1_000);
      const made = await ask("POST", "/keys", { name, scopes: ["quizzes:read"] }, named);
      expect([made.status, made.body.name, made.body.admin]).toEqual([201, name.toWellFormed(), email]);
      const [row] = (await ask("GET", "/audit")).body.data;
      expect(row).toMatchObject({ action: "key.created", details: { name: name.toWellFormed() } });
    }
  });

  it("of another store are not there", async () => {
    const other = await t.store();
    const others = inStore(people.add("otto", { in: [[other, "owner"]] }), other);
    const made = await ask("POST", "/keys", { name: "Mine", scopes: ["quizzes:read"] });
    expect((await ask("POST", `/keys/${made.body.id}/revoke`, undefined, others)).status).toBe(404);
    expect((await ask("GET", "/keys", undefined, others)).text).not.toContain(made.body.id);
  });
});

describe("settings [dashboard-api.settings]", () => {
  it("are read by every member, and changed by owners: name and zone, at once", async () => {
    const analyst = inStore(people.add("ana", { in: [[store, "analyst"]] }), store);
    const read = await ask("GET", "/settings", undefined, analyst);
    expect(read.body).toMatchObject({ id: store.id, timezone: "UTC", publishable_key: store.publishableKey });
    const changed = await ask("PATCH", "/settings", { name: " Lumen ", timezone: "Europe/Berlin" });
    expect(changed.body).toMatchObject({ name: "Lumen", timezone: "Europe/Berlin" });
    expect((await t.request("GET", "/v1/store", { key: store.key })).body).toMatchObject({ name: "Lumen" });
    expect((await ask("GET", "/v1/store")).body).toMatchObject({ name: "Lumen", timezone: "Europe/Berlin" });
    for (const [body, field] of [
      [{ timezone: "Mars/Olympus" }, "body.timezone"],
      [{ name: " " }, "body.name"],
      [{ currency: "EUR" }, "body.currency"],
    ] as const)
      expect((await ask("PATCH", "/settings", body)).body.errors[0].field).toBe(field);
    expect((await ask("PATCH", "/settings", { name: "x" }, analyst)).status).toBe(403);
  });

  it("tell the plan, its limits and the credits of the month in the store's zone [dashboard-api.plan]", async () => {
    const { body } = await ask("GET", "/plan");
    expect(body).toMatchObject({ plan: "plus", credits: { used: 0, limit: 10_000, threshold: 8_000 } });
    expect(body.limits.capacity).toBe(72);
    expect(body.period.from).toBe("2026-02-28T23:00:00.000Z");
    await t.update(store, { plan: "other" });
    t.passTime(5_001);
    expect((await ask("GET", "/plan")).body.plan).toBe("other");
    await t.update(store, { plan: "plus" });
    t.passTime(5_001);
  });
});

describe("the commerce connection [dashboard-api.commerce]", () => {
  it("waits, is tried without a change, and takes another secret", async () => {
    const { body } = await ask("GET", "/commerce");
    expect(body).toMatchObject({ state: "waiting", secret_set: true, orders: 0, last_message_at: null, messages: [] });
    const tried = await ask("POST", "/commerce/test");
    const outcome = (checks: { check: string; ok: boolean }[]) => checks.map(({ check, ok }) => [check, ok]);
    expect(outcome(tried.body.checks)).toEqual([
      ...[
        ["secret", true],
        ["signature", true],
        ["messages", false],
        ["orders", false],
        ["products", false],
      ],
    ]);
    const rotated = await ask("POST", "/commerce/secret/rotate");
    expect(rotated.body.secret).toMatch(/^[0-9a-f]{64}$/);
    expect((await ask("POST", "/commerce/test")).body.checks[1].ok).toBe(true);
    const set = await ask("PUT", "/commerce/secret", { secret: "a secret of the platform" });
    expect([set.status, set.text.includes("a secret of the platform")]).toEqual([200, false]);
    expect((await ask("PUT", "/commerce/secret", { secret: "short" })).body.errors[0].field).toBe("body.secret");
  });
});
