import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Browser, browserOf, signedIn } from "../../testkit/accounts.ts";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { type Limiter, LimiterUnavailable } from "../platform/limiter/types.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());
// buckets leak, so that no test meets the limit of the one before
beforeEach(() => t.passTime(3_600_000));

const password = "correct horse battery";
const atOnce = 30;

const signIn = (email: string, given: object = { password }, browser: Browser = browserOf(t)) =>
  browser.request("POST", "/sign-in", { body: { email, ...given } });

/** By a stranger's browser of that address. */
async function guess(address: string, email: string, given: object = { password: "x" }, cookie?: string) {
  const { statusCode } = await t.app.inject({
    method: "POST",
    url: "/dashboard/api/sign-in",
    remoteAddress: address,
    headers: { "sec-fetch-site": "same-origin", ...(cookie ? { cookie } : {}) },
    payload: { email, ...given },
  });
  return statusCode;
}

async function guesses(count: number, address: (turn: number) => string, email: (turn: number) => string) {
  const statuses: number[] = [];
  for (let turn = 0; turn < count; turn += 1) statuses.push(await guess(address(turn), email(turn)));
  return statuses;
}

describe("guessing a password", () => {
  it("is limited for an account, known or not, from wherever [accounts.guessing]", async () => {
    const store = await t.store();
    await signedIn(t, "guessed@example.com", { store, role: "owner", password });
    for (const email of ["guessed@example.com", "unknown@example.com"]) {
      const statuses: number[] = [];
      for (let guess = 0; guess < 11; guess += 1) {
        statuses.push((await signIn(email, { password: "x" })).status);
      }
      expect(statuses).toEqual([...Array(10).fill(401), 429]);
      // the right one does not help meanwhile, nor do capitals
      const right = await signIn(email.toUpperCase());
      expect([right.status, right.body.title]).toEqual([429, "rate_limited"]);
      expect(Number(right.headers["retry-after"])).toBeGreaterThan(0);
    }
    t.passTime(30_000);
    expect((await signIn("guessed@example.com")).status).toBe(200);
  });

  it("is limited for an address, and for all of a network's, whatever the accounts [accounts.guessing]", async () => {
    const email = (turn: number) => `guess${turn}@example.com`;
    const one = await guesses(atOnce + 2, () => "203.0.113.9", email);
    expect(one).toEqual([...Array(atOnce).fill(401), 429, 429]);
    t.passTime(10_000);
    expect(await guesses(2, () => "203.0.113.9", email)).toEqual([401, 429]);
    const many = await guesses(3 * atOnce + 1, (turn) => `2001:db8:7:${turn}::1`, email);
    expect(many).toEqual([...Array(3 * atOnce).fill(401), 429]);
  });

  it("takes nothing from an address that is right, so that an office signs in behind one [accounts.guessing]", async () => {
    const store = await t.store();
    const people = Array.from({ length: 5 }, (_, number) => `office${number}@example.com`);
    for (const email of people) await signedIn(t, email, { store, role: "analyst", password });
    const right: number[] = [];
    for (let turn = 0; turn < 2 * atOnce; turn += 1) {
      if (turn % 40 === 39) t.passTime(600_000);
      right.push(await guess("203.0.113.20", people[turn % people.length] ?? "", { password }));
    }
    expect(right).toEqual(Array(2 * atOnce).fill(200));
    const wrong = await guesses(
      atOnce + 1,
      () => "203.0.113.20",
      (turn) => `guess${turn}@example.com`,
    );
    expect(wrong).toEqual([...Array(atOnce).fill(401), 429]);
  });

  it("is refused while limits cannot be checked, in a known browser too [accounts.guessing]", async () => {
    const store = await t.store();
    const browser = await signedIn(t, "away@example.com", { store, role: "analyst", password });
    const limiter: Limiter = {
      ...{
        admit: (charge) => t.foundations.limiter.admit(charge),
        book: (charge) => t.foundations.limiter.book(charge),
      },
      ...{ chargeBucket: () => Promise.reject(new LimiterUnavailable(null)), close: async () => undefined },
    };
    const app = t.compose({ limiter });
    for (const cookie of [undefined, browser.cookie()]) {
      const answer = await app.inject({
        method: "POST",
        url: "/dashboard/api/sign-in",
        headers: { "sec-fetch-site": "same-origin", ...(cookie ? { cookie } : {}) },
        payload: { email: "away@example.com", password },
      });
      expect([answer.statusCode, answer.json().title]).toEqual([503, "limiter_unavailable"]);
    }
  });
});

describe("whoever guesses", () => {
  const useUp = async (email: string, address = "203.0.113.30") => {
    const statuses = await guesses(
      11,
      () => address,
      () => email,
    );
    expect(statuses.at(-1)).toBe(429);
  };

  it("keeps nobody from signing in where they have before, at the same address too [accounts.known-browsers]", async () => {
    const store = await t.store();
    const browser = await signedIn(t, "daily@example.com", { store, role: "owner", password });
    await browser.request("POST", "/sign-out");
    await useUp("daily@example.com", "127.0.0.1");
    await guesses(
      atOnce,
      () => "127.0.0.1",
      (turn) => `guess${turn}@example.com`,
    );
    expect((await signIn("daily@example.com")).status).toBe(429);
    expect((await signIn("daily@example.com", { password }, browser)).status).toBe(200);
    // by its password it is remembered as by its link
    await browser.request("POST", "/sign-out");
    expect((await signIn("DAILY@example.com", { password }, browser)).status).toBe(200);
  });

  it("has as few guesses in a known browser, and in all that are known to an account [accounts.known-browsers]", async () => {
    await signedIn(t, "kept@example.com", { store: await t.store(), role: "owner", password });
    const kept: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const browser = browserOf(t);
      expect((await signIn("kept@example.com", { password }, browser)).status).toBe(200);
      kept.push(browser.cookie());
    }
    const statuses = async (cookie: string, count: number) => {
      const made: number[] = [];
      for (let turn = 0; turn < count; turn += 1) {
        made.push(await guess("203.0.113.40", "kept@example.com", undefined, cookie));
      }
      return made;
    };
    expect(await statuses(kept[0] ?? "", 11)).toEqual([...Array(10).fill(401), 429]);
    await statuses(kept[1] ?? "", 10);
    // what the browser's own bucket refused took nothing from the account's
    expect(await statuses(kept[2] ?? "", 10)).toEqual(Array(10).fill(401));
    expect(await statuses(kept[3] ?? "", 1)).toEqual([429]);
  });

  it("is a stranger with another's mark, a changed one, or one that has run out [accounts.known-browsers]", async () => {
    const store = await t.store();
    const mine = await signedIn(t, "mine@known.example", { store, role: "owner", password });
    await signedIn(t, "theirs@known.example", { store, role: "owner", password });
    const mark = /quizstore-known=([^;]+)/.exec(mine.cookie())?.[1] ?? "";
    await useUp("theirs@known.example");
    await useUp("mine@known.example");
    const [id = "", ends = "", signature = ""] = mark.split(".");
    const changed = [
      `${id}.${Number(ends) + 1}.${signature}`,
      `${id}.${ends}.${"A".repeat(43)}`,
      `${id}.${ends}`,
      "..",
      "",
    ];
    for (const each of changed) {
      expect(await guess("203.0.113.50", "mine@known.example", { password }, `quizstore-known=${each}`)).toBe(429);
    }
    const cookie = `quizstore-known=${mark}`;
    expect(await guess("203.0.113.50", "theirs@known.example", { password }, cookie)).toBe(429);
    expect(await guess("203.0.113.50", "mine@known.example", { password }, cookie)).toBe(200);
    const later = t.compose({ unixNow: () => Date.now() + 180 * 86_400_000 });
    const answer = await later.inject({
      ...{ method: "POST", url: "/dashboard/api/sign-in", payload: { email: "mine@known.example", password } },
      headers: { "sec-fetch-site": "same-origin", cookie },
    });
    expect(answer.statusCode).toBe(429);
  });

  it("keeps nobody who is signed in from confirming it, or from another password [accounts.guessing]", async () => {
    const store = await t.store();
    const browser = await signedIn(t, "inside@example.com", { store, role: "owner", password });
    await useUp("inside@example.com");
    expect((await browser.request("POST", "/confirm", { body: { password } })).status).toBe(200);
    expect(
      (await browser.request("POST", "/me/password", { body: { password: "another horse battery" } })).status,
    ).toBe(200);
    const statuses: number[] = [];
    for (let turn = 0; turn < 9; turn += 1) {
      statuses.push((await browser.request("POST", "/confirm", { body: { password: "x" } })).status);
    }
    expect(statuses).toEqual([...Array(8).fill(401), 429]);
  });

  it("sets passwords by a link no more often than they may guess [accounts.guessing]", async () => {
    const store = await t.store();
    const owner = await signedIn(t, "host@example.com", { store, role: "owner" });
    await signedIn(t, "there@example.com", { store: await t.store(), role: "analyst" });
    const body = { email: "there@example.com", role: "analyst" };
    const { url } = (await owner.request("POST", "/invitations", { store, body })).body;
    const statuses: number[] = [];
    for (let turn = 0; turn < 11; turn += 1) {
      const use = { token: url.slice(url.lastIndexOf("/") + 1), password };
      statuses.push((await browserOf(t).request("POST", "/links/use", { body: use })).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });
});
