import { type Static, Type } from "typebox";
import { count, dateTime, described, id, nullable, oneOf, strict } from "./common.ts";
import { plans } from "./limits.ts";
import { email, name, role } from "./members.ts";
import { nothing, operation } from "./operation.ts";

/** People who sign in to the dashboard, and who may do what in a store; docs/rules/accounts.md. */

const longestSentPassword = 1_000;

const token = Type.String({ minLength: 1, maxLength: 100, description: "The last part of the link's address" });
const code = Type.String({ minLength: 6, maxLength: 20, description: "Of the authenticator app, or a recovery code" });
/** bounded, so that hashing a guess has a bounded cost */
const sentPassword = Type.String({ minLength: 1, maxLength: longestSentPassword });
const newPassword = Type.String({ minLength: 12, maxLength: 200, description: "At least 12 characters" });

const person = Type.Object(
  {
    id: id("user"),
    email,
    name,
    operator: Type.Boolean({ description: "Sees every store, and makes new ones" }),
    has_password: Type.Boolean(),
    totp: Type.Boolean({ description: "Whether a code is asked for at sign-in" }),
    recovery_codes_left: count(),
    created_at: dateTime(),
  },
  { title: "Person" },
);

const memberStore = Type.Object({
  id: id("store"),
  name: Type.String(),
  role,
  currency: Type.String({ description: "ISO 4217 code" }),
  timezone: Type.String({ description: "IANA name" }),
  plan: oneOf(plans),
});

const me = Type.Object(
  {
    person,
    session: Type.Object({
      id: id("ses"),
      confirmed_at: dateTime("When a password, a code or a link was last given"),
      confirmed_until: dateTime("Until then keys, secrets and erasures ask for nothing more"),
      expires_at: dateTime("The session ends then at the latest"),
    }),
    stores: Type.Array(memberStore, { description: "Those that the person belongs to, by name" }),
  },
  { title: "Me" },
);
export type Me = Static<typeof me>;

const meExample: Me = {
  person: {
    id: "user_0198f2c4d4e37f608a9b0c1d2e3f4a5b",
    email: "ada@example.com",
    name: "Ada",
    operator: false,
    has_password: true,
    totp: false,
    recovery_codes_left: 0,
    created_at: "2026-09-01T08:15:00.000Z",
  },
  session: {
    id: "ses_0198f2c4d4e37f608a9b0c1d2e3f4a5c",
    confirmed_at: "2026-09-01T08:15:00.000Z",
    confirmed_until: "2026-09-01T08:25:00.000Z",
    expires_at: "2026-10-01T08:15:00.000Z",
  },
  stores: [
    {
      id: "store_0198f2c4d4e37f608a9b0c1d2e3f4a5d",
      name: "Lumen & Fern",
      role: "owner",
      currency: "USD",
      timezone: "America/New_York",
      plan: "plus",
    },
  ],
};
const meAnswer = { status: 200, shape: me, example: meExample } as const;

const open = { tag: "Signing in", scope: null, access: { to: "anyone" } } as const;
const own = { tag: "Account", scope: null, access: { to: "person" } } as const;
const confirmed = { tag: "Account", scope: null, access: { to: "person", confirmed: true } } as const;

export const signIn = operation({
  ...open,
  id: "signIn",
  method: "POST",
  path: "/dashboard/api/sign-in",
  summary: "Sign in by email and password",
  description: "Sets the session's cookie. A wrong password and an unknown address are answered alike.",
  cost: "write",
  body: Type.Object({ email, password: sentPassword, code: Type.Optional(code) }, strict),
  bodyExample: { email: "ada@example.com", password: "a long pass phrase" },
  answer: meAnswer,
  problems: ["sign_in_failed", "code_required"],
});

export const getSignInOptions = operation({
  ...open,
  id: "getSignInOptions",
  method: "GET",
  path: "/dashboard/api/sign-in/options",
  summary: "How people can sign in here",
  cost: "read",
  answer: {
    status: 200,
    shape: Type.Object({
      oidc: nullable(
        Type.Object({ name: Type.String(), url: Type.String({ description: "A link that leads there and back" }) }),
      ),
      mail: Type.Boolean({ description: "Whether a one-time link can be mailed" }),
    }),
    example: { oidc: { name: "Example SSO", url: "/dashboard/api/oidc/start" }, mail: true },
  },
});

const linkInfo = Type.Object(
  {
    kind: oneOf(["sign_in", "invitation"]),
    email,
    store: nullable(Type.Object({ id: id("store"), name: Type.String() })),
    role: nullable(role),
    operator: Type.Boolean({ description: "An invitation to be an operator" }),
    invited_by: nullable(Type.String({ description: "Address of whoever invites; null: an operator" })),
    expires_at: dateTime(),
    needs: described(
      "code: of the authenticator app; sign_in: the account exists, so its person signs in first and comes back",
      oneOf(["nothing", "code", "sign_in"]),
    ),
    new_account: Type.Boolean({ description: "Using it makes the account: a name and a password may be given" }),
  },
  { title: "Link" },
);
export type LinkInfo = Static<typeof linkInfo>;

export const getLink = operation({
  ...open,
  id: "getLink",
  method: "GET",
  path: "/dashboard/api/links/{token}",
  summary: "What a one-time link is for",
  description: "Uses nothing up, however often it is asked.",
  cost: "read",
  params: Type.Object({ token }),
  answer: {
    status: 200,
    shape: linkInfo,
    example: {
      kind: "invitation",
      email: "ada@example.com",
      store: { id: "store_0198f2c4d4e37f608a9b0c1d2e3f4a5d", name: "Lumen & Fern" },
      role: "editor",
      operator: false,
      invited_by: "grace@example.com",
      expires_at: "2026-09-08T08:15:00.000Z",
      needs: "nothing",
      new_account: true,
    },
  },
  problems: ["link_gone"],
});

export const acceptLink = operation({
  ...open,
  id: "acceptLink",
  method: "POST",
  path: "/dashboard/api/links/use",
  summary: "Use a one-time link: sign in, or accept an invitation",
  description: "Sets the session's cookie. A link is used once.",
  cost: "write",
  body: Type.Object(
    { token, code: Type.Optional(code), name: Type.Optional(name), password: Type.Optional(newPassword) },
    strict,
  ),
  bodyExample: { token: "mCq7ZPzRxkqFhOT0zXG2cVb8mJb0aXQkWv9b7T3dC0E" },
  answer: meAnswer,
  problems: ["link_gone", "sign_in_failed", "code_required", "not_signed_in", "not_found"],
});

export const mailLink = operation({
  ...open,
  id: "mailLink",
  method: "POST",
  path: "/dashboard/api/links/mail",
  summary: "Mail a one-time link that signs in",
  description: "Answers the same whether the address is known or not. 409 where this service sends no mail.",
  cost: "write",
  body: Type.Object({ email }, strict),
  bodyExample: { email: "ada@example.com" },
  answer: { status: 202, shape: Type.Object({ sent: Type.Boolean() }), example: { sent: true } },
  problems: ["conflict"],
});

export const getMe = operation({
  ...own,
  id: "getMe",
  method: "GET",
  path: "/dashboard/api/me",
  summary: "Who is signed in, and to which stores they belong",
  cost: "read",
  answer: meAnswer,
});

export const updateMe = operation({
  ...own,
  id: "updateMe",
  method: "PATCH",
  path: "/dashboard/api/me",
  summary: "Change your name",
  cost: "write",
  body: Type.Object({ name }, strict),
  bodyExample: { name: "Ada" },
  answer: meAnswer,
});

export const signOut = operation({
  ...own,
  id: "signOut",
  method: "POST",
  path: "/dashboard/api/sign-out",
  summary: "Sign out of this browser",
  cost: "write",
  answer: { status: 204, shape: nothing, example: null },
});

export const confirmMe = operation({
  ...own,
  id: "confirmMe",
  method: "POST",
  path: "/dashboard/api/confirm",
  summary: "Give the password again, or a code where there is no password",
  description: "Sets a new cookie; what asked for it can be repeated for ten minutes.",
  cost: "write",
  body: Type.Object({ password: Type.Optional(sentPassword), code: Type.Optional(code) }, strict),
  bodyExample: { password: "a long pass phrase" },
  answer: meAnswer,
  problems: ["sign_in_failed"],
});

export const setPassword = operation({
  ...confirmed,
  id: "setPassword",
  method: "POST",
  path: "/dashboard/api/me/password",
  summary: "Set or change your password",
  description: "Ends every other session, and sets a new cookie.",
  cost: "write",
  body: Type.Object({ password: newPassword }, strict),
  bodyExample: { password: "a long pass phrase" },
  answer: meAnswer,
});

export const beginTotp = operation({
  ...confirmed,
  id: "beginTotp",
  method: "POST",
  path: "/dashboard/api/me/totp",
  summary: "Begin with an authenticator app",
  description: "Nothing is asked for until a first code was given.",
  cost: "write",
  answer: {
    status: 200,
    shape: Type.Object({
      secret: Type.String({ description: "To be typed into the app" }),
      uri: Type.String({ description: "otpauth: address, to be shown as a QR code" }),
    }),
    example: {
      secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
      uri: "otpauth://totp/Quiz%20Store:ada%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Quiz%20Store",
    },
  },
  problems: ["conflict"],
});

export const confirmTotp = operation({
  ...own,
  id: "confirmTotp",
  method: "POST",
  path: "/dashboard/api/me/totp/confirm",
  summary: "Give the app's first code; from then on codes are asked for",
  description: "Answers ten recovery codes, once. Sets a new cookie and ends every other session.",
  cost: "write",
  body: Type.Object({ code }, strict),
  bodyExample: { code: "123456" },
  answer: {
    status: 200,
    shape: Type.Object({ recovery_codes: Type.Array(Type.String()) }),
    example: { recovery_codes: ["k7m2p-x4hqd", "a9c3r-w6ztb"] },
  },
  problems: ["sign_in_failed", "conflict"],
});

export const removeTotp = operation({
  ...confirmed,
  id: "removeTotp",
  method: "DELETE",
  path: "/dashboard/api/me/totp",
  summary: "Go on without the authenticator app",
  description: "Sets a new cookie.",
  cost: "write",
  answer: meAnswer,
});

const session = Type.Object(
  {
    id: id("ses"),
    current: Type.Boolean({ description: "The one that asks" }),
    created_at: dateTime(),
    used_at: dateTime("To the minute"),
    expires_at: dateTime(),
    user_agent: Type.String(),
    address: Type.String({ description: "Where it began" }),
  },
  { title: "Session" },
);

export const listSessions = operation({
  ...own,
  id: "listSessions",
  method: "GET",
  path: "/dashboard/api/me/sessions",
  summary: "Where you are signed in, the last used first",
  cost: "read",
  answer: {
    status: 200,
    shape: Type.Object({ data: Type.Array(session) }),
    example: {
      data: [
        {
          id: "ses_0198f2c4d4e37f608a9b0c1d2e3f4a5c",
          current: true,
          created_at: "2026-09-01T08:15:00.000Z",
          used_at: "2026-09-01T09:00:00.000Z",
          expires_at: "2026-10-01T08:15:00.000Z",
          user_agent: "Mozilla/5.0",
          address: "203.0.113.7",
        },
      ],
    },
  },
});

export const endSession = operation({
  ...own,
  id: "endSession",
  method: "DELETE",
  path: "/dashboard/api/me/sessions/{session_id}",
  summary: "Sign out somewhere",
  cost: "write",
  params: Type.Object({ session_id: id("ses") }),
  answer: { status: 204, shape: nothing, example: null },
});

export const endAllSessions = operation({
  ...own,
  id: "endAllSessions",
  method: "DELETE",
  path: "/dashboard/api/me/sessions",
  summary: "Sign out everywhere",
  description: "This session ends too, but with keep_this.",
  cost: "write",
  query: Type.Object({ keep_this: Type.Optional(Type.Boolean({ default: false })) }),
  answer: { status: 204, shape: nothing, example: null },
});

export const accountOperations = [
  signIn,
  getSignInOptions,
  getLink,
  acceptLink,
  mailLink,
  getMe,
  updateMe,
  signOut,
  confirmMe,
  setPassword,
  beginTotp,
  confirmTotp,
  removeTotp,
  listSessions,
  endSession,
  endAllSessions,
] as const;
