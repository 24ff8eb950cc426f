import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../../testkit/app.ts";
import { type TestRoutes, testRoutes } from "../../../testkit/operations.ts";
import { forgetOldRows } from "../retention.ts";
import { idempotencyRetention } from "./idempotency.ts";

let t: TestApp;
let routes: TestRoutes;
let store: TestStore;
let admin: pg.Client;
beforeAll(async () => {
  routes = testRoutes();
  t = await openTestApp({ extraRoutes: routes.routes });
  store = await newStore();
  admin = new pg.Client(t.connection);
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await t.close();
});

async function newStore(): Promise<TestStore> {
  const made = await t.store();
  const limits = { capacity: 1_000_000, leak_per_second: 1_000_000 };
  await t.update(made, { limits });
  return made;
}

let keys = 0;
const newKey = () => {
  keys += 1;
  return `key-${keys}`;
};
const make = (key: string, body: unknown = { label: "a" }, options: { url?: string; store?: TestStore } = {}) =>
  t.request("POST", options.url ?? "/v1/things", {
    key: (options.store ?? store).key,
    body,
    headers: { "idempotency-key": key },
  });

describe("Idempotency-Key [api.idempotency, api.idempotency-kept]", () => {
  it("replays status, body and Location of the first answer, and does the work once", async () => {
    const key = newKey();
    const before = routes.worked.count;
    const first = await make(key);
    expect([first.status, first.headers["location"], first.headers["idempotent-replayed"]]).toEqual([
      201,
      `http://api.test/v1/things/${before + 1}`,
      undefined,
    ]);
    const again = await make(key);
    expect([again.status, again.headers["location"], again.headers["idempotent-replayed"]]).toEqual([
      201,
      first.headers["location"],
      "true",
    ]);
    expect(again.body).toEqual(first.body);
    expect(again.headers["request-id"]).not.toBe(first.headers["request-id"]);
    expect(routes.worked.count).toBe(before + 1);
  });

  it("charges a replay like any write [api.idempotency-kept]", async () => {
    const key = newKey();
    const one = await t.store();
    const left = async () => (await make(key, {}, { store: one })).headers["ratelimit"];
    expect([await left(), await left()]).toEqual([
      "limit=72, remaining=70, reset=1",
      "limit=72, remaining=68, reset=1",
    ]);
  });

  it("refuses the same key with another body, route or query", async () => {
    const key = newKey();
    await make(key);
    const id = `quiz_${"0".repeat(32)}`;
    for (const other of [make(key, { label: "b" }), make(key, {}), make(key, {}, { url: `/v1/things/${id}/touch` })]) {
      const answer = await other;
      expect([answer.status, answer.body.title]).toEqual([422, "validation_error"]);
      expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual(["header.Idempotency-Key"]);
    }
    expect((await make(key)).headers["idempotent-replayed"]).toBe("true");
  });

  it("keeps the keys of stores apart", async () => {
    const key = newKey();
    const other = await newStore();
    const mine = await make(key);
    const theirs = await make(key, { label: "other" }, { store: other });
    expect([theirs.status, theirs.headers["idempotent-replayed"]]).toEqual([201, undefined]);
    expect(theirs.body.number).not.toBe(mine.body.number);
  });

  it("lets concurrent repeats wait for the first, longer than for other locks, and makes one change", async () => {
    const key = newKey();
    const before = routes.worked.count;
    const body = { take_ms: 2_500 };
    const answers = await Promise.all([make(key, body), pause(50).then(() => make(key, body)), make(key, body)]);
    expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201]);
    expect(answers.filter((answer) => answer.headers["idempotent-replayed"] === "true")).toHaveLength(2);
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(routes.worked.count).toBe(before + 1);
  });

  it("stores no failure: the repeat is tried again", async () => {
    const key = newKey();
    const before = routes.worked.count;
    expect((await make(key, { fail: true })).status).toBe(404);
    expect((await make(key, { fail: true })).status).toBe(404);
    expect(routes.worked.count).toBe(before + 2);
    expect((await make(key, { label: 5 })).status).toBe(422);
    expect((await make(key)).status).toBe(201);
  });

  it("lets a waiting repeat do the work when the first fails", async () => {
    const key = newKey();
    const before = routes.worked.count;
    const body = { take_ms: 200, fail: true };
    const answers = await Promise.all([make(key, body), make(key, body)]);
    expect(answers.map((answer) => answer.status)).toEqual([404, 404]);
    expect(routes.worked.count).toBe(before + 2);
  });

  it("forgets after 24 hours by the calendar", async () => {
    const key = newKey();
    const first = await make(key);
    t.calendar.advance(24 * 60 * 60 * 1000 - 1);
    expect((await make(key)).headers["idempotent-replayed"]).toBe("true");
    t.calendar.advance(1);
    const late = await make(key, { label: "new" });
    expect([late.status, late.headers["idempotent-replayed"]]).toEqual([201, undefined]);
    expect(late.body.number).toBeGreaterThan(first.body.number);
    expect((await make(key, { label: "new" })).headers["idempotent-replayed"]).toBe("true");
  });

  it("goes from the database with its age, in as many rounds as it takes", async () => {
    const other = await newStore();
    await admin.query(
      `INSERT INTO idempotency_keys (store_id, key, fingerprint, created_at)
       SELECT $1, 'old-' || n, '\\x00', $2 FROM generate_series(1, 5001) AS n`,
      [other.uuid, new Date(t.calendar.now() - 25 * 60 * 60 * 1000)],
    );
    const kept = newKey();
    await make(kept, {}, { store: other });
    expect(await forgetOldRows(t.database, t.calendar, [idempotencyRetention])).toBeGreaterThanOrEqual(5_001);
    const { rows } = await admin.query("SELECT key FROM idempotency_keys WHERE store_id = $1", [other.uuid]);
    expect(rows).toEqual([{ key: kept }]);
    expect(await forgetOldRows(t.database, t.calendar, [idempotencyRetention])).toBe(0);
  });

  it("keeps the answer encrypted: the row holds nothing of it that can be read", async () => {
    const key = newKey();
    await make(key, { label: "whsec_of_the_request" });
    const { rows } = await admin.query("SELECT answer FROM idempotency_keys WHERE store_id = $1 AND key = $2", [
      store.uuid,
      key,
    ]);
    const sealed = rows[0].answer as Buffer;
    expect(sealed.length).toBeGreaterThan(50);
    for (const canary of ["whsec_canary", "whsec_of_the_request", "number"]) {
      expect(sealed.includes(canary)).toBe(false);
      expect(sealed.toString("base64").includes(Buffer.from(canary).toString("base64").slice(0, -3))).toBe(false);
    }
  });

  it("does not decrypt an answer that was copied under another key", async () => {
    const [from, to] = [newKey(), newKey()];
    await make(from);
    await make(to);
    await admin.query(
      `UPDATE idempotency_keys SET answer = (SELECT answer FROM idempotency_keys WHERE store_id = $1 AND key = $2)
       WHERE store_id = $1 AND key = $3`,
      [store.uuid, from, to],
    );
    expect((await make(to)).status).toBe(500);
  });

  it.for(["", " ", "a b", "x".repeat(256), "caf\u00e9"])("refuses the malformed key %o", async (key) => {
    const answer = await make(key);
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([422, "header.Idempotency-Key"]);
  });

  it("takes 255 printable characters, and means nothing on reads and searches", async () => {
    expect((await make("~".repeat(255))).status).toBe(201);
    const key = newKey();
    for (let n = 0; n < 2; n += 1) {
      const headers = { "idempotency-key": key };
      const search = await t.request("POST", "/v1/things/search", { key: store.key, body: { count: n }, headers });
      expect([search.status, search.headers["idempotent-replayed"]]).toEqual([200, undefined]);
    }
  });
});
