import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, type TestApp } from "../../testkit/app.ts";

let t: TestApp;
beforeAll(async () => {
  t = await openTestApp();
});
afterAll(() => t.close());

describe("GET /v1/store", () => {
  it("reads every field of the store behind the key (2.7)", async () => {
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
    });
    expect(answer.headers["request-id"]).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it("refuses a missing, mistyped or unknown key (5.4)", async () => {
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
});
