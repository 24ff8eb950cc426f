import { type Static, type TObject, type TSchema, Type } from "typebox";
import type { ErrorTitle } from "./errors.ts";
import type { CostClass } from "./limits.ts";
import type { Role } from "./roles.ts";
import type { Scope } from "./scopes.ts";

export type ApiTag = "Store" | "Quizzes" | "Analytics" | "People" | "Exports" | "Webhooks" | "Testing";

/** For the dashboard's own operations; `contract/dashboard/index.ts` describes them. */
export type DashboardTag =
  | "Signing in"
  | "Account"
  | "Members"
  | "Home"
  | "Settings"
  | "Keys"
  | "Commerce"
  | "Editor"
  | "Shoppers"
  | "Deliveries"
  | "Operator";

/**
 * Who may call an operation that only the dashboard has [dashboard-api.access]. `confirmed`: only within ten minutes of
 * entering the password.
 */
export type Access =
  | { to: "anyone" }
  | { to: "person"; confirmed?: true }
  | { to: "operator"; confirmed?: true }
  /** the minimum role in the store that the request names; `scope` is required as well */
  | { to: "member"; role: Role; confirmed?: true };

/**
 * One method on one path, of `/v1` or of the dashboard: the single source of validation, response filtering and the
 * OpenAPI document.
 */
export interface Operation<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> {
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** in OpenAPI's form: `/v1/quizzes/{quiz_id}` */
  path: string;
  tag: ApiTag | DashboardTag;
  summary: string;
  description?: string;
  /** null: any key */
  scope: Scope | null;
  cost: CostClass;
  /** for the dashboard's own operations; absent: `/v1`, for keys, and for members by their role's scopes */
  access?: Access;
  /** shows or changes a secret: people enter their password again, as for `confirmed`; no personal token does it */
  secret?: true;
  /**
   * the field of the answer that shows a secret, of an operation that does more: people enter their password again, and
   * personal tokens get an answer without it
   */
  secretField?: string;
  /** for test twins only, and so only for keys [test-stores.keys] */
  ofTestStores?: true;
  /** one of the two reads that a paused plan keeps */
  openOnPausedPlan?: true;
  params?: Params;
  query?: Query;
  /** absent: the route takes no body (an empty one or `{}` only) */
  body?: Body;
  answer: {
    status: 200 | 201 | 202 | 204;
    shape: Answer;
    location?: string;
    example: Static<Answer>;
    /** the same shape with status 200, if the requested thing exists already */
    existing?: { description: string; example: Static<Answer> };
  };
  bodyExample?: unknown;
  /** problems in addition to those of every operation */
  problems?: readonly ErrorTitle[];
  deprecated?: Deprecation;
}

/** RFC 9745 and RFC 8594 [api.deprecation]: both in Unix seconds, at least 90 days apart. */
export interface Deprecation {
  since: number;
  sunset: number;
  /** where the replacement is described */
  link: string;
}

/** Marks a field of a body, a query or an answer as deprecated, as an operation can be as a whole. */
export const deprecatedField = <Shape extends TSchema>(shape: Shape, deprecation: Deprecation): Shape => ({
  ...shape,
  deprecated: true,
  "x-deprecation": deprecation,
});

/** The deprecations of an operation's fields, at any depth. */
export function fieldDeprecations({ query, body, answer }: Operation): Deprecation[] {
  const found = new Map<string, Deprecation>();
  const open: unknown[] = [query, body, answer.shape];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    const { "x-deprecation": deprecation, ...inner } = next as Record<string, unknown>;
    // only `deprecatedField` writes it
    if (deprecation !== undefined) found.set(JSON.stringify(deprecation), deprecation as Deprecation);
    open.push(...Object.values(inner));
  }
  return [...found.values()];
}

/** The deprecation in the headers of its answers: its own, or the earliest dates of its fields' and all their links. */
export function announcedDeprecation(operation: Operation): { since: number; sunset: number; links: string[] } | null {
  const all = operation.deprecated ? [operation.deprecated] : fieldDeprecations(operation);
  if (all.length === 0) return null;
  return {
    since: Math.min(...all.map(({ since }) => since)),
    sunset: Math.min(...all.map(({ sunset }) => sunset)),
    links: [...new Set(all.map(({ link }) => link))],
  };
}

/** Whether it takes an idempotency key [api.idempotency]: keys are stored per store, so it must be about one. */
export const takesIdempotencyKey = ({ method, cost, access }: Operation): boolean =>
  method === "POST" && cost === "write" && (access === undefined || access.to === "member");

/** The shape of an empty answer, with status 204. */
export const nothing = Type.Unsafe<null>({ type: "null" });

export const operation = <
  Params extends TObject = TObject<Record<never, never>>,
  Query extends TObject = TObject<Record<never, never>>,
  Body extends TSchema = TObject<Record<never, never>>,
  Answer extends TSchema = TSchema,
>(
  definition: Operation<Params, Query, Body, Answer>,
): Operation<Params, Query, Body, Answer> => definition;

/** Problems that any operation can answer with. */
export function commonProblems(operation: Operation): ErrorTitle[] {
  if (operation.access) return [...personProblems(operation, operation.access), ...laterProblems(operation)];
  const titles: ErrorTitle[] = ["invalid_api_key"];
  if (!operation.openOnPausedPlan) titles.push("plan_required");
  if (operation.scope) titles.push("insufficient_scope");
  if (operation.ofTestStores) titles.push("test_key_required");
  return [...titles, ...laterProblems(operation)];
}

/** Problems of the access check for people. */
function personProblems(operation: Operation, access: Access): ErrorTitle[] {
  const titles: ErrorTitle[] = operation.method === "GET" ? [] : ["cross_site_request"];
  if (access.to === "anyone") return titles;
  titles.push("not_signed_in");
  if (access.to !== "person") titles.push("insufficient_role");
  if (access.to === "member") titles.push("not_found");
  if (access.confirmed) titles.push("password_required");
  return titles;
}

function laterProblems(operation: Operation): ErrorTitle[] {
  const titles: ErrorTitle[] = [];
  if (operation.params) titles.push("not_found");
  titles.push("validation_error", "rate_limited", "internal_error");
  if (operation.cost !== "read") titles.push("limiter_unavailable");
  titles.push("dependency_unavailable", "timeout");
  return titles;
}
