import { type Static, Type } from "typebox";

/** The API's errors [api.problems], and the page behind each `type` address [api.error-pages]. */

interface ErrorKind {
  status: number;
  /** one sentence for people, used as `detail` unless the code that refuses has a more specific one */
  detail: string;
  /** what went wrong, for the error's page */
  meaning: string;
  /** what to do about it, for the error's page */
  remedy: string;
}

export const errorKinds = {
  invalid_api_key: {
    status: 401,
    detail: "The API key is missing, malformed, revoked or expired",
    meaning: "The request carried no usable API key: it is missing, mistyped, revoked or past its expiry.",
    remedy:
      "Send the header Authorization: Bearer followed by a key that begins with svc_live_ or svc_test_. A lost key cannot be shown again: create a new one and revoke the old. Personal tokens, svc_user_, open /mcp and /dashboard/api/v1.",
  },
  not_signed_in: {
    status: 401,
    detail: "Nobody is signed in",
    meaning: "The request carried no session of the dashboard, or one that has ended.",
    remedy: "Sign in again. Programs use /v1 with an API key.",
  },
  sign_in_failed: {
    status: 401,
    detail: "Email, password or code is wrong",
    meaning:
      "What was given to sign in does not fit. Which part is wrong, and whether the address is known, is not told.",
    remedy: "Try again, or use a one-time link. After ten tries an account waits for a while.",
  },
  code_required: {
    status: 401,
    detail: "A code of the authenticator app is needed too",
    meaning: "Email and password, or the link, are right, and the person has set up an authenticator app.",
    remedy: "Send the same again with the app's code, or with a recovery code.",
  },
  plan_required: {
    status: 403,
    detail: "The store's plan does not include API access",
    meaning: "The key is genuine, but its store is on a plan without API access.",
    remedy: "Move the store to Plus or Enterprise. The change is seen within five minutes.",
  },
  insufficient_scope: {
    status: 403,
    detail: "The API key lacks a scope that this request needs",
    meaning: "The key was created without a scope that this route needs. The answer's required field names it.",
    remedy: "Create a key with the missing scopes and use it instead.",
  },
  insufficient_role: {
    status: 403,
    detail: "Your role in this store does not include this",
    meaning:
      "The signed-in person belongs to the store, but with a role that may not do this. The answer's required field names the roles that may.",
    remedy: "Ask an owner of the store, who can do it or give another role.",
  },
  test_key_required: {
    status: 403,
    detail: "This needs a key that begins with svc_test_",
    meaning: "The request is about a test twin's clock or data, and the key opens the store itself.",
    remedy: "Make a key of the test twin, by quizstore key create --test or in the dashboard, and use it instead.",
  },
  password_required: {
    status: 403,
    detail: "This needs your password again",
    meaning: "Keys, secrets and erasures ask for the password again when it was last given more than ten minutes ago.",
    remedy: "Give the password, then repeat the request.",
  },
  cross_site_request: {
    status: 403,
    detail: "This request did not come from the dashboard",
    meaning:
      "A request that changes something has to come from the dashboard's own pages: with Sec-Fetch-Site: same-origin, or with the dashboard's address as Origin.",
    remedy: "Use the dashboard. Programs use /v1 with an API key.",
  },
  not_found: {
    status: 404,
    detail: "Not found",
    meaning:
      "Nothing with this address exists for the key's store. Ids of another store, of another kind, of deleted quizzes, removed people and expired exports all answer alike.",
    remedy: "Check the path and the id, and that the key belongs to the store that owns it.",
  },
  method_not_allowed: {
    status: 405,
    detail: "This address does not take this method",
    meaning: "The path exists, but not with this HTTP method. The Allow header lists the methods that it takes.",
    remedy: "Use one of the methods in the Allow header.",
  },
  conflict: {
    status: 409,
    detail: "The resource is not in a state that allows this",
    meaning: "The resource's present state rules the request out, such as publishing a version without pages.",
    remedy: "Read the resource again and change what stands in the way.",
  },
  ai_run_in_progress: {
    status: 409,
    detail: "The AI assistant is editing this quiz; try again later",
    meaning: "The AI assistant is editing the quiz, so its state must not be changed from outside for the moment.",
    remedy: "Repeat the request later; a run ends within ten minutes of its last sign of life.",
  },
  last_owner: {
    status: 409,
    detail: "The store would be left without an owner",
    meaning: "The person is the only owner of the store who can sign in.",
    remedy: "Make somebody else an owner first.",
  },
  endpoint_limit: {
    status: 409,
    detail: "The store has as many webhook endpoints as its plan allows",
    meaning: "The plan's number of webhook endpoints is reached.",
    remedy: "Delete an endpoint that is no longer needed, or move to a larger plan.",
  },
  webhook_conflict: {
    status: 409,
    detail: "The webhook endpoint is not in a state that allows this",
    meaning:
      "An endpoint with this address exists with another configuration, or the delivery or endpoint is in a state that rules the request out.",
    remedy: "Read the endpoint and its deliveries, then update it rather than creating it again.",
  },
  link_gone: {
    status: 410,
    detail: "This link was used already, was withdrawn, or has expired",
    meaning: "A one-time link is used once, and for a while only.",
    remedy: "Ask for a new one.",
  },
  draft_changed: {
    status: 412,
    detail: "Somebody else has changed this draft; nothing was overwritten",
    meaning:
      "The draft is not the one that If-Match names: somebody has changed it since it was read. The answer's draft field says who and when.",
    remedy: "Read the draft again, bring both changes together, and send them with its new ETag.",
  },
  if_match_required: {
    status: 428,
    detail: "If-Match must name the draft that is changed",
    meaning: "The request changes a draft without saying which one, so that it could overwrite what somebody else did.",
    remedy: "Read the draft, and send its ETag as If-Match.",
  },
  range_not_satisfiable: {
    status: 416,
    detail: "The file ends before the range that was asked for",
    meaning: "A part of an export's file was asked for that lies behind the file's end.",
    remedy: "The Content-Range header says how many bytes the file has; ask for bytes before that, or for all of it.",
  },
  validation_error: {
    status: 422,
    detail: "The request is not valid",
    meaning:
      "A parameter, a header or a field of the body was refused. The answer's errors list names each by its path.",
    remedy: "Mend the named fields. Parameters that a route does not declare are refused, never ignored.",
  },
  webhook_url_unsafe: {
    status: 422,
    detail: "The webhook address is not a public https address",
    meaning: "Webhooks are sent to public https addresses only.",
    remedy: "Use an https address whose host resolves to public addresses.",
  },
  webhook_pii_required: {
    status: 422,
    detail: "This topic needs an endpoint with include_pii",
    meaning: "identity.captured carries a contact detail, so that only endpoints with include_pii can subscribe to it.",
    remedy: "Create or update the endpoint with include_pii set to true, with a key that carries profiles:read.",
  },
  rate_limited: {
    status: 429,
    detail: "Too many requests; wait before the next one",
    meaning: "The key's or the store's bucket is full, or all of the store's search slots are taken.",
    remedy: "Wait as many seconds as the Retry-After header says, then repeat the request.",
  },
  internal_error: {
    status: 500,
    detail: "Something went wrong on our side",
    meaning: "The service failed in a way that it did not foresee. The failure is logged under the request id.",
    remedy: "Repeating rarely helps. Report the request id.",
  },
  upstream_error: {
    status: 502,
    detail: "A service that this one depends on failed; try again shortly",
    meaning: "A dependent service answered with a failure.",
    remedy: "Repeat the request after a pause.",
  },
  limiter_unavailable: {
    status: 503,
    detail: "Rate limits cannot be checked at the moment",
    meaning: "Limits could not be checked, so writes, searches and analytics are held back. Reads are admitted.",
    remedy: "Wait as many seconds as the Retry-After header says, then repeat the request.",
  },
  dependency_unavailable: {
    status: 503,
    detail: "A service that this one depends on is temporarily unavailable",
    meaning: "A backing service, such as the database, is temporarily out of reach.",
    remedy: "Wait as many seconds as the Retry-After header says, then repeat the request.",
  },
  timeout: {
    status: 504,
    detail: "The request ran longer than 30 seconds",
    meaning: "The request was stopped after 30 seconds; nothing goes on behind it.",
    remedy: "Ask for less at once. Before repeating a write, read the resource to see whether it took effect.",
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorTitle = keyof typeof errorKinds;
export const errorTitles = Object.keys(errorKinds) as ErrorTitle[];

export const fieldError = Type.Object(
  {
    field: Type.String({ description: "Dotted path, such as body.label or query.from" }),
    message: Type.String(),
  },
  { title: "FieldError" },
);
export type FieldError = Static<typeof fieldError>;

/** The body of every answer outside 2xx and 304 (RFC 9457). */
export const problem = Type.Object(
  {
    type: Type.String({ format: "uri", description: "Stable address; answers a page about the error" }),
    title: Type.String({ description: "Machine code to branch on" }),
    detail: Type.String({ description: "For people; may change" }),
    status: Type.Integer({ description: "Repeats the HTTP status" }),
    request_id: Type.String({ description: "Repeats the Request-Id header" }),
    required: Type.Optional(Type.Array(Type.String(), { description: "Missing scopes, or the roles that may" })),
    retry_after: Type.Optional(Type.Integer({ description: "Seconds; on 429 and 503" })),
    errors: Type.Optional(Type.Array(fieldError, { description: "What was refused, field by field" })),
    max_days: Type.Optional(Type.Integer({ description: "Longest range, in days" })),
    filter: Type.Optional(Type.String({ description: "The refused analytics filter" })),
    value: Type.Optional(Type.String({ description: "The refused filter's value" })),
    draft: Type.Optional(
      Type.Object(
        {
          revision: Type.Integer(),
          saved_at: Type.String(),
          saved_by: Type.Unsafe<string | null>({ type: ["string", "null"] }),
        },
        { description: "The draft as it is now: who changed it last, and when" },
      ),
    ),
    assistant: Type.Optional(
      Type.Object(
        { holder: Type.String(), started_at: Type.String(), expires_at: Type.String() },
        { description: "The AI assistant's run on the quiz" },
      ),
    ),
    export: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: "An export request for the same people" }),
    ),
  },
  { title: "Problem", description: "RFC 9457 problem details" },
);
export type ProblemBody = Static<typeof problem>;
