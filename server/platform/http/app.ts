import { type IncomingMessage, METHODS, type Server } from "node:http";
import {
  type FastifyError,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from "fastify";
import type { Permit } from "../concurrency/types.ts";
import { isDatabaseAway } from "../database/failures.ts";
import type { Deadlines, ElapsedClock, OpenDeadline } from "../deadline.ts";
import { PacedAnswers } from "../limiter/paced-answers.ts";
import { RefusedSenders } from "../limiter/refused-senders.ts";
import { countedAddress, SenderRefusal } from "../limiter/senders.ts";
import type { Log } from "../log.ts";
import { readNumber } from "../metrics/metrics.ts";
import { invalid, notFound, Problem, problemBody, retryLater } from "../problems.ts";
import { traceRequests } from "../tracing/requests.ts";
import { maxBodyBytes } from "./body.ts";
import { keepForwarded, plainAddress } from "./forwarded.ts";
import { answerClientError, answerOddRequests, noteRefusal } from "./raw.ts";
import { countRequest, noRoute } from "./request-metrics.ts";
import { securityHeaders } from "./security-headers.ts";
import { UnderWay } from "./under-way.ts";
import { closeUnusedConnections } from "./unused-connections.ts";
import { WorkQueue } from "./work-queue.ts";

export interface AppDeps {
  baseUrl: string;
  log: Log;
  deadlines: Deadlines;
  elapsed: ElapsedClock;
  newRequestId: () => string;
  /** number of proxies in front whose X-Forwarded-For entries are trusted [api.forwarded-addresses]; 0: none */
  trustProxy: number;
  /** milliseconds; 30 s except in tests */
  requestTimeoutMs?: number;
  /** paths that pages of every origin may call, including refusals for unknown paths [api.cross-origin] */
  openToPages?: { prefix: string; headers: Readonly<Record<string, string>> };
  /** null: the refusal is a problem, as for programs; else a page for the person who opened the address */
  refusalPage?: (problem: Problem, request: IncomingMessage) => RefusalPage | null;
}

export interface RefusalPage {
  html: string;
  headers: Readonly<Record<string, string>>;
}

declare module "fastify" {
  interface FastifyRequest {
    deadline: OpenDeadline;
    /** the client's address [api.forwarded-addresses]; stored at the start, because a closed connection has none */
    address: string;
    /**
     * the request changes nothing: when the client hangs up, nobody needs the answer and the work stops [api.hung-up]
     */
    onlyReads: boolean;
    /** held by a request of an address that was refused lately [api.refused-senders] */
    place: Permit | null;
  }
  interface FastifyInstance {
    /** methods of the registered routes, by path in the router's form */
    taken: Map<string, Set<string>>;
    /** the `Allow` header by path; filled by `refuseOtherMethods` */
    allowed: Map<string, string>;
    underWay: UnderWay;
    /** answers to those who have shown neither a key nor a session */
    strangers: PacedAnswers;
    /** refusals of those who sent too much [storefront.sender-refusals] */
    refusals: PacedAnswers;
    refusedSenders: RefusedSenders;
  }
}

/** Whoever tries every operation with many wrong keys, as their own scanner does, is not made to wait. */
const strangersAtOnce = 10_000;

/** Methods that may be sent to a path; those without a route answer 405. CONNECT never reaches a route. */
const allMethods = METHODS.filter((method) => method !== "CONNECT");

/**
 * The HTTP server without routes: request ids, time-outs, and problems for everything that can go wrong
 * [api.request-ids, api.request-time].
 */
export function createApp(settings: AppDeps): FastifyInstance {
  const requestTimeoutMs = settings.requestTimeoutMs ?? 30_000;
  const allowed = new Map<string, string>();
  const underWay = new UnderWay();
  readNumber("quizstore_http_requests_under_way", "Requests that are not answered yet", () => underWay.count);
  const always = securityHeaders(settings.baseUrl);
  const raw = { ...settings, always, allowAt: (path: string) => allowAt(allowed, path), refused: countUnread };
  const options: FastifyHttpOptions<Server> = {
    logger: false,
    genReqId: settings.newRequestId,
    // fastify rejects a number here, because it cannot tell a proxy from anybody else who reaches the program.
    // Preventing that is the operator's task; `keepForwarded` has left as many addresses as there are proxies
    trustProxy: settings.trustProxy === 0 ? false : (_address, hop) => hop < settings.trustProxy,
    bodyLimit: maxBodyBytes,
    routerOptions: { maxParamLength: 200 },
    return503OnClosing: false,
    forceCloseConnections: "idle",
    keepAliveTimeout: 75_000,
    // silence in both directions while an answer is due: longer than any work takes, so the client has stopped reading
    connectionTimeout: 2 * requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    http: {
      requireHostHeader: false,
      maxHeaderSize: 16 * 1024,
      connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
      headersTimeout: requestTimeoutMs,
      // Node compares the two when the server is created, and fastify sets its own only later
      requestTimeout: requestTimeoutMs,
    },
    clientErrorHandler: answerClientError(raw),
    frameworkErrors: (error, request, reply) => void sendError(settings, error, request, reply),
    exposeHeadRoutes: true,
  };
  const app: FastifyInstance = fastify(options);
  for (const method of allMethods) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  // routes without a body refuse one on a GET, so it has to be read
  app.addHttpMethod("GET", { hasBody: true, overrideExisting: true } as object);
  app.addHttpMethod("HEAD", { hasBody: true, overrideExisting: true } as object);
  answerOddRequests(app, app.server, raw);
  closeUnusedConnections(app);
  app.decorate("allowed", allowed);
  app.decorate("taken", new Map());
  app.addHook("onRoute", ({ url, method }) => {
    const taken = app.taken.get(url) ?? new Set();
    for (const each of [method].flat()) taken.add(each);
    app.taken.set(url, taken);
  });
  app.decorate("underWay", underWay);
  app.decorate("strangers", new PacedAnswers(settings.elapsed, { atOnce: strangersAtOnce }));
  app.decorate("refusals", new PacedAnswers(settings.elapsed));
  app.decorate("refusedSenders", new RefusedSenders(settings.elapsed));
  app.decorateRequest("deadline");
  app.decorateRequest("address", "");
  app.decorateRequest("onlyReads", false);
  app.decorateRequest("place", null);
  // Pipelined requests wait until the earlier answers are sent: otherwise all of them would be processed at once, and
  // their answers would stay in memory for a client that may never read them [api.connections]. Node assigns the socket
  // to a response when its turn comes. The queue then lets other connections proceed, because requests that need no
  // waiting, such as refusals, would be processed to the last one without a pause. Nothing is started for a client that
  // has hung up meanwhile.
  const queue = new WorkQueue();
  app.addHook("onRequest", (_request, reply, done) => {
    const start = () => !reply.raw.destroyed && done();
    if (reply.raw.socket === null) reply.raw.once("socket", () => queue.push(start));
    else done();
  });
  app.addHook("onRequest", (request, reply, done) => {
    begin(settings, underWay, requestTimeoutMs, request, reply);
    reply.headers(always).headers(originHeaders(settings, request));
    // before the body is looked at [api.check-order]
    if (request.is404 || request.raw.url === "*") sendError(settings, notFound(), request, reply);
    else done();
  });
  traceRequests(app);
  app.setErrorHandler((error: FastifyError, request, reply) => sendError(settings, error, request, reply));
  app.setNotFoundHandler((request, reply) => sendError(settings, notFound(), request, reply));
  return app;
}

/** Counts requests that no route sees. */
const countUnread = (status: number): void => countRequest({ method: "unread", route: noRoute, status, seconds: 0 });

/** Headers that let scripts of any page read an answer, whatever became of the request. */
const originHeaders = ({ openToPages: open }: AppDeps, { raw }: FastifyRequest): Readonly<Record<string, string>> =>
  open && raw.url?.startsWith(open.prefix) ? open.headers : {};

/** Fastify refuses a malformed content type before any parser can check whether there is a body at all. */
const mediaType = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(;|$)/;

function begin(
  settings: AppDeps,
  underWay: UnderWay,
  timeoutMs: number,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { raw } = request;
  const began = settings.elapsed();
  const leave = underWay.enter();
  reply.header("Request-Id", request.id);
  // clients of a stopping server should send the next request elsewhere
  if (underWay.draining) reply.header("Connection", "close");
  keepForwarded(raw.headers, settings.trustProxy);
  request.address = plainAddress(request.ip);
  request.onlyReads = raw.method === "GET" || raw.method === "HEAD";
  const contentType = raw.headers["content-type"];
  if (contentType !== undefined && !mediaType.test(contentType)) raw.headers["content-type"] = "malformed/malformed";
  request.deadline = settings.deadlines.open(timeoutMs, () => answerTimeout(settings, request, reply));
  // the response's `close`, because the request's own fires as soon as its body was read
  reply.raw.once("close", () => {
    settings.deadlines.close(request.deadline);
    if (!reply.raw.writableFinished && request.onlyReads) request.deadline.expire();
    leave();
    const route = request.routeOptions?.url ?? noRoute;
    // no status if the client left before the answer
    const status = reply.raw.headersSent ? reply.statusCode : 0;
    const milliseconds = settings.elapsed() - began;
    countRequest({ method: request.method, route, status, seconds: milliseconds / 1_000 });
    logAnswer(settings, request, reply, milliseconds);
  });
}

/**
 * Answers 405 with `Allow` [api.methods] for every method that a path of the app has no route for. Call it after
 * registering all routes: plugins load in the order of registration.
 */
export function refuseOtherMethods(app: FastifyInstance, settings: AppDeps): void {
  app.register(async (scope) => {
    for (const [url, taken] of [...app.taken]) {
      const allow = [...taken].sort().join(", ");
      app.allowed.set(url, allow);
      const refuse = (request: FastifyRequest, reply: FastifyReply) => {
        reply.header("Allow", allow);
        return sendError(settings, new Problem("method_not_allowed"), request, reply);
      };
      scope.route({
        method: allMethods.filter((method) => !taken.has(method)),
        url,
        // before the body is looked at [api.check-order]
        onRequest: (request, reply) => void refuse(request, reply),
        handler: refuse,
      });
    }
  });
}

function allowAt(allowed: ReadonlyMap<string, string>, path: string): string | null {
  const parts = path.split("/");
  for (const [url, allow] of allowed) {
    const pattern = url.split("/");
    if (pattern.length !== parts.length) continue;
    if (pattern.every((part, index) => (part.startsWith(":") ? parts[index] !== "" : part === parts[index])))
      return allow;
  }
  return null;
}

function answerTimeout(settings: AppDeps, request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent || reply.raw.destroyed) return;
  // the rest of an unread body would be parsed as the next request
  if (!request.raw.complete) reply.header("Connection", "close");
  sendError(settings, new Problem("timeout"), request, reply);
}

const fastifyProblems: Record<string, (bodyLimit: number) => Problem> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (bodyLimit) => invalid("body", `must have at most ${bodyLimit} bytes`),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => invalid("body", "does not have the length that its header says"),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () => invalid("body", "must be JSON, sent with content-type: application/json"),
  FST_ERR_BAD_URL: notFound,
  FST_ERR_MAX_PARAM_LENGTH: notFound,
};

function toProblem(error: unknown, bodyLimit: number): Problem {
  if (error instanceof Problem) return error;
  const known = fastifyProblems[(error as { code?: string }).code ?? ""];
  if (known) return known(bodyLimit);
  if (isDatabaseAway(error)) return retryLater("dependency_unavailable", 2, error);
  if ((error as { statusCode?: number }).statusCode === 400) return invalid("request", "is not well-formed HTTP");
  return new Problem("internal_error", { cause: error });
}

/** Refusals that take as little as a wrong key or path to cause [api.unknown-senders]. */
const easilyCaused = new Set([401, 404, 405]);

function sendError(settings: AppDeps, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error, request.routeOptions?.bodyLimit ?? maxBodyBytes);
  const paced = paceRefusal(problem, request);
  if (paced === null) return sendProblem(settings, problem, request, reply);
  void paced.then(() => sendProblem(settings, problem, request, reply));
  return reply;
}

/** Null if the refusal may be sent at once, else what to wait for before it. */
function paceRefusal(problem: Problem, request: FastifyRequest): Promise<void> | null {
  const { server, caller } = request;
  const address = countedAddress(request.address);
  if (problem instanceof SenderRefusal) {
    if (problem.of === "address") server.refusedSenders.note(address);
    // others of the address do not wait while this refusal is delayed
    request.place?.release();
    return server.refusals.pace(problem.bucket);
  }
  return easilyCaused.has(problem.status) && !caller ? server.strangers.pace(address) : null;
}

function sendProblem(settings: AppDeps, problem: Problem, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (reply.sent || reply.raw.headersSent) return reply;
  noteRefusal(request.raw);
  if (problem.status === 500 || problem.cause !== undefined) {
    const level = problem.status === 500 ? "error" : "warn";
    settings.log[level](
      { err: problem.cause, request_id: request.id, route: request.routeOptions?.url },
      problem.title,
    );
  }
  // closing at once, as fastify does for a refused body, could reset the connection before the client has read the
  // answer
  if (problem.title === "validation_error") reply.removeHeader("connection");
  const { retry_after: retryAfter } = problem.extra;
  if (retryAfter !== undefined) reply.header("Retry-After", String(retryAfter));
  if (problem.title === "invalid_api_key") reply.header("WWW-Authenticate", "Bearer");
  const page = settings.refusalPage?.(problem, request.raw) ?? null;
  const body = page?.html ?? JSON.stringify(problemBody(problem, settings.baseUrl, request.id));
  return reply
    .code(problem.status)
    .headers(securityHeaders(settings.baseUrl))
    .headers(originHeaders(settings, request))
    .headers(page?.headers ?? {})
    .header("Request-Id", request.id)
    .header("Cache-Control", "no-store")
    .type(page ? "text/html; charset=utf-8" : "application/problem+json")
    .serializer(String)
    .send(body);
}

function logAnswer({ log }: AppDeps, request: FastifyRequest, reply: FastifyReply, milliseconds: number): void {
  if (!log.isLevelEnabled("debug")) return;
  // the route's pattern, not the address: ids and parameters may be personal data
  const route = request.routeOptions?.url ?? noRoute;
  const ms = Math.round(milliseconds);
  log.debug({ request_id: request.id, method: request.method, route, status: reply.statusCode, ms }, "answered");
}
