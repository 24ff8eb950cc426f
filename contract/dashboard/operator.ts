import { type Static, Type } from "typebox";
import { dateTime, id, nullable, oneOf, page, pageQuery, strict } from "../common.ts";
import { plans } from "../limits.ts";
import { nothing, operation } from "../operation.ts";

/** Operators' tasks: all stores, their plans and limits, and support in a store [dashboard-api.support]. */

const limits = Type.Record(Type.String(), Type.Union([Type.Integer(), Type.Boolean()]), {
  description: "The store's own numbers over its plan's, by the names that GET /dashboard/api/plan has",
});

const operatedStore = Type.Object(
  {
    id: id("store"),
    name: Type.String(),
    shop_domain: Type.String(),
    plan: oneOf(plans),
    timezone: Type.String(),
    currency: Type.String(),
    publishable_key: id("pub"),
    limits,
    created_at: dateTime(),
    disconnected_at: nullable(dateTime()),
    support_until: nullable(dateTime("Until when the asking operator is signed in to it as support")),
  },
  { title: "OperatedStore" },
);
export type OperatedStore = Static<typeof operatedStore>;

const example: OperatedStore = {
  id: "store_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
  name: "Lumen & Fern",
  shop_domain: "lumen-fern.myshopify.com",
  plan: "plus",
  timezone: "America/New_York",
  currency: "USD",
  publishable_key: "pub_4f6b0d8a2c1e4b7f9a3d5c7e9b1f2d4a",
  limits: {},
  created_at: "2026-08-20T10:00:00.000Z",
  disconnected_at: null,
  support_until: null,
};

const shared = { tag: "Operator", scope: null, access: { to: "operator" } } as const;
const confirmed = { ...shared, access: { to: "operator", confirmed: true } } as const;
const params = Type.Object({ store_id: id("store") });
const answer = { status: 200, shape: operatedStore, example } as const;
const newName = Type.String({ minLength: 1, maxLength: 200 });

export const listStores = operation({
  ...shared,
  id: "listStores",
  method: "GET",
  path: "/dashboard/api/operator/stores",
  summary: "List stores, newest first",
  cost: "read",
  query: Type.Object({
    ...pageQuery,
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Part of the name or the domain" })),
    supported: Type.Optional(
      Type.Boolean({ default: false, description: "Only those that you are signed in to as support" }),
    ),
  }),
  answer: { status: 200, shape: page(operatedStore), example: { data: [example], has_more: false, next_cursor: null } },
});

export const createStore = operation({
  ...confirmed,
  id: "createStore",
  method: "POST",
  path: "/dashboard/api/operator/stores",
  summary: "Make a store",
  cost: "write",
  body: Type.Object(
    {
      name: newName,
      shop_domain: Type.String({ maxLength: 253, description: "Such as my-shop.myshopify.com" }),
      plan: oneOf(plans),
      timezone: Type.String({ maxLength: 64 }),
      currency: Type.String({ minLength: 3, maxLength: 3 }),
    },
    strict,
  ),
  bodyExample: {
    name: "Lumen & Fern",
    shop_domain: "lumen-fern.myshopify.com",
    plan: "plus",
    timezone: "America/New_York",
    currency: "USD",
  },
  answer: {
    status: 201,
    shape: Type.Object(
      { ...operatedStore.properties, commerce_secret: Type.String({ description: "Shown here and never again" }) },
      { title: "NewStore" },
    ),
    example: { ...example, commerce_secret: "5f0c7d3b1e9a48f2b6c4d8e0a1f3b5c75f0c7d3b1e9a48f2b6c4d8e0a1f3b5c7" },
  },
  problems: ["conflict"],
});

export const updateStore = operation({
  ...shared,
  id: "updateStore",
  method: "PATCH",
  path: "/dashboard/api/operator/stores/{store_id}",
  summary: "Change a store's plan, zone or own limits",
  description: "`limits` takes the place of all own numbers; {} takes them away.",
  cost: "write",
  params,
  body: Type.Object(
    {
      plan: Type.Optional(oneOf(plans)),
      timezone: Type.Optional(Type.String({ maxLength: 64 })),
      limits: Type.Optional(limits),
    },
    strict,
  ),
  bodyExample: { plan: "enterprise", limits: { webhook_endpoints: 10 } },
  answer,
});

export const disconnectStore = operation({
  ...confirmed,
  id: "disconnectStore",
  method: "POST",
  path: "/dashboard/api/operator/stores/{store_id}/disconnect",
  summary: "Disconnect a store: every key is revoked, every webhook endpoint deleted, every export cancelled",
  cost: "write",
  params,
  answer,
});

export const reconnectStore = operation({
  ...shared,
  id: "reconnectStore",
  method: "POST",
  path: "/dashboard/api/operator/stores/{store_id}/reconnect",
  summary: "Connect a disconnected store again; keys and endpoints stay gone",
  cost: "write",
  params,
  answer,
  problems: ["conflict"],
});

export const beginSupport = operation({
  ...confirmed,
  id: "beginSupport",
  method: "POST",
  path: "/dashboard/api/operator/stores/{store_id}/support",
  summary: "Sign in to a store as support, for an hour",
  description: "The store's audit log says so, and marks each change that is made in it meanwhile.",
  cost: "write",
  params,
  body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 500 }) }, strict),
  bodyExample: { reason: "The owner asked why orders are missing" },
  answer: { ...answer, example: { ...example, support_until: "2026-09-20T11:00:00.000Z" } },
});

export const endSupport = operation({
  ...shared,
  id: "endSupport",
  method: "DELETE",
  path: "/dashboard/api/operator/stores/{store_id}/support",
  summary: "Leave a store that was signed in to as support",
  cost: "write",
  params,
  answer: { status: 204, shape: nothing, example: null },
});

export const operatorOperations = [
  listStores,
  createStore,
  updateStore,
  disconnectStore,
  reconnectStore,
  beginSupport,
  endSupport,
] as const;
