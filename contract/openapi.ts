import type { TSchema } from "typebox";
import { type ErrorTitle, errorKinds, problem } from "./errors.ts";
import { costs } from "./limits.ts";
import { describeEvents } from "./openapi-events.ts";
import {
  type ApiTag,
  announcedDeprecation,
  commonProblems,
  type DashboardTag,
  type Operation,
  takesIdempotencyKey,
} from "./operation.ts";
import { parameterExample } from "./parameter-examples.ts";
import { scopes } from "./scopes.ts";

/**
 * Builds the OpenAPI 3.1 document from the operations; `npm run openapi` writes it, and a test keeps the file up to
 * date.
 */

type Json = Record<string, unknown>;

/** Shapes with a title become components, so that generated clients name them. */
class Components {
  readonly schemas: Record<string, unknown> = {};

  reference(shape: TSchema): unknown {
    return this.#hoist(structuredClone(JSON.parse(JSON.stringify(shape))));
  }

  #hoist(node: unknown): unknown {
    if (Array.isArray(node)) return node.map((item) => this.#hoist(item));
    if (node === null || typeof node !== "object") return node;
    const { title, ...rest } = node as Json;
    const inner: Json = {};
    for (const [name, value] of Object.entries(rest)) {
      const literal = name === "example" || name === "enum" || name === "default";
      inner[name] = literal ? value : this.#hoist(value);
    }
    if (typeof title !== "string") return title === undefined ? inner : { title: this.#hoist(title), ...inner };
    const { type } = inner;
    if (Array.isArray(type)) {
      const other = type.find((each) => each !== "null");
      return { anyOf: [this.#named(title, { ...inner, type: other }), { type: "null" }] };
    }
    return this.#named(title, inner);
  }

  #named(title: string, schema: Json): Json {
    const { description, ...rest } = schema;
    this.schemas[title] ??= { title, ...rest };
    return { ...(description ? { description } : {}), $ref: `#/components/schemas/${title}` };
  }
}

const shown = (name: string, schema: TSchema): Json => {
  const example = parameterExample(name, schema);
  return example === undefined ? {} : { example };
};

const parameters = (operation: Operation, components: Components): Json[] => {
  const list: Json[] = [];
  for (const [name, schema] of Object.entries(operation.params?.properties ?? {})) {
    list.push({
      ...{ name, in: "path", required: true, ...shown(name, schema as TSchema) },
      schema: components.reference(schema as TSchema),
    });
  }
  const required = new Set((operation.query as { required?: string[] } | undefined)?.required ?? []);
  for (const [name, schema] of Object.entries(operation.query?.properties ?? {})) {
    const { description, ...rest } = schema as TSchema & { description?: string };
    list.push({
      name,
      in: "query",
      required: required.has(name),
      ...(description ? { description } : {}),
      ...shown(name, rest),
      schema: components.reference(rest as TSchema),
    });
  }
  if (operation.access?.to === "member") list.push({ $ref: "#/components/parameters/Store" });
  if (takesIdempotencyKey(operation)) list.push({ $ref: "#/components/parameters/IdempotencyKey" });
  if (operation.cost === "analytics") list.push({ $ref: "#/components/parameters/IfNoneMatch" });
  return list;
};

const header = (description: string, type = "string") => ({ description, schema: { type } });
const shared = (name: keyof typeof sharedHeaders): Json => ({ $ref: `#/components/headers/${name}` });

const rateHeaders: Json = { RateLimit: shared("RateLimit"), "RateLimit-Policy": shared("RateLimitPolicy") };

const deprecationHeaders = (operation: Operation): Json =>
  announcedDeprecation(operation) === null
    ? {}
    : {
        Deprecation: header("RFC 9745: @ and the Unix seconds since which it, or a field of it, is deprecated"),
        Sunset: header("RFC 8594: when what is deprecated may be gone"),
        Link: header('Where the replacement is described, with rel="deprecation"'),
      };

const answerHeaders = (operation: Operation): Json => ({
  "Request-Id": shared("RequestId"),
  ...rateHeaders,
  ...(operation.cost === "analytics" ? { ETag: shared("ETag") } : {}),
  ...(takesIdempotencyKey(operation) ? { "Idempotent-Replayed": shared("IdempotentReplayed") } : {}),
  ...(operation.answer.location ? { Location: header(operation.answer.location) } : {}),
  ...deprecationHeaders(operation),
});

/**
 * The headers of a refusal, which depend on when it happens [api.check-order]: limits are charged after 401 and 403.
 */
function refusalHeaders(operation: Operation, status: number): Json {
  // a 403 that depends on the body comes after the charge
  const charged = status !== 401 && (status !== 403 || (operation.body !== undefined && !operation.access));
  return {
    "Request-Id": shared("RequestId"),
    ...(charged ? rateHeaders : {}),
    ...(status === 401 && !operation.access ? { "WWW-Authenticate": shared("WWWAuthenticate") } : {}),
    ...(status === 429 || status === 503 ? { "Retry-After": shared("RetryAfter") } : {}),
    ...deprecationHeaders(operation),
  };
}

/** Whether an empty body, which is `{}`, lacks a required field. */
const demandsBody = ({ required = [] }: TSchema & { required?: string[] }): boolean => required.length > 0;

const responses = (operation: Operation, components: Components): Json => {
  const { status, shape, example, existing } = operation.answer;
  const answered = (description: string, shown: unknown): Json => ({
    description,
    headers: answerHeaders(operation),
    content: { "application/json": { schema: components.reference(shape), example: shown } },
  });
  const answers: Json =
    status === 204
      ? { 204: { description: operation.summary, headers: answerHeaders(operation) } }
      : { [status]: answered(operation.summary, example) };
  if (existing) answers["200"] = answered(existing.description, existing.example);
  if (operation.cost === "analytics") {
    answers["304"] = { description: "Unchanged; costs 1 unit, not 3", headers: answerHeaders(operation) };
  }
  const titles = [...commonProblems(operation), ...(operation.problems ?? [])];
  const byStatus = Map.groupBy(new Set(titles), (title: ErrorTitle) => errorKinds[title].status);
  for (const [code, group] of [...byStatus].sort(([a], [b]) => a - b)) {
    answers[code] = {
      description: group.map((title) => `${title}: ${errorKinds[title].detail}`).join("; "),
      "x-problems": group,
      headers: refusalHeaders(operation, code),
      content: { "application/problem+json": { schema: components.reference(problem) } },
    };
  }
  return answers;
};

function securityOf({ access, scope }: Operation): Json[] {
  if (access) return access.to === "anyone" ? [] : [{ session: [] }];
  return [{ apiKey: scope ? [scope] : [] }];
}

const describeOperation = (operation: Operation, components: Components): Json => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.description ? { description: operation.description } : {}),
  ...(operation.deprecated ? { deprecated: true } : {}),
  security: securityOf(operation),
  ...(operation.access ? { "x-access": operation.access } : {}),
  "x-cost-class": operation.cost,
  "x-cost-units": costs[operation.cost],
  parameters: parameters(operation, components),
  ...(operation.body
    ? {
        requestBody: {
          required: demandsBody(operation.body),
          content: {
            "application/json": {
              schema: components.reference(operation.body),
              ...(operation.bodyExample === undefined ? {} : { example: operation.bodyExample }),
            },
          },
        },
      }
    : {}),
  responses: responses(operation, components),
});

const sharedHeaders = {
  RequestId: { ...header("New for every request; quote it when you report a problem"), required: true },
  RateLimit: header(
    "limit, remaining and reset (seconds) of the key's bucket; on a 429 of the bucket that rejected. Absent where no bucket was asked",
  ),
  ETag: header("Changes exactly when the figures change or are recomputed"),
  RateLimitPolicy: header("The bucket's size and the seconds in which a full one drains; with RateLimit"),
  RetryAfter: { ...header("Seconds to wait, as retry_after in the body", "integer"), required: true },
  WWWAuthenticate: { ...header("Bearer"), required: true },
  IdempotentReplayed: header("true where the answer is that to an earlier request with the same Idempotency-Key"),
} as const;

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Repeats with the same key and body within 24 hours answer as the first did, with Idempotent-Replayed: true",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of an answer that the client holds; 304 without a body while it is the present one",
  schema: { type: "string", maxLength: 1024 },
};

const introduction = [
  "One store's quizzes, analytics, people, exports and webhooks.",
  "Every request carries an API key; every answer carries a Request-Id; every refusal is RFC 9457 problem details.",
  "Within v1 the API only grows: ignore fields you do not know.",
].join(" ");

/** The API's publisher and terms. */
export interface About {
  license: { name: string; url?: string; identifier?: string };
  contact?: { name?: string; email?: string; url?: string };
}

const tags: Record<ApiTag, string> = {
  Store: "The store behind the key: plan, limits, credits",
  Quizzes: "Quizzes, their versions and what is live",
  Analytics: "What shoppers did, in figures",
  People: "Who left a contact, and what they answered",
  Exports: "Files of people, responses and figures",
  Webhooks: "Endpoints, deliveries and the feed of events",
  Testing: "A store's test twin: its clock and its data",
};

function pathsOf(operations: readonly Operation[], components: Components): Record<string, Json> {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const method = { [operation.method.toLowerCase()]: describeOperation(operation, components) };
    paths[operation.path] = { ...paths[operation.path], ...method };
  }
  return paths;
}

/** Selects the shared headers or parameters that at least one operation refers to. */
const named = (paths: Record<string, Json>, kind: "headers" | "parameters", all: Readonly<Json>): Json => {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
};

const tagList = (described: Readonly<Record<string, string>>): Json[] =>
  Object.entries(described).map(([name, description]) => ({ name, description }));

export function openApiDocument(operations: readonly Operation[], about: About): Json {
  const components = new Components();
  const paths = pathsOf(operations, components);
  const scopeList = Object.entries(scopes).map(([name, allows]) => `${name}: ${allows}`);
  return {
    openapi: "3.1.0",
    info: { title: "Quiz Store API", version: "v1", description: introduction, ...about },
    servers: [{ url: "/" }],
    tags: tagList(tags),
    paths,
    webhooks: describeEvents((shape) => components.reference(shape)),
    components: {
      schemas: components.schemas,
      headers: named(paths, "headers", sharedHeaders),
      parameters: named(paths, "parameters", { IdempotencyKey: idempotencyKey, IfNoneMatch: ifNoneMatch }),
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description: `A key begins with svc_live_. ${scopeList.join(". ")}.`,
        },
      },
    },
  };
}

const storeHeader = {
  name: "Quizstore-Store",
  in: "header",
  required: false,
  description: "The store's id; may be left out by whoever belongs to one store alone",
  schema: { type: "string" },
};

const dashboardIntroduction = [
  "What the dashboard asks beyond /v1, for signed-in people (a cookie) in a store (a header).",
  "Every operation of /v1 answers them as well, under /dashboard/api/v1.",
  "It serves the dashboard of the same version, and changes with it; programs use /v1.",
].join(" ");

/** The document of the dashboard's own operations [dashboard-api.description]. */
export function dashboardDocument(
  operations: readonly Operation[],
  described: Readonly<Record<DashboardTag, string>>,
  about: About,
): Json {
  const components = new Components();
  const paths = pathsOf(operations, components);
  return {
    openapi: "3.1.0",
    info: { title: "Quiz Store dashboard", version: "1", description: dashboardIntroduction, ...about },
    servers: [{ url: "/" }],
    tags: tagList(described),
    paths,
    components: {
      schemas: components.schemas,
      headers: named(paths, "headers", sharedHeaders),
      parameters: named(paths, "parameters", { IdempotencyKey: idempotencyKey, Store: storeHeader }),
      securitySchemes: {
        session: {
          type: "apiKey",
          in: "cookie",
          name: "__Host-quizstore",
          description: "Of a person who signed in. Requests that change something come from the dashboard's own pages.",
        },
      },
    },
  };
}
