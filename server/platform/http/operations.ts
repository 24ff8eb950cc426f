import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Static, TObject, TSchema } from "typebox";
import type { FieldError } from "../../../contract/errors.ts";
import { announcedDeprecation, type Operation, takesIdempotencyKey } from "../../../contract/operation.ts";
import { firstPage } from "../../../contract/parameter-examples.ts";
import type { Authenticate, Caller } from "../caller.ts";
import type { Database } from "../database/database.ts";
import type { StoreRunner, StoreTransaction } from "../database/sql.ts";
import type { Deadline } from "../deadline.ts";
import type { Limiter } from "../limiter/types.ts";
import { outcomeOf } from "../outcome.ts";
import { invalidFields, notFound, Problem } from "../problems.ts";
import { assertRights, assertScope } from "../scopes.ts";
import type { StoreCalendars } from "../store-calendars.ts";
import { bookSurcharge, charge } from "./charges.ts";
import { ifNoneMatchErrors, matchesTag, Tagged } from "./etag.ts";
import { type IdempotencyStore, idempotencyKey, idempotencyKeyErrors, type StoredAnswer } from "./idempotency.ts";
import { type AssertUnchanged, asTheyAre, checkedAgain, type RightsNow, shownTo, unchanged } from "./rights.ts";
import { compileCheck, compileQueryCheck, newValidator } from "./shapes.ts";

/**
 * Registers the contract's operations: who may call them, at what cost, with what input, and what an answer may contain
 * [api.check-order].
 */

export interface Input<Op extends Operation> {
  requestId: string;
  deadline: Deadline;
  /** the client's address, as far as proxies are trusted */
  address: string;
  headers: IncomingHttpHeaders;
  params: Record<string, string>;
  query: Op extends Operation<TObject, infer Query extends TObject> ? Static<Query> : never;
  body: Op extends Operation<TObject, TObject, infer Body extends TSchema> ? Static<Body> : never;
}

/** A request about one store. */
export interface Request<Op extends Operation> extends Input<Op> {
  caller: Caller;
  /** for a change that ends the caller's own rights, which nobody can look at behind it */
  assertUnchanged: AssertUnchanged;
}

export type AnswerOf<Op extends Operation> = Static<Op["answer"]["shape"]>;

/** What the audit log records about a change. */
export interface Audited {
  action: string;
  /** public id of the changed thing */
  target?: string;
  details?: Readonly<Record<string, unknown>>;
}

export interface Answer<Body> {
  body: Body;
  /** the requested thing existed already: 200 instead of the operation's own status */
  existing?: boolean;
  /** path of the created thing, sent as an absolute `Location` */
  location?: string;
  /** only for this answer: a repeat answered from storage does not have them */
  headers?: Readonly<Record<string, string | string[]>>;
  /** Runs after the commit; its body is sent instead of `body`, which a repeat is answered with. */
  committed?: () => Promise<Body>;
  /** `assertUnchanged` was called before the change, under the lock of whoever changes rights */
  rightsChecked?: boolean;
  /** further details for the audit log; never a secret */
  details?: Readonly<Record<string, unknown>>;
  /** entries for the audit log, if they depend on more than the operation; empty: nothing changed */
  audit?: readonly Audited[];
}

export interface Route {
  operation: Operation;
  read?: (request: Request<Operation>, db: StoreRunner) => Promise<unknown>;
  /**
   * Runs before the transaction of `write`, which receives its result. A transaction of its own ends with the check.
   */
  prepare?: (request: Request<Operation>) => Promise<unknown>;
  write?: (request: Request<Operation>, tx: StoreTransaction, prepared: unknown) => Promise<Answer<unknown>>;
  /**
   * Throws if the caller may not do this [api.body-scopes]. `write` checks it too, in order among other refusals; but a
   * repeat is answered without `write` [api.idempotency-kept], and its caller may differ from the one whose request was
   * performed. `answered`: what the repeat would be answered.
   */
  assertMay?: (request: Request<Operation>, answered: unknown) => void;
}

/**
 * A route that reads its caller's store, each statement on any free connection [api.one-store]. A `Tagged` answer gets
 * an ETag, and may be a 304.
 */
export const readRoute = <Op extends Operation>(
  operation: Op,
  read: (request: Request<Op>, db: StoreRunner) => Promise<AnswerOf<Op> | Tagged<AnswerOf<Op>>>,
): Route => ({ operation, read: read as NonNullable<Route["read"]> });

/** A route that changes something in one transaction, including the answer for repeats [api.idempotency]. */
export const writeRoute = <Op extends Operation>(
  operation: Op,
  write: (request: Request<Op>, tx: StoreTransaction) => Promise<Answer<AnswerOf<Op>>>,
  assertMay?: AssertMay<Op>,
): Route => ({ operation, write: write as NonNullable<Route["write"]>, ...asked(assertMay) });

type AssertMay<Op extends Operation> = (request: Request<Op>, answered: AnswerOf<Op>) => void;

const asked = <Op extends Operation>(assertMay?: AssertMay<Op>): Pick<Route, "assertMay"> =>
  assertMay ? { assertMay: assertMay as NonNullable<Route["assertMay"]> } : {};

/**
 * A write that first calls another service, such as the DNS resolver: `prepare` runs before the transaction, so that no
 * lock and no connection waits for others. If it fails, nothing is done; but a request that was already performed with
 * the same key still gets its answer [api.idempotency].
 */
export const preparedWriteRoute = <Op extends Operation, Prepared>(
  operation: Op,
  prepare: (request: Request<Op>) => Promise<Prepared>,
  write: (request: Request<Op>, tx: StoreTransaction, prepared: Prepared) => Promise<Answer<AnswerOf<Op>>>,
  assertMay?: AssertMay<Op>,
): Route => ({
  operation,
  ...asked(assertMay),
  prepare: prepare as NonNullable<Route["prepare"]>,
  write: write as NonNullable<Route["write"]>,
});

export interface AnswerDeps {
  limiter: Limiter;
  database: Database;
  idempotency: IdempotencyStore;
  rightsNow: RightsNow;
  baseUrl: string;
  /** for stores with a calendar of their own */
  calendars?: StoreCalendars;
  /** in tests, every answer is checked against its shape before it is filtered */
  checkAnswers?: boolean;
  /** records a person's change, in the same transaction [dashboard-api.audit] */
  audit?: (
    tx: StoreTransaction,
    request: Request<Operation>,
    operation: Operation,
    made: Answer<unknown>,
  ) => Promise<void>;
}

export interface OperationDeps extends AnswerDeps {
  authenticate: Authenticate;
}

declare module "fastify" {
  interface FastifyRequest {
    caller: Caller | null;
  }
}

export function registerOperations(app: FastifyInstance, routes: readonly Route[], services: OperationDeps): void {
  app.decorateRequest("caller", null);
  for (const route of routes) {
    registerRoute(app, route, services, (request) =>
      services.authenticate(request.headers.authorization, request.deadline),
    );
  }
}

/** Identifies the caller, or throws a refusal. */
export type Identify = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>;

/** Registers a route about a store, at its operation's path or another one. */
export function registerRoute(
  app: FastifyInstance,
  route: Route,
  services: AnswerDeps,
  identify: Identify,
  path = route.operation.path,
): void {
  const { operation } = route;
  const readInput = inputReader(operation);
  const deprecated = deprecationHeaders(operation);
  const checkAnswer = services.checkAnswers ? answerChecker(operation) : null;
  app.route({
    ...addressed(operation, path),
    onRequest: async (request, reply) => {
      if (route.read) request.onlyReads = true;
      reply.headers(deprecated);
      await admit(operation, request, reply, services.limiter, identify);
    },
    handler: async (request, reply) => {
      const { caller } = request;
      if (!caller) throw new Error("a request reached its route without a caller");
      const assertUnchanged = unchanged(caller, services.rightsNow);
      const input = { ...readInput(request), caller, assertUnchanged };
      const work = () => answer(route, input, request, reply, services);
      const body = await (services.calendars?.within(caller.store, work) ?? work());
      if (reply.statusCode === 304) return reply.send();
      checkAnswer?.(body);
      if (reply.statusCode === 204) return reply.send();
      if (operation.cost === "analytics") await bookSurcharge(services.limiter, caller, reply);
      return body;
    },
  });
}

/** An operation's address, and the serializer of its answers. */
export const addressed = (operation: Operation, path = operation.path) => ({
  method: operation.method,
  url: path.replaceAll(/\{([a-z_]+)\}/g, ":$1"),
  config: { nul: operation.cost === "search" },
  preSerialization: writeAs(operation.answer.shape),
});

type Writer = (body: unknown) => string;

// shared by all apps of a process and all paths of an operation: the compiled writers by shape
const writers = new WeakMap<TSchema, Writer>();

/**
 * Reduces an answer to its shape's fields [api.success-codes, api.answer-fields]. Compiled at the first answer, so that
 * starting does not wait for shapes that nobody has asked for yet.
 */
const writeAs =
  (shape: TSchema) =>
  async (_request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<unknown> => {
    // refusals are problems, which have a shape of their own
    if (reply.statusCode >= 300) return body;
    const writer = writers.get(shape) ?? (reply.compileSerializationSchema({ ...shape }) as Writer);
    writers.set(shape, writer);
    reply.serializer(writer);
    return body;
  };

/** The router matches `/v1/quizzes/` as a quiz with an empty id, which is no path of this API. */
export function assertParams({ params }: Operation, request: FastifyRequest): void {
  if (params && Object.values(request.params as Record<string, string>).includes("")) throw notFound();
}

/**
 * Checks in this order: 404 for the path, 401, 403 for the plan, 403 for the scope, then the limiter [api.check-order].
 */
async function admit(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  limiter: Limiter,
  identify: Identify,
): Promise<void> {
  assertParams(operation, request);
  const caller = await identify(request, reply);
  // the dashboard's own operations must work for a paused store too
  if (caller.store.plan === "other" && !operation.openOnPausedPlan && !operation.access)
    throw new Problem("plan_required");
  if (operation.scope) assertScope(caller, operation.scope);
  if (operation.ofTestStores && caller.store.testOf === undefined) throw new Problem("test_key_required");
  request.caller = asAssistant(request, caller);
  await charge(limiter, caller, operation.cost, reply);
}

/** The header by which programs say that an AI assistant acts through them; it is only a claim. */
export const assistantHeader = "quizstore-assistant";

/** Applies only to programs: people at the dashboard are no assistants. */
function asAssistant({ headers }: FastifyRequest, caller: Caller): Caller {
  const { by } = caller;
  if (headers[assistantHeader] === undefined) return caller;
  if (by.kind === "key") return { ...caller, by: { ...by, isAssistant: true } };
  return by.token ? { ...caller, by: { ...by, token: { ...by.token, isAssistant: true } } } : caller;
}

async function answer(
  route: Route,
  input: Request<Operation>,
  request: FastifyRequest,
  reply: FastifyReply,
  services: AnswerDeps,
): Promise<unknown> {
  const { operation, read } = route;
  reply.header("Cache-Control", "private, no-store");
  if (read) {
    const found = await read(input, services.database.reader(input.deadline).forStore(input.caller.store.id));
    reply.code(operation.answer.status);
    return found instanceof Tagged ? revalidate(found, request, reply) : found;
  }
  const admit = (caller: Caller) => assertRights(operation, caller);
  return asTheyAre(input.caller, admit, (caller) => {
    const assertUnchanged = unchanged(caller, services.rightsNow);
    return written(route, { ...input, caller, assertUnchanged }, request, reply, services);
  });
}

async function written(
  { operation, write, prepare, assertMay }: Route,
  input: Request<Operation>,
  request: FastifyRequest,
  reply: FastifyReply,
  services: AnswerDeps,
): Promise<unknown> {
  if (!write) throw new Error(`operation ${operation.id} has no handler`);
  const key = takesIdempotencyKey(operation) ? idempotencyKey(request) : null;
  const prepared = prepare ? await outcomeOf(prepare(input)) : () => undefined;
  let headers: Answer<unknown>["headers"] = {};
  let isChecked = false;
  let committed: Answer<unknown>["committed"];
  const perform = async (tx: StoreTransaction): Promise<StoredAnswer> => {
    const made = await write(input, tx, prepared());
    if (input.caller.by.kind === "person" && !made.existing) await services.audit?.(tx, input, operation, made);
    headers = made.headers ?? {};
    isChecked = made.rightsChecked ?? false;
    committed = made.committed;
    const location = made.location === undefined ? null : services.baseUrl + made.location;
    return { status: made.existing ? 200 : operation.answer.status, body: made.body, location };
  };
  const { id: storeId } = input.caller.store;
  const stored = await services.database.transaction((unbound) => {
    const tx = unbound.forStore(storeId);
    const assertUnchanged = async () => (isChecked ? undefined : input.assertUnchanged(tx));
    return checkedAgain(assertUnchanged, async () =>
      key === null
        ? { ...(await perform(tx)), replayed: false }
        : services.idempotency.once(tx, key, () => perform(tx)),
    );
  }, input.deadline);
  if (stored.replayed) {
    assertMay?.(input, stored.body);
    reply.header("Idempotent-Replayed", "true");
  }
  if (stored.location) reply.header("Location", stored.location);
  reply.code(stored.status).headers(headers);
  return shownTo(input.caller, operation, committed && !stored.replayed ? await committed() : stored.body);
}

function revalidate({ tag, body, of }: Tagged<unknown>, request: FastifyRequest, reply: FastifyReply): unknown {
  reply.header("ETag", `"${tag}"`);
  if (of === "part") return body;
  const unchanged = matchesTag(request.headers["if-none-match"], tag);
  // stored by the client, revalidated before each use
  reply.header("Cache-Control", "private, no-cache");
  if (unchanged) reply.code(304);
  return body;
}

const noBody: TSchema = { type: "object", additionalProperties: false } as TSchema;

export function inputReader(operation: Operation): (request: FastifyRequest) => Input<Operation> {
  // no stored text contains NUL, so a `/v1` search for one finds nothing
  const nul = operation.path.startsWith("/v1/");
  const checkQuery = compileQueryCheck<Record<string, unknown>>(operation.query, { nul });
  const checkBody = compileCheck<unknown>(operation.body ?? noBody, "body");
  return (request) => {
    const query = checkQuery(request.query);
    const body = checkBody(request.body === undefined ? {} : request.body);
    const errors = [...query.errors, ...body.errors, ...headerErrors(operation, request.headers)];
    if (errors.length > 0) throw invalidFields(errors);
    if (query.value["cursor"] === firstPage) delete query.value["cursor"]; // [api.cursors]
    return {
      requestId: request.id,
      deadline: request.deadline,
      address: request.address,
      headers: request.headers,
      params: request.params as Record<string, string>,
      query: query.value,
      body: body.value,
    };
  };
}

/** Checks headers along with the parameters, before anything is read: an operation takes only its declared ones. */
function headerErrors(operation: Operation, headers: IncomingHttpHeaders): FieldError[] {
  if (takesIdempotencyKey(operation)) return idempotencyKeyErrors(headers["idempotency-key"]);
  return operation.cost === "analytics" ? ifNoneMatchErrors(headers["if-none-match"]) : [];
}

/** Headers for every answer of an operation that is deprecated, or has deprecated fields [api.deprecation]. */
function deprecationHeaders(operation: Operation): Record<string, string> {
  const announced = announcedDeprecation(operation);
  if (announced === null) return {};
  return {
    Deprecation: `@${announced.since}`,
    Sunset: new Date(announced.sunset * 1000).toUTCString(),
    Link: announced.links.map((link) => `<${link}>; rel="deprecation"`).join(", "),
  };
}

// shared by all apps of a process, because it caches the compiled shapes
const answerShapes = newValidator();

/** Compiled at the first answer: most operations of a test's app are never called. */
export function answerChecker(operation: Operation): (body: unknown) => void {
  return (body) => {
    const validate = answerShapes.compile(operation.answer.shape);
    const json: unknown = JSON.parse(JSON.stringify(body));
    if (!validate(json))
      throw new Error(`${operation.id} gave an answer that violates its contract: ${JSON.stringify(validate.errors)}`);
  };
}

/** The UUID of a path's id; a malformed id is not found, like an unknown one [api.not-found]. */
export function pathId(parse: (text: string) => string | null, text: string | undefined): string {
  const uuid = parse(text ?? "");
  if (uuid === null) throw notFound();
  return uuid;
}
