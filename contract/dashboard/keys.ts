import { type Static, Type } from "typebox";
import { dateTime, id, nullable, oneOf, page, pageQuery, strict } from "../common.ts";
import { operation } from "../operation.ts";
import { allScopes } from "../scopes.ts";

/** API keys, as an owner makes and revokes them. */

const keyFields = {
  id: id("key"),
  name: Type.String(),
  admin: Type.String({ description: "Whose account it acts under" }),
  head: Type.String({ description: "Its first characters" }),
  last_four: Type.String(),
  scopes: Type.Array(oneOf(allScopes)),
  test: Type.Boolean({ description: "Opens the store's test twin, and nothing of the store itself" }),
  created_at: dateTime(),
  expires_at: nullable(dateTime()),
  last_used_at: nullable(dateTime("To the minute; null: never")),
  revoked_at: nullable(dateTime()),
};
const apiKey = Type.Object(keyFields, { title: "ApiKey" });
export type ApiKey = Static<typeof apiKey>;

const newApiKey = Type.Object(
  { ...keyFields, key: Type.String({ description: "Its text, shown here and never again" }) },
  { title: "NewApiKey" },
);

const example: ApiKey = {
  id: "key_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
  name: "Warehouse",
  admin: "mira@example.com",
  head: "svc_live_4Fh2",
  last_four: "9QzT",
  scopes: ["quizzes:read", "analytics:read"],
  test: false,
  created_at: "2026-09-01T08:15:00.000Z",
  expires_at: null,
  last_used_at: "2026-09-14T18:21:00.000Z",
  revoked_at: null,
};

const owner = { to: "member", role: "owner" } as const;
const confirmed = { ...owner, confirmed: true } as const;
const shared = { tag: "Keys", scope: null } as const;

export const listKeys = operation({
  ...shared,
  id: "listKeys",
  method: "GET",
  path: "/dashboard/api/keys",
  summary: "List API keys, newest first",
  description: "Revoked and expired ones too; never their text.",
  access: owner,
  cost: "read",
  query: Type.Object(pageQuery),
  answer: { status: 200, shape: page(apiKey), example: { data: [example], has_more: false, next_cursor: null } },
});

export const createKey = operation({
  ...shared,
  id: "createKey",
  method: "POST",
  path: "/dashboard/api/keys",
  summary: "Make an API key",
  access: confirmed,
  cost: "write",
  body: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 200 }),
      scopes: Type.Array(oneOf(allScopes), { minItems: 1, uniqueItems: true }),
      expires_at: Type.Optional(nullable(dateTime("In the future; null or left out: never"))),
      test: Type.Optional(Type.Boolean({ description: "A key of the store's test twin; it begins with `svc_test_`" })),
    },
    strict,
  ),
  bodyExample: { name: "Warehouse", scopes: ["quizzes:read", "analytics:read"], expires_at: null },
  answer: {
    status: 201,
    shape: newApiKey,
    example: { ...example, last_used_at: null, key: "svc_live_4Fh2xVn0b6Q1mW8sLk3Zc7Rt5Yp9Ad2Ee9QzT" },
  },
});

export const revokeKey = operation({
  ...shared,
  id: "revokeKey",
  method: "POST",
  path: "/dashboard/api/keys/{key_id}/revoke",
  summary: "Revoke an API key",
  description: "Requests with it are refused within seconds. Safe to repeat.",
  access: owner,
  cost: "write",
  params: Type.Object({ key_id: id("key") }),
  answer: { status: 200, shape: apiKey, example: { ...example, revoked_at: "2026-09-20T10:00:00.000Z" } },
});

export const keyOperations = [listKeys, createKey, revokeKey] as const;
