import { crc32 } from "node:zlib";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";
import { testRoutes } from "../../testkit/operations.ts";
import { runnerOf } from "../platform/database/sql.ts";
import { type Deadline, Deadlines } from "../platform/deadline.ts";
import { createKey, disconnectStore, revokeKey, updateStore } from "./admin.ts";
import { Gate } from "./gate.ts";
import { hashKey, isKeyText, keyHead, keyLastFour, newKeyText } from "./key-text.ts";

let t: TestApp;
let admin: pg.Client;
beforeAll(async () => {
  t = await openTestApp({ extraRoutes: testRoutes().routes });
  admin = new pg.Client(t.connection);
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await t.close();
});

const status = async (key: string) => (await t.request("GET", "/v1/store", { key })).status;
const make = (uuid: string, given: Parameters<typeof createKey>[3] = {}) =>
  t.database.transaction((tx) => createKey(tx, t.foundations, uuid, given));
/** longer than a looked-up key is remembered */
const rememberedMs = 5_000;

describe("API keys [api.keys]", () => {
  it("are prefix, 30 random characters and the checksum of them, and kept as a hash, a head and a tail [api.keys]", async () => {
    const store = await t.store();
    const { key, key_id: id } = await make(store.uuid);
    expect(key).toMatch(/^svc_live_[0-9A-Za-z]{36}$/);
    expect(id).toMatch(/^key_[0-9a-f]{32}$/);
    const { rows } = await admin.query("SELECT * FROM api_keys WHERE hash = $1", [hashKey(key)]);
    expect(rows[0]).toMatchObject({ head: key.slice(0, 13), last_four: key.slice(-4), store_id: store.uuid });
    expect(JSON.stringify(rows[0])).not.toContain(key.slice(9, 39));
    expect([keyHead(key), keyLastFour(key)]).toEqual([key.slice(0, 13), key.slice(-4)]);
  });

  it("carry the checksum of their secret, so that any mistyped character is found [api.keys]", () => {
    const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 60, maxLength: 60 }), fc.nat(35), fc.nat(61), (bytes, at, letter) => {
        const filled = bytes.map((byte) => byte % 248);
        const text = newKeyText(() => filled);
        expect(isKeyText(text)).toBe(true);
        let sum = 0;
        for (const character of text.slice(-6)) sum = sum * 62 + alphabet.indexOf(character);
        expect(sum).toBe(crc32(text.slice(9, 39)));
        const typed = alphabet[letter] ?? "";
        const mistyped = text.slice(0, 9 + at) + typed + text.slice(10 + at);
        expect(isKeyText(mistyped)).toBe(mistyped === text);
      }),
    );
  });

  it("draw every character alike, skipping bytes that would favour some [api.keys]", () => {
    const bytes = [255, 250, 248, ...Array(57).fill(61)];
    expect(newKeyText(() => Uint8Array.from(bytes)).slice(9, 39)).toBe("z".repeat(30));
  });

  it("are refused without a look-up when mistyped, in constant work [api.keys]", async () => {
    const asked: string[] = [];
    const reader = runnerOf(async () => {
      asked.push("asked");
      return [];
    });
    const gate = new Gate({ reader: () => reader }, t.calendar, () => 0);
    for (const text of ["svc_live_", `svc_live_${"a".repeat(36)}`, `${newKeyText(t.foundations.random)}a`, "x", ""]) {
      await expect(gate.authenticate(`Bearer ${text}`)).rejects.toThrow("API key");
    }
    for (const header of [undefined, "", "Bearer", "Bearer ", `Basic ${newKeyText(t.foundations.random)}`]) {
      await expect(gate.authenticate(header)).rejects.toThrow("API key");
    }
    expect(asked).toEqual([]);
    await expect(gate.authenticate(`bearer ${newKeyText(t.foundations.random)}`)).rejects.toThrow();
    expect(asked).toEqual(["asked"]);
  });

  it("read quizzes and analytics when made without scopes [api.default-scopes]", async () => {
    const store = await t.store();
    const { key } = await make(store.uuid);
    const answer = await t.request("GET", "/v1/store", { key });
    expect(answer.body.scopes).toEqual(["quizzes:read", "analytics:read"]);
    const refused = await t.request("POST", "/v1/things/search", { key, body: {} });
    expect([refused.status, refused.body.required]).toEqual([403, ["profiles:read"]]);
  });

  it("end with their expiry, by the calendar, remembered or not [api.key-end]", async () => {
    const store = await t.store();
    const expires = new Date(t.calendar.now() + 60_000).toISOString();
    const { key } = await make(store.uuid, { expires });
    expect(await status(key)).toBe(200);
    t.calendar.advance(59_999);
    expect(await status(key)).toBe(200);
    t.calendar.advance(1);
    expect(await status(key)).toBe(401);
    t.passTime(rememberedMs);
    expect(await status(key)).toBe(401);
  });

  it("end within five seconds of being revoked [api.key-end]", async () => {
    const store = await t.store();
    const { key, key_id: id } = await make(store.uuid);
    expect(await status(key)).toBe(200);
    await t.database.transaction((tx) => revokeKey(tx, t.foundations, id));
    t.passTime(rememberedMs);
    expect(await status(key)).toBe(401);
    expect(await status(store.key)).toBe(200);
  });

  it("end when the store is disconnected [api.key-end]", async () => {
    const store = await t.store();
    expect(await status(store.key)).toBe(200);
    const done = await t.database.transaction((tx) => disconnectStore(tx, t.foundations, store.uuid));
    expect(done).toEqual({ store_id: store.id, keys_revoked: 1 });
    t.passTime(rememberedMs);
    expect(await status(store.key)).toBe(401);
    await expect(make(store.uuid)).rejects.toThrow("disconnected");
  });

  it("answer plan_required without rate-limit headers once the plan has no access, and come back with it [api.plans]", async () => {
    const store = await t.store();
    const move = (plan: string) => t.database.transaction((tx) => updateStore(tx, store.uuid, { plan }));
    expect(await status(store.key)).toBe(200);
    await move("other");
    t.passTime(rememberedMs);
    const refused = await t.request("GET", "/v1/store", { key: store.key });
    expect([refused.status, refused.body.title]).toEqual([403, "plan_required"]);
    expect([refused.headers["ratelimit"], refused.headers["ratelimit-policy"]]).toEqual([undefined, undefined]);
    await move("enterprise");
    t.passTime(rememberedMs);
    expect((await t.request("GET", "/v1/store", { key: store.key })).body.plan_class).toBe("enterprise");
  });

  it("are looked up once for requests that arrive together, and remembered no longer than a minute [api.key-end]", async () => {
    const store = await t.store();
    let looked = 0;
    let elapsed = 0;
    const database = {
      reader: (deadline?: Deadline) => {
        looked += 1;
        return t.database.reader(deadline);
      },
    };
    const gate = new Gate(database, t.calendar, () => elapsed);
    const ask = () => gate.authenticate(`Bearer ${store.key}`);
    await Promise.all(Array.from({ length: 20 }, ask));
    expect(looked).toBe(1);
    elapsed = rememberedMs - 1;
    await ask();
    expect(looked).toBe(1);
    elapsed = 60_000;
    await ask();
    expect(looked).toBe(2);
    gate.invalidate();
    await ask();
    expect(looked).toBe(3);
  });

  it("do not fail one request because another that shares its look-up was given up", async () => {
    const store = await t.store();
    const gate = new Gate(t.database, t.calendar, () => 0);
    const deadlines = new Deadlines(() => performance.now());
    const [hasty, patient] = [deadlines.open(30_000), deadlines.open(30_000)];
    const first = expect(gate.authenticate(`Bearer ${store.key}`, hasty)).rejects.toThrow("ran longer");
    const second = gate.authenticate(`Bearer ${store.key}`, patient);
    hasty.expire();
    expect((await second).store.id).toBe(store.uuid);
    await first;
    deadlines.close(patient);
  });
});
