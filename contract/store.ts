import { Type } from "typebox";
import { count, described, oneOf } from "./common.ts";
import { planClasses } from "./limits.ts";
import { operation } from "./operation.ts";
import { allScopes } from "./scopes.ts";

/** The store behind a key [api.store]. */
export const store = Type.Object(
  {
    name: Type.String(),
    shop_domain: Type.String(),
    currency: Type.String({ description: "ISO 4217 code" }),
    timezone: Type.String({ description: "IANA name" }),
    plan_class: described("Selects the limit table", oneOf(planClasses)),
    scopes: Type.Array(oneOf(allScopes), { description: "What this key may do" }),
    credits: Type.Object(
      {
        limit: count("Sessions that the plan includes in a billing cycle"),
        used: count("Sessions that answered their first question in the present billing cycle"),
        threshold: count("Use at which the shop is told"),
        overages_enabled: Type.Boolean({ description: "Whether use past the limit may be charged" }),
      },
      { description: "The billing cycle is the calendar month in the store's timezone" },
    ),
    limits: Type.Object({
      capacity: count("Burst of a key, in units"),
      leak_per_second: count("Sustained units a second of a key"),
      bot_multiplier: count("The store's bucket is this many times the key's"),
      analytics_soft_ttl_seconds: count("Seconds before a cached analytics answer may refresh"),
      export_page_pause_ms: count("Milliseconds that an export rests between pages"),
      webhook_endpoints: count("Endpoints that the store may have"),
      webhook_sends_per_second: count("Sends a second to one endpoint"),
    }),
  },
  { title: "Store" },
);

export const getStore = operation({
  id: "getStore",
  method: "GET",
  path: "/v1/store",
  tag: "Store",
  summary: "Read the store behind the key",
  description: "Currency, timezone, plan class, the limits in force, the key's scopes and the credits used.",
  scope: null,
  cost: "read",
  answer: {
    status: 200,
    shape: store,
    example: {
      name: "Lumen & Fern",
      shop_domain: "lumen-fern.myshopify.com",
      currency: "USD",
      timezone: "America/New_York",
      plan_class: "plus",
      scopes: ["quizzes:read", "analytics:read"],
      credits: { limit: 10_000, used: 412, threshold: 8_000, overages_enabled: false },
      limits: {
        capacity: 72,
        leak_per_second: 12,
        bot_multiplier: 3,
        analytics_soft_ttl_seconds: 60,
        export_page_pause_ms: 50,
        webhook_endpoints: 5,
        webhook_sends_per_second: 50,
      },
    },
  },
});
