import { type Static, Type } from "typebox";
import { count, dateTime, id, nullable, oneOf, strict } from "../common.ts";
import { connectionCountsAtMost, plans } from "../limits.ts";
import { operation } from "../operation.ts";
import { store } from "../store.ts";

/** The store's own settings, its plan, and its connection to the commerce platform. */

const settings = Type.Object(
  {
    id: id("store"),
    name: Type.String(),
    shop_domain: Type.String({ description: "As the commerce platform knows the shop" }),
    timezone: Type.String({ description: "IANA name" }),
    currency: Type.String({ description: "ISO 4217 code; the commerce platform decides it" }),
    publishable_key: id("pub", "Names the store in shoppers' browsers; no secret"),
    created_at: dateTime(),
    sells_without_online_store: Type.Boolean({
      description: "Products that its online store does not show count as in the shop",
    }),
  },
  { title: "StoreSettings" },
);
export type StoreSettings = Static<typeof settings>;

const settingsExample: StoreSettings = {
  id: "store_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
  name: "Lumen & Fern",
  shop_domain: "lumen-fern.myshopify.com",
  timezone: "America/New_York",
  currency: "USD",
  publishable_key: "pub_4f6b0d8a2c1e4b7f9a3d5c7e9b1f2d4a",
  created_at: "2026-08-20T10:00:00.000Z",
  sells_without_online_store: false,
};

const owner = { to: "member", role: "owner" } as const;
const anyMember = { to: "member", role: "analyst" } as const;

export const getSettings = operation({
  id: "getSettings",
  method: "GET",
  path: "/dashboard/api/settings",
  tag: "Settings",
  summary: "Read the store's settings",
  scope: null,
  access: anyMember,
  cost: "read",
  answer: { status: 200, shape: settings, example: settingsExample },
});

export const updateSettings = operation({
  id: "updateSettings",
  method: "PATCH",
  path: "/dashboard/api/settings",
  tag: "Settings",
  summary: "Change the store's name, zone, or where it sells",
  description: "The commerce platform's own changes of name and zone are taken over when it tells of them.",
  scope: null,
  access: owner,
  cost: "write",
  body: Type.Object(
    {
      name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
      timezone: Type.Optional(Type.String({ maxLength: 64, description: "IANA name" })),
      sells_without_online_store: Type.Optional(Type.Boolean()),
    },
    strict,
  ),
  bodyExample: { timezone: "Europe/Berlin" },
  answer: { status: 200, shape: settings, example: { ...settingsExample, timezone: "Europe/Berlin" } },
});

const { credits, limits } = store.properties;
const plan = Type.Object(
  {
    plan: oneOf(plans, "other: paused, without the API and deliveries"),
    credits,
    period: Type.Object({ from: dateTime("Beginning of the billing cycle"), to: dateTime("Its end, not included") }),
    limits,
    order_window_days: count("Days after a session's start in which an order counts for its quiz"),
  },
  { title: "StorePlan" },
);

export const getPlan = operation({
  id: "getPlan",
  method: "GET",
  path: "/dashboard/api/plan",
  tag: "Settings",
  summary: "Read the store's plan, its limits and the credits used",
  scope: null,
  access: anyMember,
  cost: "read",
  answer: {
    status: 200,
    shape: plan,
    example: {
      plan: "plus",
      credits: { limit: 10_000, used: 412, threshold: 8_000, overages_enabled: false },
      period: { from: "2026-09-01T04:00:00.000Z", to: "2026-10-01T04:00:00.000Z" },
      limits: {
        capacity: 72,
        leak_per_second: 12,
        bot_multiplier: 3,
        analytics_soft_ttl_seconds: 60,
        export_page_pause_ms: 50,
        webhook_endpoints: 5,
        webhook_sends_per_second: 50,
      },
      order_window_days: 30,
    },
  },
});

const commerce = Type.Object(
  {
    state: oneOf(["connected", "waiting"], "waiting: nothing of the shop has come in yet"),
    shop_domain: Type.String(),
    messages_url: Type.String({ format: "uri", description: "Where the commerce platform sends its messages" }),
    secret_set: Type.Boolean({ description: "Whether there is a secret that messages are checked with" }),
    last_message_at: nullable(dateTime()),
    last_order_at: nullable(dateTime("Of the newest order, by the shop's clock")),
    orders: count(`Orders that are known; ${connectionCountsAtMost} stands for more`),
    products: count(`Products that are known and not deleted; ${connectionCountsAtMost} stands for more`),
    topics: Type.Array(Type.String(), { description: "Topics that the platform should send" }),
    messages: Type.Array(
      Type.Object({
        message_id: Type.String({ description: "The platform's own id of it" }),
        topic: nullable(Type.String({ description: "null: it came in before topics were kept" })),
        received_at: dateTime(),
      }),
      { description: "The newest 50 that were taken" },
    ),
  },
  { title: "CommerceConnection" },
);
export type CommerceConnection = Static<typeof commerce>;

const commerceExample: CommerceConnection = {
  state: "connected",
  shop_domain: "lumen-fern.myshopify.com",
  messages_url: "https://api.example.com/commerce/v1/shopify/webhooks",
  secret_set: true,
  last_message_at: "2026-09-14T18:21:07.000Z",
  last_order_at: "2026-09-14T18:21:05.000Z",
  orders: 812,
  products: 64,
  topics: ["orders/create"],
  messages: [
    {
      message_id: "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043",
      topic: "orders/create",
      received_at: "2026-09-14T18:21:07.000Z",
    },
  ],
};

export const getCommerce = operation({
  id: "getCommerce",
  method: "GET",
  path: "/dashboard/api/commerce",
  tag: "Commerce",
  summary: "Read the state of the commerce platform's connection",
  scope: null,
  access: owner,
  cost: "read",
  answer: { status: 200, shape: commerce, example: commerceExample },
});

export const setCommerceSecret = operation({
  id: "setCommerceSecret",
  method: "PUT",
  path: "/dashboard/api/commerce/secret",
  tag: "Commerce",
  summary: "Set what the commerce platform signs its messages with",
  description: "Messages signed with the one before are refused from then on.",
  scope: null,
  access: { ...owner, confirmed: true },
  cost: "write",
  body: Type.Object({ secret: Type.String({ minLength: 16, maxLength: 200 }) }, strict),
  bodyExample: { secret: "the signing secret that the platform shows" },
  answer: { status: 200, shape: commerce, example: commerceExample },
});

export const rotateCommerceSecret = operation({
  id: "rotateCommerceSecret",
  method: "POST",
  path: "/dashboard/api/commerce/secret/rotate",
  tag: "Commerce",
  summary: "Make a new secret for the commerce platform to sign with",
  scope: null,
  access: { ...owner, confirmed: true },
  cost: "write",
  answer: {
    status: 200,
    shape: Type.Object({ secret: Type.String({ description: "Shown here and never again" }) }),
    example: { secret: "5f0c7d3b1e9a48f2b6c4d8e0a1f3b5c75f0c7d3b1e9a48f2b6c4d8e0a1f3b5c7" },
  },
});

export const testCommerce = operation({
  id: "testCommerce",
  method: "POST",
  path: "/dashboard/api/commerce/test",
  tag: "Commerce",
  summary: "Try the connection: send the service a signed message as the platform would",
  description: "The message is of no topic that changes anything. Says what went wrong in one sentence.",
  scope: null,
  access: owner,
  cost: "read",
  answer: {
    status: 200,
    shape: Type.Object({
      ok: Type.Boolean(),
      checks: Type.Array(
        Type.Object({
          check: oneOf(["secret", "signature", "messages", "orders", "products"]),
          ok: Type.Boolean(),
          text: Type.String({ description: "What was found, in one sentence" }),
        }),
      ),
    }),
    example: {
      ok: false,
      checks: [{ check: "messages", ok: false, text: "No message of the shop has come in yet." }],
    },
  },
});

export const settingsOperations = [
  getSettings,
  updateSettings,
  getPlan,
  getCommerce,
  setCommerceSecret,
  rotateCommerceSecret,
  testCommerce,
] as const;
