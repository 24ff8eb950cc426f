import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { sql, type Transaction } from "../platform/database/sql.ts";
import { parseId } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import {
  createKey,
  createStore,
  disconnectStore,
  listKeys,
  listStores,
  reconnectStore,
  revokeKey,
  setCommerceSecret,
  updateStore,
} from "./admin.ts";
import { findStore, shopOfDomain, storeOfPublishableKey } from "./public.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

const run = <Result>(work: (tx: Transaction) => Promise<Result>) => t.database.transaction(work);
const fine = {
  name: "Lumen",
  shopDomain: "Lumen.MyShopify.com",
  plan: "plus",
  timezone: "Asia/Kolkata",
  currency: "INR",
};

describe("stores [command-line.stores]", () => {
  it("are made with a publishable key and a commerce secret, their domain in small letters", async () => {
    const made = await run((tx) => createStore(tx, t.foundations, fine));
    expect(made).toEqual({
      store_id: expect.stringMatching(/^store_[0-9a-f]{32}$/),
      publishable_key: expect.stringMatching(/^pub_[0-9a-f]{32}$/),
      commerce_secret: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const reader = t.database.reader();
    for (const name of [made.store_id, "lumen.myshopify.com", "LUMEN.myshopify.com"]) {
      expect(await findStore(reader, name)).toMatchObject({
        name: "Lumen",
        shopDomain: "lumen.myshopify.com",
        plan: "plus",
      });
    }
    expect(await storeOfPublishableKey(reader, made.publishable_key)).toMatchObject({ name: "Lumen" });
    expect(await findStore(reader, "nobody.example.com")).toBeUndefined();
    expect(await storeOfPublishableKey(reader, "pub_x")).toBeUndefined();
    const [listed] = (await listStores(reader)).filter((each) => each.store_id === made.store_id);
    expect(listed).toEqual({
      store_id: made.store_id,
      name: "Lumen",
      shop_domain: "lumen.myshopify.com",
      plan: "plus",
      timezone: "Asia/Kolkata",
      currency: "INR",
      publishable_key: made.publishable_key,
      limits: {},
      created_at: "2026-03-10T12:00:00.000Z",
      disconnected_at: null,
    });
    expect(JSON.stringify(listed)).not.toContain(made.commerce_secret);
  });

  it.for([
    [{ name: " " }, /needs a name/],
    [{ name: "x".repeat(201) }, /at most 200 characters/],
    [{ name: "a\u0000b" }, /NUL/],
    [{ shopDomain: "" }, /host name/],
    [{ shopDomain: "no dots" }, /host name/],
    [{ shopDomain: "localhost" }, /host name/],
    [{ shopDomain: "https://a.example.com" }, /host name/],
    [{ shopDomain: "-a.example.com" }, /host name/],
    [{ shopDomain: `${"a".repeat(64)}.example.com` }, /host name/],
    [{ plan: "gold" }, /plan must be one of plus, enterprise, other/],
    [{ timezone: "Berlin" }, /Berlin is not an IANA timezone/],
    [{ timezone: "UTC+1" }, /not an IANA timezone/],
    [{ timezone: "europe/berlin" }, /not an IANA timezone/],
    [{ currency: "eur" }, /eur is not an ISO 4217 currency/],
    [{ currency: "EURO" }, /not an ISO 4217 currency/],
    [{ commerceSecret: "short" }, /at least 16 characters/],
  ] as const)("are refused with a sentence: %o", async ([wrong, sentence]) => {
    const attempt = run((tx) => createStore(tx, t.foundations, { ...fine, shopDomain: "other.example.com", ...wrong }));
    await expect(attempt).rejects.toThrow(sentence);
    await expect(attempt).rejects.toBeInstanceOf(OperatorError);
  });

  it("are refused a second time under one domain, in the same moment too", async () => {
    const twin = { ...fine, shopDomain: "twin.example.com" };
    const made = await Promise.allSettled([1, 2, 3].map(() => run((tx) => createStore(tx, t.foundations, twin))));
    const failures = made.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(failures).toHaveLength(2);
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(OperatorError);
      expect(failure.message).toMatch(/^a store with the shop domain twin\.example\.com exists already/);
    }
  });

  it("take the secret that the platform signs with, at first or later, and keep it encrypted [command-line.stores]", async () => {
    const given = { ...fine, shopDomain: "secret.example.com", commerceSecret: "shpss_0123456789abcdef" };
    const made = await run((tx) => createStore(tx, t.foundations, given));
    expect(made.commerce_secret).toBe(given.commerceSecret);
    const uuid = parseId("store", made.store_id) ?? "";
    const reader = t.database.reader();
    const secretNow = async () => (await shopOfDomain(reader, t.foundations.secrets, given.shopDomain))?.commerceSecret;
    expect(await secretNow()).toBe(given.commerceSecret);
    await run((tx) => setCommerceSecret(tx, t.foundations, uuid, "shpss_another_secret"));
    expect(await secretNow()).toBe("shpss_another_secret");
    const kept = await reader.first(
      sql`SELECT encode(commerce_secret, 'escape') AS text FROM stores WHERE id = ${uuid}`,
    );
    expect(JSON.stringify(kept)).not.toContain("shpss");
  });

  it("have any zone of the IANA database, by any of its names, from the beginning or later [time.zones]", async () => {
    for (const timezone of ["GMT", "Japan", "Etc/GMT+5", "US/Pacific"]) {
      const shopDomain = `${timezone.toLowerCase().replace(/\W/g, "-")}.example.com`;
      const made = await run((tx) => createStore(tx, t.foundations, { ...fine, shopDomain, timezone }));
      const uuid = parseId("store", made.store_id) ?? "";
      expect(await run((tx) => updateStore(tx, uuid, { timezone: "CET" }))).toMatchObject({ timezone: "CET" });
      await expect(run((tx) => updateStore(tx, uuid, { timezone: "cet" }))).rejects.toThrow("not an IANA timezone");
    }
  });

  it("change plan and overrides; an empty object takes the overrides away [api.overrides]", async () => {
    const { uuid } = await t.store();
    const change = (given: Parameters<typeof updateStore>[2]) => run((tx) => updateStore(tx, uuid, given));
    expect(await change({ plan: "enterprise", limits: { capacity: 100 } })).toMatchObject({
      plan: "enterprise",
      limits: { capacity: 100 },
    });
    expect(await change({ limits: {} })).toMatchObject({ plan: "enterprise", limits: {} });
    await expect(change({})).rejects.toThrow("nothing to change");
    await expect(change({ plan: "gold" })).rejects.toThrow("plan must be one of");
    const unknown = run((tx) => updateStore(tx, "0198c0de-0000-7000-8000-00000000beef", { plan: "plus" }));
    await expect(unknown).rejects.toThrow("there is no such store");
  });

  it.for([
    [null, /must be a JSON object/],
    [[], /must be a JSON object/],
    ["{}", /must be a JSON object/],
    [{ capacity: 5 }, /capacity must be a whole number from 6/],
    [{ capacity: 7.5 }, /whole number/],
    [{ capacity: "100" }, /whole number/],
    [{ capacity: null }, /whole number/],
    [{ leak_per_second: 0 }, /whole number from 1/],
    [{ order_window_days: 91 }, /to 90/],
    [{ overages_enabled: 1 }, /true or false/],
    [{ burst: 5 }, /burst is not a limit; known are capacity/],
    [JSON.parse('{"__proto__": 5}'), /__proto__ is not a limit/],
    [{ toString: 5 }, /toString is not a limit/],
  ])("refuse the overrides %o [api.overrides]", async ([limits, sentence]) => {
    const { uuid } = await t.store();
    const attempt = run((tx) => updateStore(tx, uuid, { limits }));
    await expect(attempt).rejects.toThrow(sentence as RegExp);
    await expect(attempt).rejects.toBeInstanceOf(OperatorError);
  });
});

describe("keys [command-line.keys]", () => {
  it("are listed by head and tail, never whole", async () => {
    const store = await t.store();
    const given = {
      name: "CI",
      scopes: ["quizzes:read", "quizzes:read"],
      expires: "2027-01-31",
      admin: "ana@example.com",
    };
    const { key, key_id: id } = await run((tx) => createKey(tx, t.foundations, store.uuid, given));
    const listed = (await listKeys(t.database.reader(), store.uuid)).find((each) => each.key_id === id);
    expect(listed).toEqual({
      key_id: id,
      name: "CI",
      key: `${key.slice(0, 13)}...${key.slice(-4)}`,
      scopes: ["quizzes:read"],
      admin: "ana@example.com",
      created_at: "2026-03-10T12:00:00.000Z",
      expires_at: "2027-01-31T23:59:59.999Z",
      revoked_at: null,
    });
  });

  it("are revoked once: the second time changes nothing", async () => {
    const store = await t.store();
    const { key_id: id } = await run((tx) => createKey(tx, t.foundations, store.uuid, {}));
    const first = await run((tx) => revokeKey(tx, t.foundations, id));
    t.calendar.advance(1_000);
    expect(await run((tx) => revokeKey(tx, t.foundations, id))).toEqual(first);
    for (const unknown of ["", "key_x", `key_${"0".repeat(32)}`, store.id]) {
      await expect(run((tx) => revokeKey(tx, t.foundations, unknown))).rejects.toThrow(
        /there is no key|is not the id of a key/,
      );
    }
    const done = await run((tx) => disconnectStore(tx, t.foundations, store.uuid));
    expect(done.keys_revoked).toBe(1);
    expect((await run((tx) => disconnectStore(tx, t.foundations, store.uuid))).keys_revoked).toBe(0);
  });

  it.for([
    [{ scopes: ["quizzes:admin"] }, /quizzes:admin is not a scope; known are quizzes:read/],
    [{ scopes: [] }, /at least one scope/],
    [{ expires: "tomorrow" }, /is not a day .* or a time/],
    [{ expires: "2027-02-30" }, /is not a day/],
    [{ expires: "2027-02-30T10:00:00Z" }, /is not a day/],
    [{ expires: "2027-01-31 10:00" }, /is not a day/],
    [{ expires: "2027-01-31T10:00:00" }, /is not a day/],
    [{ expires: "2026-03-09" }, /lies in the past/],
    [{ expires: "2026-03-10T11:59:59Z" }, /lies in the past/],
    [{ name: "a\u0000" }, /NUL/],
    [{ admin: " " }, /admin/],
  ])("are refused with a sentence: %o", async ([given, sentence]) => {
    const store = await t.store();
    // what a key may not be has no type
    const attempt = run((tx) => createKey(tx, t.foundations, store.uuid, given as never));
    await expect(attempt).rejects.toThrow(sentence as RegExp);
    await expect(attempt).rejects.toBeInstanceOf(OperatorError);
  });

  it("expire at the moment given, in any offset, or with the end of a day in UTC", async () => {
    const store = await t.store();
    const expiry = async (expires: string) => {
      const { key_id: id } = await run((tx) => createKey(tx, t.foundations, store.uuid, { expires }));
      return (await listKeys(t.database.reader(), store.uuid)).find((each) => each.key_id === id)?.expires_at;
    };
    expect(await expiry("2027-01-31T12:00:00+02:00")).toBe("2027-01-31T10:00:00.000Z");
    expect(await expiry("2027-01-31T12:00Z")).toBe("2027-01-31T12:00:00.000Z");
    expect(await expiry("2026-03-10")).toBe("2026-03-10T23:59:59.999Z");
  });
});

describe("a disconnected store [command-line.disconnect]", () => {
  it("gets no key until it is connected again, which brings no old key back", async () => {
    const store = await t.store();
    await run((tx) => disconnectStore(tx, t.foundations, store.uuid));
    await expect(run((tx) => createKey(tx, t.foundations, store.uuid, {}))).rejects.toThrow("disconnected");
    expect(await run((tx) => reconnectStore(tx, store.uuid))).toMatchObject({ disconnected_at: null });
    await expect(run((tx) => reconnectStore(tx, store.uuid))).rejects.toThrow("is connected");
    const { key } = await run((tx) => createKey(tx, t.foundations, store.uuid, {}));
    t.passTime(60_000);
    expect((await t.request("GET", "/v1/quizzes", { key })).status).toBe(200);
    expect((await t.request("GET", "/v1/quizzes", { key: store.key })).status).toBe(401);
  });
});
