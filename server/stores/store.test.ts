import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp, type TestStore } from "../../testkit/app.ts";
import { updateStore } from "./admin.ts";
import { raiseRevision } from "./public.ts";

let t: TestApp;
let admin: pg.Client;
beforeAll(async () => {
  t = await openTestApp();
  admin = new pg.Client(t.connection);
  await admin.connect();
});
afterAll(async () => {
  await admin.end();
  await t.close();
});

/** A session as the storefront leaves it, and the store's revision raised with it. */
async function addSession(store: TestStore, startedAt: string | null, preview = false): Promise<void> {
  await admin.query(
    `INSERT INTO sessions (store_id, id, number, visitor_id, quiz_id, version_id, channel, device_class, device, preview,
       emits, is_returning, first_received_at, opened_at, started_at, last_event_at, status, state, facts)
     VALUES ($1, $2, 1, $2, $2, $2, 'web', 'desktop', '{}', $4, true, false, $5, $5, $3, $5, 'in_progress', '{}', '{}')`,
    [store.uuid, randomUUID(), startedAt, preview, startedAt ?? "2026-03-10T00:00:00Z"],
  );
  await t.database.transaction((tx) => raiseRevision(tx, store.uuid));
}

const used = async (store: TestStore) =>
  (await t.request("GET", "/v1/store", { key: store.key })).body.credits.used as number;

describe("GET /v1/store", () => {
  it("reads every field of the store behind the key [api.store]", async () => {
    const store = await t.store({ plan: "enterprise", timezone: "Europe/Berlin", currency: "EUR" });
    const answer = await t.request("GET", "/v1/store", { key: store.key });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      name: "Shop 1",
      shop_domain: "shop-1.example.com",
      currency: "EUR",
      timezone: "Europe/Berlin",
      plan_class: "enterprise",
      scopes: [
        "quizzes:read",
        "quizzes:write",
        "quizzes:publish",
        "analytics:read",
        "profiles:read",
        "webhooks:manage",
      ],
      credits: { limit: 100_000, used: 0, threshold: 80_000, overages_enabled: false },
      limits: {
        capacity: 360,
        leak_per_second: 60,
        bot_multiplier: 6,
        analytics_soft_ttl_seconds: 15,
        export_page_pause_ms: 10,
        webhook_endpoints: 25,
        webhook_sends_per_second: 200,
      },
    });
    expect(answer.headers).toMatchObject({
      ratelimit: "limit=360, remaining=359, reset=1",
      "ratelimit-policy": "360;w=6",
      "cache-control": "private, no-store",
    });
    expect(answer.headers["request-id"]).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it("refuses a missing, mistyped or unknown key [api.key-required]", async () => {
    const store = await t.store();
    const mistyped = store.key.slice(0, -1) + (store.key.endsWith("a") ? "b" : "a");
    for (const key of [undefined, mistyped, "svc_live_x"]) {
      const answer = await t.request("GET", "/v1/store", key ? { key } : {});
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
      expect(answer.headers["ratelimit"]).toBeUndefined();
      expect(answer.body).toMatchObject({
        title: "invalid_api_key",
        status: 401,
        type: "http://api.test/errors/invalid_api_key",
      });
      expect(answer.body.request_id).toBe(answer.headers["request-id"]);
    }
  });

  it("works with any key, and lists the scopes that it carries [api.store]", async () => {
    const store = await t.store();
    const key = await t.key(store, ["webhooks:manage"]);
    expect((await t.request("GET", "/v1/store", { key })).body.scopes).toEqual(["webhooks:manage"]);
  });

  it("shows the store's overrides, of the credits too, and of no others [api.overrides, api.store]", async () => {
    const store = await t.store();
    const limits = { webhook_endpoints: 9, credits_limit: 33, overages_enabled: true, order_window_days: 60 };
    await t.database.transaction((tx) => updateStore(tx, store.uuid, { limits }));
    const { body } = await t.request("GET", "/v1/store", { key: store.key });
    expect(body.credits).toEqual({ limit: 33, used: 0, threshold: 26, overages_enabled: true });
    expect(body.limits).toEqual({
      capacity: 72,
      leak_per_second: 12,
      bot_multiplier: 3,
      analytics_soft_ttl_seconds: 60,
      export_page_pause_ms: 50,
      webhook_endpoints: 9,
      webhook_sends_per_second: 50,
    });
  });
});

describe("credits [api.credits]", () => {
  it("count sessions that answered a question, previews and mere openings left out, at once after a change", async () => {
    const store = await t.store();
    const other = await t.store();
    expect(await used(store)).toBe(0);
    for (let n = 1; n <= 3; n += 1) {
      await addSession(store, `2026-03-0${n}T10:00:00Z`);
      expect(await used(store)).toBe(n);
    }
    await addSession(store, null);
    await addSession(store, "2026-03-04T10:00:00Z", true);
    await addSession(other, "2026-03-04T10:00:00Z");
    expect([await used(store), await used(other)]).toEqual([3, 1]);
  });

  it("cover the calendar month in the store's timezone, and start anew with it", async () => {
    const store = await t.store({ timezone: "America/New_York" });
    // March begins at 05:00 UTC there, and ends with summer time at 04:00 UTC
    await addSession(store, "2026-03-01T04:59:59.999Z");
    await addSession(store, "2026-03-01T05:00:00.000Z");
    await addSession(store, "2026-04-01T03:59:59.999Z");
    await addSession(store, "2026-04-01T04:00:00.000Z");
    expect(await used(store)).toBe(2);
    t.calendar.advance(Date.parse("2026-04-01T03:59:59.999Z") - t.calendar.now());
    expect(await used(store)).toBe(2);
    t.calendar.advance(1);
    expect(await used(store)).toBe(1);
  });

  it("are never older than the request, however many ask at once", async () => {
    const store = await t.store({ plan: "enterprise" });
    for (let round = 1; round <= 8; round += 1) {
      const early = Array.from({ length: 4 }, () => used(store));
      await addSession(store, "2026-04-02T10:00:00Z");
      const late = await Promise.all(Array.from({ length: 4 }, () => used(store)));
      expect(late).toEqual(Array(4).fill(round));
      for (const each of await Promise.all(early)) expect([round - 1, round]).toContain(each);
    }
  });
});
