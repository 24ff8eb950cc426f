import { type Static, Type } from "typebox";
import { dateTime, id, nullable, strict } from "./common.ts";
import { role } from "./members.ts";
import { nothing, operation } from "./operation.ts";

/** Secrets with which programs act for a person in one of their stores; docs/rules/accounts.md. */

/** The prefix, which differs from that of stores' keys. */
export const personalTokenPrefix = "svc_user_";

/** A person's maximum number of tokens, including expired ones that are still listed. */
export const mostPersonalTokens = 50;

const tokenFields = {
  id: id("tok"),
  name: Type.String(),
  store: Type.Object({ id: id("store"), name: Type.String(), role }, { description: "The one store that it opens" }),
  head: Type.String({ description: "Its first characters" }),
  last_four: Type.String(),
  created_at: dateTime(),
  expires_at: dateTime(),
  last_used_at: nullable(dateTime("To the minute; null: never")),
};
const personalToken = Type.Object(tokenFields, { title: "PersonalToken" });
export type PersonalToken = Static<typeof personalToken>;

const newPersonalToken = Type.Object(
  { ...tokenFields, token: Type.String({ description: "Its text, shown here and never again" }) },
  { title: "NewPersonalToken" },
);

const example: PersonalToken = {
  id: "tok_0198f2c4d4e37f608a9b0c1d2e3f4a5e",
  name: "Assistant on my laptop",
  store: { id: "store_0198f2c4d4e37f608a9b0c1d2e3f4a5d", name: "Lumen & Fern", role: "editor" },
  head: "svc_user_7Kd3",
  last_four: "pX2a",
  created_at: "2026-09-01T08:15:00.000Z",
  expires_at: "2026-11-30T08:15:00.000Z",
  last_used_at: "2026-09-14T18:21:00.000Z",
};

const own = { tag: "Account", scope: null } as const;

export const listTokens = operation({
  ...own,
  id: "listTokens",
  method: "GET",
  path: "/dashboard/api/me/tokens",
  summary: "Your personal tokens, newest first",
  description: "Expired ones for another 30 days; never their text.",
  access: { to: "person" },
  cost: "read",
  answer: { status: 200, shape: Type.Object({ data: Type.Array(personalToken) }), example: { data: [example] } },
});

export const createToken = operation({
  ...own,
  id: "createToken",
  method: "POST",
  path: "/dashboard/api/me/tokens",
  summary: "Make a personal token",
  description:
    "It opens /mcp, and under /dashboard/api the operations of /v1, in one store and with your rights there at the time. 409 for more than fifty.",
  access: { to: "person", confirmed: true },
  cost: "write",
  body: Type.Object(
    {
      name: Type.String({ minLength: 1, maxLength: 200 }),
      store_id: id("store", "One that you belong to"),
      expires_at: dateTime("In the future, at most 366 days ahead"),
    },
    strict,
  ),
  bodyExample: { name: example.name, store_id: example.store.id, expires_at: example.expires_at },
  answer: {
    status: 201,
    shape: newPersonalToken,
    example: { ...example, last_used_at: null, token: "svc_user_7Kd3mQ0vB6Zc1xW8sLk3Rt5Yp9Ad2EeHn4JpX2a" },
  },
  problems: ["conflict"],
});

export const revokeToken = operation({
  ...own,
  id: "revokeToken",
  method: "DELETE",
  path: "/dashboard/api/me/tokens/{token_id}",
  summary: "Revoke a personal token",
  description: "Requests with it are refused from now on.",
  access: { to: "person" },
  cost: "write",
  params: Type.Object({ token_id: id("tok") }),
  answer: { status: 204, shape: nothing, example: null },
});

export const personalTokenOperations = [listTokens, createToken, revokeToken] as const;
