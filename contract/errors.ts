import { type Static, Type } from "typebox";

/** What the API refuses with [api.problems], and the page that each `type` address answers [api.error-pages]. */

interface ErrorKind {
  status: number;
  /** one sentence for people, used as `detail` when the place that refuses has nothing better to say */
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
      "Send the header Authorization: Bearer followed by a key that begins with svc_live_. A lost key cannot be shown again: create a new one and revoke the old.",
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
    required: Type.Optional(Type.Array(Type.String(), { description: "Missing scopes" })),
    retry_after: Type.Optional(Type.Integer({ description: "Seconds; on 429 and 503" })),
    errors: Type.Optional(Type.Array(fieldError, { description: "What was refused, field by field" })),
    max_days: Type.Optional(Type.Integer({ description: "Longest range, in days" })),
    filter: Type.Optional(Type.String({ description: "The refused analytics filter" })),
    value: Type.Optional(Type.String({ description: "The refused filter's value" })),
    export: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: "An export request for the same people" }),
    ),
  },
  { title: "Problem", description: "RFC 9457 problem details" },
);
export type ProblemBody = Static<typeof problem>;
