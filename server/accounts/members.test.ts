import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Role, roles } from "../../contract/roles.ts";
import { type Browser, browserOf, invitedBy, signedIn, tokenOf } from "../../testkit/accounts.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { toolsOf } from "../../testkit/erasure.ts";
import { eraseStore } from "../erasure/erase-store.ts";
import { forgetOldRows } from "../platform/retention.ts";
import { auditRetention } from "./audit.ts";
import { recordAudit } from "./public.ts";
import { disableUser } from "./users.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
beforeEach(() => t.passTime(3_600_000));

const day = 24 * 60 * 60 * 1_000;
const idOf = async (browser: Browser) => (await browser.request("GET", "/me")).body.person.id as string;
const people = async (browser: Browser, store: TestStore) =>
  ((await browser.request("GET", "/members", { store })).body.data as { email: string; role: Role }[]).map(
    ({ email, role }) => `${email} ${role}`,
  );

describe("members", () => {
  it("get other roles and are removed by owners, and by nobody else [accounts.members]", async () => {
    const [store, other] = [await t.store(), await t.store()];
    const owner = await signedIn(t, "owner@one.example", { store, role: "owner" });
    const editor = await signedIn(t, "editor@one.example", { store, role: "editor" });
    const analyst = await signedIn(t, "analyst@one.example", { store, role: "analyst" });
    const stranger = await signedIn(t, "owner@two.example", { store: other, role: "owner" });
    const id = await idOf(analyst);
    const asked = (browser: Browser, named: TestStore) => [
      browser.request("GET", "/members", { store: named }),
      browser.request("PATCH", `/members/${id}`, { store: named, body: { role: "owner" } }),
      browser.request("DELETE", `/members/${id}`, { store: named }),
      browser.request("GET", "/invitations", { store: named }),
      browser.request("POST", "/invitations", { store: named, body: { email: "a@b.example", role: "owner" } }),
      browser.request("GET", "/audit", { store: named }),
    ];
    for (const lesser of [editor, analyst]) {
      const answers = await Promise.all(asked(lesser, store));
      expect(answers.map(({ status, body }) => `${status} ${body.title}`)).toEqual(
        Array(6).fill("403 insufficient_role"),
      );
    }
    for (const answer of await Promise.all(asked(stranger, store))) expect(answer.status).toBe(404);
    // their own store knows nobody of another
    expect((await stranger.request("DELETE", `/members/${id}`, { store: other })).status).toBe(404);
    const changed = await owner.request("PATCH", `/members/${id}`, { store, body: { role: "editor" } });
    expect([changed.status, changed.body.role]).toEqual([200, "editor"]);
    expect((await owner.request("DELETE", `/members/${id}`, { store })).status).toBe(204);
    expect((await owner.request("DELETE", `/members/${id}`, { store })).status).toBe(404);
    expect((await analyst.request("GET", "/members", { store })).status).toBe(404);
    expect((await people(owner, store)).sort()).toEqual(["editor@one.example editor", "owner@one.example owner"]);
  });

  it("leave an owner who can sign in, whatever is done in whatever order [accounts.members]", async () => {
    const names = ["a", "b", "c"] as const;
    const step = fc.record({
      by: fc.constantFrom(...names),
      to: fc.constantFrom(...names),
      role: fc.option(fc.constantFrom(...roles), { nil: null }),
      // done at once with the next one
      together: fc.boolean(),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        t.passTime(3_600_000);
        run += 1;
        const store = await t.store();
        const browsers = new Map<string, { browser: Browser; id: string }>();
        for (const name of names) {
          const browser = await signedIn(t, `${name}@${run}.example`, { store, role: "owner" });
          browsers.set(name, { browser, id: await idOf(browser) });
        }
        const doing: Promise<unknown>[] = [];
        for (const { by, to, role, together } of steps) {
          const { browser } = browsers.get(by) ?? raise();
          const { id } = browsers.get(to) ?? raise();
          const asked =
            role === null
              ? browser.request("DELETE", `/members/${id}`, { store })
              : browser.request("PATCH", `/members/${id}`, { store, body: { role } });
          doing.push(asked.then(({ status }) => expect([200, 204, 401, 403, 404, 409]).toContain(status)));
          if (!together) await Promise.all(doing);
        }
        await Promise.all(doing);
        const owners = await t.database.reader().all<{ user_id: string }>({
          sql: "SELECT user_id FROM memberships WHERE store_id = $1 AND role = 'owner'",
          parameters: [store.uuid],
        });
        expect(owners.length).toBeGreaterThan(0);
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it("cannot be the last owner who goes or steps down [accounts.members]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "last@one.example", { store, role: "owner" });
    await signedIn(t, "second@one.example", { store, role: "editor" });
    const id = await idOf(owner);
    const removed = await owner.request("DELETE", `/members/${id}`, { store });
    expect([removed.status, removed.body.title]).toEqual([409, "last_owner"]);
    const changed = await owner.request("PATCH", `/members/${id}`, { store, body: { role: "editor" } });
    expect([changed.status, changed.body.title]).toEqual([409, "last_owner"]);
    expect((await owner.request("PATCH", `/members/${id}`, { store, body: { role: "owner" } })).status).toBe(200);
  });
});

describe("invitations", () => {
  it("are made, listed, replaced and withdrawn by owners [accounts.invitations]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "host@one.example", { store, role: "owner" });
    const invite = (email: string, role: Role) =>
      owner.request("POST", "/invitations", { store, body: { email, role } });
    const first = await invite("Guest@One.example", "analyst");
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ email: "guest@one.example", invited_by: "host@one.example", mailed: false });
    const second = await invite("guest@one.example", "editor");
    const list = (await owner.request("GET", "/invitations", { store })).body.data;
    expect(list).toMatchObject([{ id: second.body.id, role: "editor" }]);
    expect(JSON.stringify(list)).not.toContain(tokenOf(second.body.url));
    const use = (url: string) => browserOf(t).request("POST", "/links/use", { body: { token: tokenOf(url) } });
    expect((await use(first.body.url)).status).toBe(410);
    expect((await owner.request("DELETE", `/invitations/${second.body.id}`, { store })).status).toBe(204);
    expect((await owner.request("DELETE", `/invitations/${second.body.id}`, { store })).status).toBe(404);
    expect((await use(second.body.url)).status).toBe(410);
    const third = await invite("guest@one.example", "editor");
    t.calendar.advance(7 * day - 1);
    expect((await use(third.body.url)).status).toBe(200);
    const again = await signedIn(t, "host@one.example");
    expect(await people(again, store)).toContain("guest@one.example editor");
    const member = await again.request("POST", "/invitations", {
      store,
      body: { email: "guest@one.example", role: "owner" },
    });
    expect([member.status, member.body.title]).toEqual([409, "conflict"]);
    for (const email of ["no address", "a@b@c.example", "a\u0000@b.example", `${"a".repeat(250)}@b.example`]) {
      expect((await again.request("POST", "/invitations", { store, body: { email, role: "owner" } })).status).toBe(422);
    }
  });

  it("of one address at once leave one open [accounts.invitations]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "hasty@one.example", { store, role: "owner" });
    const body = { email: "same@one.example", role: "editor" };
    await Promise.all(Array.from({ length: 4 }, () => owner.request("POST", "/invitations", { store, body })));
    expect((await owner.request("GET", "/invitations", { store })).body.data).toHaveLength(1);
  });

  it("end with the ownership of whoever made them [accounts.invitations]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "stays@one.example", { store, role: "owner" });
    const ends = {
      "removed@one.example": async (id: string) => owner.request("DELETE", `/members/${id}`, { store }),
      "lowered@one.example": async (id: string) =>
        owner.request("PATCH", `/members/${id}`, { store, body: { role: "editor" } }),
      "disabled@one.example": async () => {
        const deps = { ...t.foundations, baseUrl: t.foundations.config.baseUrl };
        await t.database.transaction((tx) => disableUser(tx, deps, "disabled@one.example"));
      },
    };
    const kept = await owner.request("POST", "/invitations", {
      store,
      body: { email: "k@one.example", role: "editor" },
    });
    for (const [email, end] of Object.entries(ends)) {
      const leaving = await signedIn(t, email, { store, role: "owner" });
      const body = { email: `back-${email}`, role: "owner" };
      const made = await leaving.request("POST", "/invitations", { store, body });
      expect(made.status).toBe(201);
      await end(await idOf(leaving));
      const use = await browserOf(t).request("POST", "/links/use", { body: { token: tokenOf(made.body.url) } });
      expect([email, use.status]).toEqual([email, 410]);
    }
    const open = (await owner.request("GET", "/invitations", { store })).body.data;
    expect(open.map(({ id }: { id: string }) => id)).toEqual([kept.body.id]);
  });

  it("of a store that is disconnected since open nothing [accounts.store-gone]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "closing@one.example", { store, role: "owner" });
    const token = await invitedBy(t, "closed@one.example", { store, role: "editor" });
    await t.database.reader().all({
      sql: "UPDATE stores SET disconnected_at = $2 WHERE id = $1",
      parameters: [store.uuid, new Date(t.calendar.now())],
    });
    expect((await browserOf(t).request("POST", "/links/use", { body: { token } })).status).toBe(410);
    expect((await owner.request("GET", "/me")).body.stores).toEqual([]);
    expect((await owner.request("GET", "/members", { store })).status).toBe(404);
  });

  it("and members and log go with an erased store, and no other's [accounts.store-gone]", async () => {
    const [gone, stays] = [await t.store(), await t.store()];
    await signedIn(t, "both@one.example", { store: gone, role: "owner" });
    const browser = await signedIn(t, "both@one.example", { store: stays, role: "owner" });
    await invitedBy(t, "x@one.example", { store: gone, role: "editor" });
    await t.database.transaction((tx) => eraseStore(tx, gone.uuid, toolsOf(t), { by: "test" }));
    for (const table of ["memberships", "user_links", "audit_log"]) {
      const count = await t.database.reader().first<{ left: number }>({
        sql: `SELECT count(*) AS left FROM ${table} WHERE store_id = $1`,
        parameters: [gone.uuid],
      });
      expect([table, count?.left]).toEqual([table, 0]);
    }
    const me = await browser.request("GET", "/me");
    expect(me.body.stores.map(({ id }: { id: string }) => id)).toEqual([stays.id]);
  });
});

describe("the log", () => {
  const entries = async (browser: Browser, store: TestStore, query = "") =>
    (await browser.request("GET", `/audit${query}`, { store })).body;

  it("says who did what, when and from where, newest first, page by page [accounts.audit]", async () => {
    const [store, other] = [await t.store(), await t.store()];
    const owner = await signedIn(t, "boss@one.example", { store, role: "owner" });
    await signedIn(t, "boss@two.example", { store: other, role: "owner" });
    t.calendar.advance(1_000);
    const made = await owner.request("POST", "/invitations", {
      store,
      body: { email: "new@one.example", role: "editor" },
    });
    t.calendar.advance(1_000);
    await owner.request("DELETE", `/invitations/${made.body.id}`, { store });
    const whole = await entries(owner, store, "?limit=100");
    const actions = whole.data.map(({ action }: { action: string }) => action);
    // those of one moment in any order
    expect([...actions.slice(0, 2), ...actions.slice(2).sort()]).toEqual([
      "invitation.revoked",
      "member.invited",
      "invitation.accepted",
      "member.invited",
      "person.signed_in",
    ]);
    expect(whole.data[1]).toMatchObject({
      actor: { kind: "person", id: await idOf(owner), name: "boss@one.example", role: "owner", support: false },
      address: "127.0.0.1",
      target: "new@one.example",
      details: { role: "editor" },
    });
    const byCommand = whole.data.find(({ actor }: { actor: { kind: string } }) => actor.kind === "command_line");
    expect(byCommand).toMatchObject({
      actor: { id: null, name: "command line" },
      address: null,
      action: "member.invited",
    });
    const paged: unknown[] = [];
    let cursor: string | null = null;
    do {
      const page: { data: unknown[]; next_cursor: string | null } = await entries(
        owner,
        store,
        `?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`,
      );
      paged.push(...page.data);
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(paged).toEqual(whole.data);
    const invited = await entries(owner, store, "?action=member.invited");
    expect(invited.data).toHaveLength(2);
    expect(JSON.stringify(whole)).not.toContain(tokenOf(made.body.url));
    expect(JSON.stringify(whole)).not.toContain("two.example");
  });

  it("is written with what it tells of, or not at all [accounts.audit]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "undo@one.example", { store, role: "owner" });
    const before = await entries(owner, store);
    const failing = t.database.transaction(async (tx) => {
      const bound = tx.forStore(store.uuid);
      await recordAudit(bound, t.foundations, "system", { action: "thing.done" });
      throw new Error("undone");
    });
    await expect(failing).rejects.toThrow("undone");
    expect(await entries(owner, store)).toEqual(before);
  });

  it("and other lists refuse a NUL in a query by its field: no text causes a 500 [api.texts]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "texts@one.example", { store, role: "owner" });
    for (const [list, field] of [
      ["/audit", "action"],
      ["/quizzes", "q"],
      ["/catalog", "q"],
    ]) {
      const { status, body } = await owner.request("GET", `${list}?${field}=a%00b`, { store });
      expect([list, status, body.errors]).toEqual([
        list,
        422,
        [{ field: `query.${field}`, message: "must not contain NUL characters" }],
      ]);
    }
    expect((await owner.request("GET", "/v1/profiles?q=a%00b", { store })).body.data).toEqual([]);
  });

  it("is kept for 400 days [accounts.audit]", async () => {
    const store = await t.store();
    await signedIn(t, "old@one.example", { store, role: "owner" });
    const count = async () =>
      (
        await t.database.reader().first<{ left: number }>({
          sql: "SELECT count(*) AS left FROM audit_log WHERE store_id = $1",
          parameters: [store.uuid],
        })
      )?.left;
    const kept = await count();
    expect(kept).toBeGreaterThan(0);
    t.calendar.advance(400 * day);
    await forgetOldRows(t.database, t.calendar, [auditRetention]);
    expect(await count()).toBe(kept);
    t.calendar.advance(1);
    await forgetOldRows(t.database, t.calendar, [auditRetention]);
    expect(await count()).toBe(0);
  });
});

const raise = (): never => {
  throw new Error("nobody of that name");
};
