import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Browser, browserOf, signedIn, tokenOf } from "../../testkit/accounts.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";

/** What an operator leaves behind who was in a store as support. */

let t: TestApp;
let operator: Browser;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(async () => {
  t.passTime(60_000);
  operator = await signedIn(t, "operator@support.example", { operator: true });
});

const hour = 3_600_000;
const visit = (store: TestStore) => `/operator/stores/${store.id}/support`;
const ends = {
  "an hour has passed": async () => {
    t.calendar.advance(hour);
    t.passTime(6_000);
  },
  "it is left": async (store: TestStore) => {
    expect((await operator.request("DELETE", visit(store))).status).toBe(204);
    t.passTime(6_000);
  },
};

describe.each(Object.entries(ends))("when a visit ends because %s", (_why, end) => {
  it("the operator's invitations end with it, and let them in no more, not in another visit either [dashboard-api.support-ends, accounts.invitations]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, `owner-${store.id}@support.example`, { store, role: "owner" });
    await operator.request("POST", visit(store), { body: { reason: "Asked to" } });
    const invite = (browser: Browser, email: string) =>
      browser.request("POST", "/invitations", { store, body: { email, role: "owner" } });
    const made = await invite(operator, "operator@support.example");
    expect(made.status).toBe(201);
    expect(Date.parse(made.body.expires_at)).toBe(t.calendar.now() + hour);
    const theirs = await invite(owner, `guest-${store.id}@support.example`);
    await end(store);
    const open = (await owner.request("GET", "/invitations", { store })).body.data;
    expect(open.map(({ id }: { id: string }) => id)).toEqual([theirs.body.id]);
    const use = () => operator.request("POST", "/links/use", { body: { token: tokenOf(made.body.url) } });
    expect((await use()).status).toBe(410);
    operator = await signedIn(t, "operator@support.example", { operator: true });
    await operator.request("POST", visit(store), { body: { reason: "Again" } });
    expect((await use()).status).toBe(410);
    const joined = await browserOf(t).request("POST", "/links/use", { body: { token: tokenOf(theirs.body.url) } });
    expect(joined.status).toBe(200);
  });

  it("so do keys that they created and saw, and no others [dashboard-api.support-ends]", async () => {
    const store = await t.store();
    await operator.request("POST", visit(store), { body: { reason: "Asked to" } });
    t.calendar.advance(60_000);
    // the same visit goes on
    await operator.request("POST", visit(store), { body: { reason: "Still there" } });
    const year = new Date(t.calendar.now() + 365 * 24 * hour).toISOString();
    const keys: string[] = [];
    for (const expires_at of [null, year, new Date(t.calendar.now() + 1_000).toISOString()]) {
      const body = { name: "Support", scopes: ["quizzes:read"], expires_at };
      const { status, body: made } = await operator.request("POST", "/keys", { store, body });
      expect(status).toBe(201);
      expect(Date.parse(made.expires_at)).toBeLessThanOrEqual(t.calendar.now() + hour);
      keys.push(made.key);
    }
    const statusOf = async (key: string) => (await t.request("GET", "/v1/store", { key })).status;
    expect(await statusOf(keys[0] ?? "")).toBe(200);
    await end(store);
    for (const key of keys) expect(await statusOf(key)).toBe(401);
    expect(await statusOf(store.key)).toBe(200);
  });
});
