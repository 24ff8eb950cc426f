import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Browser, browserOf, linkFor, signedIn } from "../../testkit/accounts.ts";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { codeOf, newRecoveryCodes, newSeed, seedAddress, stepAt, stepOfCode } from "./totp.ts";
import { loginLink } from "./users.ts";

let t: TestApp;
let store: TestStore;
let unixMs = Date.parse("2026-05-01T10:00:00.000Z");
beforeAll(async () => {
  t = await openTestApp({ unixNow: () => unixMs });
  store = await t.store();
});
afterAll(() => t.close());
beforeEach(() => {
  t.passTime(3_600_000);
  unixMs += 120_000;
});

const password = "correct horse battery";
const minute = 60_000;

const codeNow = (seed: string) => codeOf(seed, stepAt(unixMs));

/** Somebody with an app, its seed and the recovery codes. */
async function withApp(email: string, given: { password?: string } = { password }) {
  const browser = await signedIn(t, email, { store, role: "owner", ...given });
  const begun = await browser.request("POST", "/me/totp");
  expect(begun.status).toBe(200);
  const { secret } = begun.body as { secret: string };
  const confirmed = await browser.request("POST", "/me/totp/confirm", { body: { code: codeNow(secret) } });
  expect(confirmed.status).toBe(200);
  unixMs += 60_000;
  return { browser, secret, codes: confirmed.body.recovery_codes as string[] };
}

const signIn = (email: string, code?: string) =>
  browserOf(t).request("POST", "/sign-in", { body: { email, password, ...(code === undefined ? {} : { code }) } });

describe("codes of apps [accounts.second-factor]", () => {
  it("are those of RFC 6238 [accounts.second-factor]", () => {
    // appendix B, SHA-1, cut to six digits; the seed is the ASCII text 12345678901234567890
    const seed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    const published: [number, string][] = [
      [59, "287082"],
      [1_111_111_109, "081804"],
      [1_111_111_111, "050471"],
      [1_234_567_890, "005924"],
      [2_000_000_000, "279037"],
      [20_000_000_000, "353130"],
    ];
    for (const [seconds, code] of published) expect(codeOf(seed, stepAt(seconds * 1_000))).toBe(code);
  });

  it("are taken half a minute early or late, and no step twice [accounts.second-factor]", () => {
    const seed = newSeed(t.foundations.random);
    const step = stepAt(unixMs);
    for (const off of [-1, 0, 1]) expect(stepOfCode(seed, codeOf(seed, step + off), unixMs, 0)).toBe(step + off);
    for (const off of [-2, 2]) expect(stepOfCode(seed, codeOf(seed, step + off), unixMs, 0)).toBeNull();
    expect(stepOfCode(seed, codeOf(seed, step), unixMs, step)).toBeNull();
    for (const odd of ["", "12345", "1234567", "abcdef", "１２３４５６"])
      expect(stepOfCode(seed, odd, unixMs, 0)).toBeNull();
  });

  it("come from seeds of 160 bits, and an address that apps read [accounts.second-factor]", () => {
    expect(newSeed((size) => new Uint8Array(size).fill(255))).toBe("7".repeat(32));
    expect(newSeed(t.foundations.random)).toMatch(/^[A-Z2-7]{32}$/);
    const address = new URL(seedAddress("ABC", "ada@example.com", "Quiz Store"));
    expect([address.protocol, address.searchParams.get("secret"), address.searchParams.get("issuer")]).toEqual([
      "otpauth:",
      "ABC",
      "Quiz Store",
    ]);
    const codes = newRecoveryCodes(t.foundations.random);
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
  });

  it("are asked for from the first one on, at sign-in and with links [accounts.second-factor]", async () => {
    const browser = await signedIn(t, "begun@example.com", { store, role: "owner", password });
    expect((await browser.request("POST", "/me/totp")).status).toBe(200);
    expect((await signIn("begun@example.com")).status).toBe(200);
    const { secret } = await withApp("app@example.com");
    const without = await signIn("app@example.com");
    expect([without.status, without.body.title]).toEqual([401, "code_required"]);
    const wrong = await signIn("app@example.com", "000000");
    expect([wrong.status, wrong.body.title]).toEqual([401, "sign_in_failed"]);
    const code = codeNow(secret);
    expect((await signIn("app@example.com", code)).status).toBe(200);
    expect((await signIn("app@example.com", code)).status).toBe(401);
    unixMs += minute;
    const token = await linkFor(t, "app@example.com");
    const use = (body: object) => browserOf(t).request("POST", "/links/use", { body: { token, ...body } });
    expect((await browserOf(t).request("GET", `/links/${token}`)).body.needs).toBe("code");
    expect((await use({})).body.title).toBe("code_required");
    expect((await use({ code: "000000" })).status).toBe(401);
    expect((await use({ code: codeNow(secret) })).status).toBe(200);
  });

  it("of two at once take one [accounts.second-factor]", async () => {
    const { secret } = await withApp("race@example.com");
    const code = codeNow(secret);
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn("race@example.com", code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  it("can be stood in for by a recovery code, each once, however it is typed [accounts.second-factor]", async () => {
    const { codes } = await withApp("phone@example.com");
    const [first = "", second = ""] = codes;
    expect((await signIn("phone@example.com", first)).status).toBe(200);
    expect((await signIn("phone@example.com", first)).status).toBe(401);
    const typed = await signIn("phone@example.com", second.toUpperCase().replace("-", " "));
    expect(typed.status).toBe(200);
    expect(typed.body.person.recovery_codes_left).toBe(8);
  });

  it("and their seed are nowhere in the database as they are [accounts.second-factor]", async () => {
    const { secret, codes } = await withApp("sealed@example.com");
    const rows = await t.database.reader().all<{ row: string; seed: string }>({
      sql: "SELECT u::text AS row, encode(totp_seed, 'escape') AS seed FROM users u",
      parameters: [],
    });
    const text = JSON.stringify(rows) + t.logged.join("");
    expect(text).not.toContain(secret);
    for (const code of codes) expect(text).not.toContain(code);
  });

  it("are guessed as seldom as passwords [accounts.guessing]", async () => {
    const { browser } = await withApp("dice@example.com");
    const statuses: number[] = [];
    for (let guess = 0; guess < 11; guess += 1) statuses.push((await signIn("dice@example.com", "000000")).status);
    expect(statuses.slice(0, 9)).toEqual(Array(9).fill(401));
    expect(statuses.at(-1)).toBe(429);
    // somebody who is signed in is not kept from confirming it by what strangers try
    expect((await browser.request("POST", "/confirm", { body: { password } })).status).toBe(200);
  });

  it("of a link are guessed as seldom, and counted apart: guesses without one close none [accounts.guessing]", async () => {
    const { secret } = await withApp("besieged@example.com");
    for (let guess = 0; guess < 11; guess += 1) await signIn("besieged@example.com", "000000");
    const use = (token: string, code: string) => browserOf(t).request("POST", "/links/use", { body: { token, code } });
    expect((await use(await linkFor(t, "besieged@example.com"), codeNow(secret))).status).toBe(200);
    const token = await linkFor(t, "besieged@example.com");
    const statuses: number[] = [];
    for (let guess = 0; guess < 10; guess += 1) statuses.push((await use(token, "000000")).status);
    expect(statuses).toEqual([...Array(9).fill(401), 429]);
  });

  it("go away with the person's word, or the operator's [accounts.second-factor]", async () => {
    const { browser } = await withApp("enough@example.com");
    expect((await browser.request("POST", "/me/totp")).status).toBe(409);
    const before = browser.cookie();
    const removed = await browser.request("DELETE", "/me/totp");
    expect([removed.status, removed.body.person.totp]).toEqual([200, false]);
    expect(browser.cookie()).not.toBe(before);
    expect((await signIn("enough@example.com")).status).toBe(200);
    await withApp("lost@example.com");
    const deps = { ...t.foundations, baseUrl: t.foundations.config.baseUrl };
    await t.database.transaction((tx) => loginLink(tx, deps, "lost@example.com", { withoutTotp: true }));
    expect((await signIn("lost@example.com")).status).toBe(200);
  });
});

describe("the password again [accounts.confirm]", () => {
  const guarded = (browser: Browser) => browser.request("POST", "/me/password", { body: { password } });

  it("is asked for after ten minutes, and lets go on for ten more [accounts.confirm]", async () => {
    const browser = await signedIn(t, "again@example.com", { store, role: "owner", password });
    t.calendar.advance(10 * minute - 1);
    expect((await guarded(browser)).status).toBe(200);
    t.calendar.advance(1);
    const refused = await guarded(browser);
    expect([refused.status, refused.body.title]).toEqual([403, "password_required"]);
    for (const body of [{}, { password: "wrong horse battery" }, { code: "123456" }]) {
      expect((await browser.request("POST", "/confirm", { body })).status).toBe(401);
    }
    const confirmed = await browser.request("POST", "/confirm", { body: { password } });
    expect(confirmed.status).toBe(200);
    const { confirmed_at: at, confirmed_until: until } = confirmed.body.session;
    expect(Date.parse(until) - Date.parse(at)).toBe(10 * minute);
    expect((await guarded(browser)).status).toBe(200);
  });

  it("is a code, or a fresh link, for those who have none [accounts.confirm]", async () => {
    const { browser, secret } = await withApp("codes@example.com", {});
    t.calendar.advance(10 * minute);
    expect((await guarded(browser)).body.title).toBe("password_required");
    expect((await browser.request("POST", "/confirm", { body: { password } })).status).toBe(401);
    expect((await browser.request("POST", "/confirm", { body: { code: codeNow(secret) } })).status).toBe(200);
    expect((await guarded(browser)).status).toBe(200);
    const bare = await signedIn(t, "links@example.com", { store, role: "owner" });
    t.calendar.advance(10 * minute);
    expect((await bare.request("POST", "/confirm", { body: { password } })).body.detail).toContain("one-time link");
    const token = await linkFor(t, "links@example.com");
    expect((await bare.request("POST", "/links/use", { body: { token } })).status).toBe(200);
    expect((await guarded(bare)).status).toBe(200);
  });
});
