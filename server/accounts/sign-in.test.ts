import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { browserOf, invitedBy, linkFor, signedIn } from "../../testkit/accounts.ts";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { writtenOnEveryNode } from "../../testkit/node-writes.ts";
import { patience } from "../../testkit/slowness.ts";
import { Deadlines } from "../platform/deadline.ts";
import { Passwords } from "./passwords.ts";
import { disableUser, enableUser } from "./users.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
// buckets leak, so that no test meets the limit of the one before
beforeEach(() => t.passTime(3_600_000));

const password = "correct horse battery";
/** of somebody whom nobody else waits for */
const turn = { sender: "a", isKnown: false };
const day = 24 * 60 * 60 * 1_000;

const signIn = (email: string, given: object = { password }, headers: Record<string, string> = {}) =>
  browserOf(t).request("POST", "/sign-in", { body: { email, ...given }, headers });

describe("the cookie", () => {
  it("is plain on http, bound to the host and secure on https, and hidden from scripts [accounts.cookie]", async () => {
    const store = await t.store();
    await signedIn(t, "cookie@example.com", { store, role: "owner", password });
    const plain = (await signIn("cookie@example.com")).headers["set-cookie"];
    expect([plain].flat()[0]).toMatch(/^quizstore=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
    const secure = t.compose({ config: { ...t.foundations.config, baseUrl: "https://quiz.test" } });
    const answer = await secure.inject({
      method: "POST",
      url: "/dashboard/api/sign-in",
      headers: { "sec-fetch-site": "same-origin" },
      payload: { email: "cookie@example.com", password },
    });
    expect(answer.headers["set-cookie"]?.[0]).toMatch(
      /^__Host-quizstore=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$/,
    );
    const taken = String(answer.headers["set-cookie"]?.[0]).split(";")[0] ?? "";
    const me = (cookie: string) => secure.inject({ url: "/dashboard/api/me", headers: { cookie } });
    expect((await me(taken)).statusCode).toBe(200);
    // the plain name is what another host of the domain could set
    expect((await me(taken.replace("__Host-", ""))).statusCode).toBe(401);
  });
});

describe("people's ways in and out", () => {
  it("write nothing that every node of a cluster has [operations.node-writes]", async () => {
    const store = await t.store();
    const email = "ways@example.com";
    const browser = browserOf(t);
    await signedIn(t, email, { store, role: "owner", password });
    const ways: [status: number, go: () => Promise<{ status: number }>][] = [
      [200, () => browser.request("POST", "/sign-in", { body: { email, password } })],
      [401, () => signIn(email, { password: "somebody else's words" })],
      [204, () => browser.request("POST", "/sign-out")],
      [200, async () => browser.request("POST", "/links/use", { body: { token: await linkFor(t, email) } })],
      [204, () => browser.request("DELETE", "/me/sessions")],
    ];
    for (const [status, go] of ways) {
      const tables = await writtenOnEveryNode(async () => expect((await go()).status).toBe(status));
      expect(tables).toEqual([]);
    }
  });
});

describe("signing in by password", () => {
  it("needs 12 characters, whichever way they are composed [accounts.password]", async () => {
    const store = await t.store();
    const browser = await signedIn(t, "long@example.com", { store, role: "editor" });
    const set = (text: string) => browser.request("POST", "/me/password", { body: { password: text } });
    expect((await set("elevenchars")).status).toBe(422);
    expect((await set("x".repeat(201))).status).toBe(422);
    expect((await set("caf\u00e9 caf\u00e9 caf\u00e9")).status).toBe(200);
    expect((await signIn("long@example.com", { password: "cafe\u0301 cafe\u0301 cafe\u0301" })).status).toBe(200);
    expect((await signIn("LONG@Example.com", { password: "caf\u00e9 caf\u00e9 caf\u00e9" })).status).toBe(200);
    const kept = await new Passwords(t.foundations.random).hash(password, turn);
    expect(kept).toMatch(/^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/);
  });

  it("answers a wrong password, an unknown address, no password and a disabled person alike [accounts.unknown-alike]", async () => {
    const store = await t.store();
    await signedIn(t, "known@example.com", { store, role: "analyst", password });
    await signedIn(t, "bare@example.com", { store, role: "analyst" });
    await signedIn(t, "off@example.com", { store, role: "analyst", password });
    const deps = { ...t.foundations, baseUrl: t.foundations.config.baseUrl };
    await t.database.transaction((tx) => disableUser(tx, deps, "off@example.com"));
    const answers = [
      await signIn("known@example.com", { password: "wrong horse battery" }),
      await signIn("nobody@example.com"),
      await signIn("bare@example.com"),
      await signIn("off@example.com"),
      await signIn("no address at all"),
    ];
    const told = answers.map(({ status, body, headers }) => {
      const { request_id: _, ...rest } = body;
      return { status, rest, names: Object.keys(headers).filter((name) => name !== "request-id") };
    });
    expect(told[0]?.rest).toMatchObject({ title: "sign_in_failed", status: 401 });
    for (const each of told) expect(each).toEqual(told[0]);
  });

  it("hashes as often for an unknown address as for a known one [accounts.unknown-alike]", async () => {
    const passwords = new Passwords(t.foundations.random);
    const hash = await passwords.hash(password, turn);
    const computed = async (stored: string | null) => {
      const before = process.cpuUsage();
      for (let round = 0; round < 2; round += 1) await passwords.matches("another pass phrase", stored, turn);
      return process.cpuUsage(before).user;
    };
    await computed(null);
    const [known, unknown] = [await computed(hash), await computed(null)];
    // either is some hundred milliseconds of scrypt; an early answer would be one
    expect(unknown).toBeGreaterThan(known / 4);
    expect(known).toBeGreaterThan(unknown / 4);
    expect(await passwords.matches(password, hash, turn)).toBe(true);
    expect(await passwords.matches(password, null, turn)).toBe(false);
  });

  it("hashes nothing for whoever gave up while others guessed [accounts.password]", async () => {
    const passwords = new Passwords(t.foundations.random, { N: 2 ** 14, r: 8, p: 4 });
    const deadlines = new Deadlines(() => performance.now());
    const guesses = Array.from({ length: 200 }, () =>
      deadlines.within(50, (deadline) => passwords.matches("a guess", null, turn, deadline)),
    );
    const outcomes = await Promise.allSettled(guesses);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThan(100);
    for (const each of refused) expect(each).toMatchObject({ reason: { title: "rate_limited" } });
    expect(await passwords.matches("another", await passwords.hash("another", turn), turn)).toBe(true);
  });
});

describe("sessions", () => {
  it("end after seven idle days, and after thirty in any case [accounts.sessions]", async () => {
    const store = await t.store();
    const idle = await signedIn(t, "idle@example.com", { store, role: "owner" });
    const busy = await signedIn(t, "busy@example.com", { store, role: "owner" });
    const me = async (browser: typeof idle) => (await browser.request("GET", "/me")).status;
    const noted = () =>
      t.database.reader().all({
        sql: "SELECT s.id FROM user_sessions s JOIN users u ON u.id = s.user_id WHERE u.email = 'busy@example.com' AND s.used_at = $1",
        parameters: [new Date(t.calendar.now())],
      });
    const untilNoted = () => expect.poll(async () => (await noted()).length, { timeout: 5_000 * patience }).toBe(1);
    t.calendar.advance(6.9 * day);
    expect([await me(idle), await me(busy)]).toEqual([200, 200]);
    for (let week = 0; week < 3; week += 1) {
      await untilNoted();
      t.calendar.advance(6.9 * day);
      expect(await me(busy)).toBe(200);
    }
    await untilNoted();
    expect(await me(idle)).toBe(401);
    t.calendar.advance(2.4 * day);
    expect(await me(busy)).toBe(401);
  });

  it("are listed, and ended one by one or all at once [accounts.sessions]", async () => {
    const store = await t.store();
    const first = await signedIn(t, "many@example.com", { store, role: "owner", password });
    const browsers = [first];
    for (let more = 0; more < 3; more += 1) {
      const browser = browserOf(t);
      const headers = { "user-agent": `Browser ${more}` };
      await browser.request("POST", "/sign-in", { body: { email: "many@example.com", password }, headers });
      browsers.push(browser);
    }
    const statuses = () => Promise.all(browsers.map(async (each) => (await each.request("GET", "/me")).status));
    const { data } = (await first.request("GET", "/me/sessions")).body;
    expect(data).toHaveLength(4);
    expect(data.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const other = data.find((each: { user_agent: string }) => each.user_agent === "Browser 1");
    expect(other).toMatchObject({ address: "127.0.0.1" });
    expect((await first.request("DELETE", `/me/sessions/${other.id}`)).status).toBe(204);
    expect((await first.request("DELETE", `/me/sessions/${other.id}`)).status).toBe(404);
    expect(await statuses()).toEqual([200, 200, 401, 200]);
    expect((await first.request("DELETE", "/me/sessions?keep_this=true")).status).toBe(204);
    expect(await statuses()).toEqual([200, 401, 401, 401]);
    expect((await first.request("DELETE", "/me/sessions")).status).toBe(204);
    expect(await statuses()).toEqual([401, 401, 401, 401]);
  });

  it("of others cannot be ended [accounts.sessions]", async () => {
    const store = await t.store();
    const mine = await signedIn(t, "mine@example.com", { store, role: "owner" });
    const theirs = await signedIn(t, "theirs@example.com", { store, role: "owner" });
    const { id } = (await theirs.request("GET", "/me")).body.session;
    expect((await mine.request("DELETE", `/me/sessions/${id}`)).status).toBe(404);
    expect((await theirs.request("GET", "/me")).status).toBe(200);
  });

  it("end where their browser signs in again [accounts.sessions]", async () => {
    const store = await t.store();
    const browser = await signedIn(t, "again@example.com", { store, role: "owner", password });
    const before = browser.cookie();
    const body = { email: "again@example.com", password };
    expect((await browser.request("POST", "/sign-in", { body: { ...body, password: "wrong" } })).status).toBe(401);
    expect((await browser.request("GET", "/me")).status).toBe(200);
    expect((await browser.request("POST", "/sign-in", { body })).status).toBe(200);
    expect((await browser.request("GET", "/me/sessions")).body.data).toHaveLength(1);
    expect((await browserOf(t).request("GET", "/me", { headers: { cookie: before } })).status).toBe(401);
  });

  it("end with signing out, and are kept as a hash [accounts.sessions]", async () => {
    const store = await t.store();
    const browser = await signedIn(t, "out@example.com", { store, role: "owner" });
    const kept = browser.cookie();
    const token = /^quizstore=([\w-]{43});/.exec(kept)?.[1] ?? "";
    expect(token).not.toBe("");
    const { rows } = await stored("SELECT s::text AS row, encode(token_hash, 'escape') AS hash FROM user_sessions s");
    expect(JSON.stringify(rows)).not.toContain(token);
    expect((await browser.request("POST", "/sign-out")).status).toBe(204);
    expect(browser.cookie()).toMatch(/^quizstore-known=[^;]+$/);
    const again = await browserOf(t).request("GET", "/me", { headers: { cookie: kept } });
    expect([again.status, again.body.title]).toEqual([401, "not_signed_in"]);
  });

  it("get a new token with each change of what their person may do [accounts.new-token]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "head@example.com", { store, role: "owner", password });
    const tokens = new Set([owner.cookie()]);
    const old = async (cookie: string) => (await browserOf(t).request("GET", "/me", { headers: { cookie } })).status;
    const changes: [string, string, object?][] = [
      ["POST", "/me/password", { password: "another horse battery" }],
      ["POST", "/confirm", { password: "another horse battery" }],
      ["DELETE", "/me/totp"],
    ];
    for (const [method, url, body] of changes) {
      const before = owner.cookie();
      const answer = await owner.request(method, url, body ? { body } : {});
      expect(answer.status).toBe(200);
      expect(await old(before)).toBe(401);
      tokens.add(owner.cookie());
    }
    expect(tokens.size).toBe(4);
    expect((await owner.request("GET", "/me")).status).toBe(200);
  });

  it("get a new token when somebody else changes a role, with a moment for requests under way [accounts.new-token]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "giver@example.com", { store, role: "owner" });
    const member = await signedIn(t, "taker@example.com", { store, role: "analyst" });
    const { id } = (await member.request("GET", "/me")).body.person;
    await owner.request("PATCH", `/members/${id}`, { store, body: { role: "editor" } });
    const before = member.cookie();
    const asked = await Promise.all(
      Array.from({ length: 4 }, () => browserOf(t).request("GET", "/me", { headers: { cookie: before } })),
    );
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const renewed = asked.flatMap(({ headers }) => headers["set-cookie"] ?? []);
    expect(renewed).toHaveLength(1);
    expect(asked[0]?.body.stores[0].role).toBe("editor");
    t.calendar.advance(30_000);
    const late = await browserOf(t).request("GET", "/me", { headers: { cookie: before } });
    expect(late.status).toBe(401);
    const cookie = String(renewed[0]).split(";")[0] ?? "";
    expect((await browserOf(t).request("GET", "/me", { headers: { cookie } })).status).toBe(200);
  });

  it("need no look-up for what is no token [accounts.sessions]", async () => {
    for (const cookie of ["quizstore=", "quizstore=x", `quizstore=${"a".repeat(44)}`, "other=1", "quizstore"]) {
      expect((await browserOf(t).request("GET", "/me", { headers: { cookie } })).status).toBe(401);
    }
  });
});

describe("disabled people", () => {
  it("are out at once and stay out [accounts.disabled]", async () => {
    const store = await t.store();
    const browser = await signedIn(t, "gone@example.com", { store, role: "owner", password });
    const token = await linkFor(t, "gone@example.com");
    const invitation = await invitedBy(t, "gone@example.com", { operator: true });
    const deps = { ...t.foundations, baseUrl: t.foundations.config.baseUrl };
    await t.database.transaction((tx) => disableUser(tx, deps, "gone@example.com"));
    expect((await browser.request("GET", "/me")).status).toBe(401);
    expect((await browserOf(t).request("POST", "/links/use", { body: { token } })).status).toBe(410);
    expect((await signIn("gone@example.com")).status).toBe(401);
    await expect(linkFor(t, "gone@example.com")).rejects.toThrow("disabled");
    await t.database.transaction((tx) => enableUser(tx, deps, "gone@example.com"));
    for (const before of [token, invitation]) {
      expect((await browserOf(t).request("POST", "/links/use", { body: { token: before } })).status).toBe(410);
    }
    expect((await signIn("gone@example.com")).status).toBe(200);
  });
});

const stored = async (text: string) => {
  const rows = await t.database.reader().all<Record<string, string>>({ sql: text, parameters: [] });
  return { rows };
};
