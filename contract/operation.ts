import { type Static, type TObject, type TSchema, Type } from "typebox";
import type { ErrorTitle } from "./errors.ts";
import type { CostClass } from "./limits.ts";
import type { Scope } from "./scopes.ts";

/** One method on one path of `/v1`: the single source of validation, response filtering and the OpenAPI document. */
export interface Operation<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> {
  id: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** OpenAPI form: `/v1/quizzes/{quiz_id}` */
  path: string;
  tag: "Store" | "Quizzes" | "Analytics" | "People" | "Exports" | "Webhooks";
  summary: string;
  description?: string;
  /** null: any key */
  scope: Scope | null;
  cost: CostClass;
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
    /** the same shape with status 200, where what was asked for is there already */
    existing?: { description: string; example: Static<Answer> };
  };
  bodyExample?: unknown;
  /** refusals beyond those that every operation can answer */
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

/** Says that a field of a body, a query or an answer is deprecated, as an operation does for all of itself. */
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

/**
 * What its answers announce: its own deprecation, or the earliest dates of its fields' and every description of one.
 */
export function announcedDeprecation(operation: Operation): { since: number; sunset: number; links: string[] } | null {
  const all = operation.deprecated ? [operation.deprecated] : fieldDeprecations(operation);
  if (all.length === 0) return null;
  return {
    since: Math.min(...all.map(({ since }) => since)),
    sunset: Math.min(...all.map(({ sunset }) => sunset)),
    links: [...new Set(all.map(({ link }) => link))],
  };
}

/** Whether repeats of it can be told by a key [api.idempotency]. */
export const takesIdempotencyKey = ({ method, cost }: Operation): boolean => method === "POST" && cost === "write";

/** The shape of an answer without a body, with status 204. */
export const nothing = Type.Unsafe<null>({ type: "null" });

export const operation = <
  Params extends TObject = TObject<Record<never, never>>,
  Query extends TObject = TObject<Record<never, never>>,
  Body extends TSchema = TObject<Record<never, never>>,
  Answer extends TSchema = TSchema,
>(
  definition: Operation<Params, Query, Body, Answer>,
): Operation<Params, Query, Body, Answer> => definition;

/** Refusals that any operation can answer. */
export function commonProblems(operation: Operation): ErrorTitle[] {
  const titles: ErrorTitle[] = ["invalid_api_key"];
  if (!operation.openOnPausedPlan) titles.push("plan_required");
  if (operation.scope) titles.push("insufficient_scope");
  if (operation.params) titles.push("not_found");
  titles.push("validation_error", "rate_limited", "internal_error");
  if (operation.cost !== "read") titles.push("limiter_unavailable");
  titles.push("dependency_unavailable", "timeout");
  return titles;
}
