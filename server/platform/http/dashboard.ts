import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Access, Operation } from "../../../contract/operation.ts";
import { type AuthenticatePerson, type AuthenticateToken, type Caller, confirmedMs, type SignedIn } from "../caller.ts";
import type { Calendar } from "../clock.ts";
import type { Deadline } from "../deadline.ts";
import { formatId } from "../ids.ts";
import type { SenderGuard } from "../limiter/senders.ts";
import { notFound, Problem } from "../problems.ts";
import { assertRights } from "../scopes.ts";
import { chargePerson } from "./charges.ts";
import {
  type Answer,
  type AnswerDeps,
  type AnswerOf,
  addressed,
  answerChecker,
  assertParams,
  type Identify,
  type Input,
  inputReader,
  type Route,
  registerRoute,
} from "./operations.ts";
import { assertSameOrigin } from "./same-origin.ts";
import { admitSender } from "./sender-places.ts";

/**
 * Registers the dashboard's operations: for everybody, for signed-in people, and for members of a store; and `/v1` a
 * second time, for members [dashboard-api.access].
 */

export type OpenRequest<Op extends Operation> = Input<Op>;

export interface PersonRequest<Op extends Operation> extends Input<Op> {
  person: SignedIn;
}

interface OpenRoute {
  kind: "open";
  operation: Operation;
  handle: (request: OpenRequest<Operation>) => Promise<Answer<unknown>>;
}

interface PersonRoute {
  kind: "person";
  operation: Operation;
  handle: (request: PersonRequest<Operation>) => Promise<Answer<unknown>>;
}

interface MemberRoute {
  kind: "member";
  operation: Operation;
  route: Route;
}

export type DashboardRoute = OpenRoute | PersonRoute | MemberRoute;

/** Needs no sign-in. */
export function openRoute<Op extends Operation>(
  operation: Op,
  handle: (request: OpenRequest<Op>) => Promise<Answer<AnswerOf<Op>>>,
): DashboardRoute {
  assertAccess(operation, ["anyone"]);
  // the list of all routes cannot express that a handler takes the input of its own operation
  return { kind: "open", operation, handle: handle as OpenRoute["handle"] };
}

/** For a signed-in person, or an operator, and about no store. */
export function personRoute<Op extends Operation>(
  operation: Op,
  handle: (request: PersonRequest<Op>) => Promise<Answer<AnswerOf<Op>>>,
): DashboardRoute {
  assertAccess(operation, ["person", "operator"]);
  // as above
  return { kind: "person", operation, handle: handle as PersonRoute["handle"] };
}

/** For members of the store that the request names: wraps a route of a kind that `/v1` has [dashboard-api.mounted]. */
export function memberRoute(route: Route): DashboardRoute {
  assertAccess(route.operation, ["member"]);
  return { kind: "member", operation: route.operation, route };
}

function assertAccess({ id, access }: Operation, kinds: readonly Access["to"][]): void {
  if (!access || !kinds.includes(access.to)) throw new Error(`operation ${id} does not say that it is for ${kinds}`);
}

/** Finds a member of the store that a header names; throws 404, or 403 if the person is an operator without a role. */
export type FindMember = (person: SignedIn, store: string | undefined, deadline: Deadline) => Promise<Caller>;

export interface DashboardDeps extends AnswerDeps {
  signedIn: AuthenticatePerson;
  byToken: AuthenticateToken;
  member: FindMember;
  calendar: Calendar;
  /** for requests without a signed-in person */
  guard: SenderGuard;
  /** the routes of `/v1` */
  mounted: readonly Route[];
}

declare module "fastify" {
  interface FastifyRequest {
    person: SignedIn | null;
  }
}

export const storeHeader = "quizstore-store";
export const dashboardPath = "/dashboard/api";

export function registerDashboard(
  app: FastifyInstance,
  routes: readonly DashboardRoute[],
  services: DashboardDeps,
): void {
  app.decorateRequest("person", null);
  for (const route of services.mounted) {
    const { operation } = route;
    registerRoute(app, route, services, identifyWithToken(services, operation), dashboardPath + operation.path);
  }
  for (const route of routes) {
    if (route.kind === "member") registerRoute(app, route.route, services, identify(services, route.operation));
    else registerPersonal(app, route, services);
  }
}

/**
 * Checks in this order: 401, 403 for another site, 404 for the store, 403 for the role, 403 for the password; then the
 * checks for keys.
 */
function identify(services: DashboardDeps, operation: Operation): Identify {
  return async (request, reply) => {
    const person = await personBehind(request, reply, services);
    const caller = await services.member(person, headerOf(request, storeHeader), request.deadline);
    assertAllowed(operation, person, caller, services.calendar.now());
    return caller;
  };
}

/**
 * The same, or with a personal token [dashboard-api.tokens]: then the cookie is ignored, so that no other site's page
 * can send the request, and nobody can be asked for a password.
 */
function identifyWithToken(services: DashboardDeps, operation: Operation): Identify {
  const bySession = identify(services, operation);
  return async (request, reply) => {
    const holder = services.byToken(request.headers.authorization, request.deadline);
    if (holder === null) return bySession(request, reply);
    const caller = await holder.catch(async (error: unknown) => {
      await services.guard.chargeAddress(request.address, 1);
      throw error;
    });
    const named = headerOf(request, storeHeader);
    if (named !== undefined && named !== formatId("store", caller.store.id)) throw notFound();
    assertRights(operation, caller);
    if (operation.secret)
      throw new Problem("password_required", { detail: "No personal token does this; use the dashboard" });
    return caller;
  };
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const given = request.headers[name];
  return typeof given === "string" ? given : undefined;
}

async function personBehind(request: FastifyRequest, reply: FastifyReply, services: DashboardDeps): Promise<SignedIn> {
  const person = await services.signedIn(request.headers.cookie, request.deadline);
  if (person === null) {
    await services.guard.chargeAddress(request.address, 1);
    throw new Problem("not_signed_in");
  }
  if (person.renewedCookie !== undefined) reply.header("Set-Cookie", person.renewedCookie);
  assertSameOrigin(request.method, request.headers, services.baseUrl);
  return person;
}

function assertAllowed(operation: Operation, person: SignedIn, caller: Caller | null, now: number): void {
  const { access, secret, secretField } = operation;
  if (access?.to === "operator" && !person.operator)
    throw new Problem("insufficient_role", { extra: { required: ["operator"] } });
  // checked before the password: people who may not do it at all are not asked for one
  if (caller) assertRights(operation, caller);
  const confirmed = secret || secretField !== undefined || (access && "confirmed" in access && access.confirmed);
  if (confirmed && person.confirmedAt <= now - confirmedMs) throw new Problem("password_required");
}

function registerPersonal(app: FastifyInstance, route: OpenRoute | PersonRoute, services: DashboardDeps): void {
  const { operation } = route;
  const readInput = inputReader(operation);
  const checkAnswer = services.checkAnswers ? answerChecker(operation) : null;
  app.route({
    ...addressed(operation),
    onRequest: async (request, reply) => {
      assertParams(operation, request);
      if (route.kind === "open") {
        assertSameOrigin(request.method, request.headers, services.baseUrl);
        await admitSender(request, reply, services.guard, 1);
        return;
      }
      const person = await personBehind(request, reply, services);
      assertAllowed(operation, person, null, services.calendar.now());
      request.person = person;
      await chargePerson(services.limiter, person, operation.cost, reply);
    },
    handler: async (request, reply) => {
      reply.header("Cache-Control", "private, no-store");
      const made = await handled(route, request, readInput(request));
      checkAnswer?.(made.body);
      return sendMade(operation, made, reply, services.baseUrl);
    },
  });
}

function handled(route: OpenRoute | PersonRoute, request: FastifyRequest, input: Input<Operation>) {
  if (route.kind === "open") return route.handle(input);
  const { person } = request;
  if (!person) throw new Error("a request reached its route without a person");
  return route.handle({ ...input, person });
}

function sendMade({ answer }: Operation, made: Answer<unknown>, reply: FastifyReply, baseUrl: string): unknown {
  reply.code(made.existing ? 200 : answer.status).headers(made.headers ?? {});
  if (made.location !== undefined) reply.header("Location", baseUrl + made.location);
  return reply.statusCode === 204 ? reply.send() : made.body;
}
