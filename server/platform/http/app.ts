import { type IncomingMessage, METHODS, type Server } from "node:http";
import {
  type FastifyError,
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from "fastify";
import { isDatabaseAway } from "../database/failures.ts";
import type { Deadlines, ElapsedClock, OpenDeadline } from "../deadline.ts";
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
import { WorkQueue } from "./work-queue.ts";

export interface AppDeps {
  baseUrl: string;
  log: Log;
  deadlines: Deadlines;
  elapsed: ElapsedClock;
  newRequestId: () => string;
  /** number of proxies in front whose X-Forwarded-For entries are believed [api.forwarded-addresses]; 0: none */
  trustProxy: number;
  /** milliseconds; 30 s but for tests */
  requestTimeoutMs?: number;
  /** paths that pages of every origin may call, refusals of what is not there included [api.cross-origin] */
  openToPages?: { prefix: string; headers: Readonly<Record<string, string>> };
  /** null: the request is refused as a program is, by a problem; else by a page for whoever opened the address */
  refusalPage?: (problem: Problem, request: IncomingMessage) => RefusalPage | null;
}

export interface RefusalPage {
  html: string;
  headers: Readonly<Record<string, string>>;
}

declare module "fastify" {
  interface FastifyRequest {
    deadline: OpenDeadline;
    /** of whoever asks [api.forwarded-addresses]; kept from the beginning, since a connection that ended has none */
    address: string;
    /** nothing is changed by it: when the client hangs up, nobody misses the answer and the work stops [api.hung-up] */
    onlyReads: boolean;
  }
  interface FastifyInstance {
    /** methods by path, in the router's form, of the routes that were registered */
    taken: Map<string, Set<string>>;
    /** `Allow` by path; filled by `refuseOtherMethods` */
    allowed: Map<string, string>;
    underWay: UnderWay;
  }
}

/** Methods that a path may be asked with; what a path does not take answers 405. CONNECT never reaches a route. */
const allMethods = METHODS.filter((method) => method !== "CONNECT");

/**
 * The HTTP server without routes: request ids, time-outs, problems for everything that can go wrong [api.request-ids,
 * api.request-time].
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
    // fastify takes no number: it cannot tell a proxy from anybody else who reaches the program, which is the operator's
    // to see to; `keepForwarded` has left as many addresses as there are proxies
    trustProxy: settings.trustProxy === 0 ? false : (_address, hop) => hop < settings.trustProxy,
    bodyLimit: maxBodyBytes,
    routerOptions: { maxParamLength: 200 },
    return503OnClosing: false,
    forceCloseConnections: "idle",
    keepAliveTimeout: 75_000,
    // silence in both directions while an answer is due: longer than any work takes, so the client reads no more
    connectionTimeout: 2 * requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    http: {
      requireHostHeader: false,
      maxHeaderSize: 16 * 1024,
      connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
      headersTimeout: requestTimeoutMs,
    },
    clientErrorHandler: answerClientError(raw),
    frameworkErrors: (error, request, reply) => void sendError(settings, error, request, reply),
    exposeHeadRoutes: true,
  };
  const app: FastifyInstance = fastify(options);
  for (const method of allMethods) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true });
  }
  // a body on a GET is refused by the routes that take none, so it has to be read
  app.addHttpMethod("GET", { hasBody: true, overrideExisting: true } as object);
  app.addHttpMethod("HEAD", { hasBody: true, overrideExisting: true } as object);
  answerOddRequests(app, app.server, raw);
  app.decorate("allowed", allowed);
  app.decorate("taken", new Map());
  app.addHook("onRoute", ({ url, method }) => {
    const taken = app.taken.get(url) ?? new Set();
    for (const each of [method].flat()) taken.add(each);
    app.taken.set(url, taken);
  });
  app.decorate("underWay", underWay);
  app.decorateRequest("deadline");
  app.decorateRequest("address", "");
  app.decorateRequest("onlyReads", false);
  // What a client sends ahead waits until the answers before it are out: its work would go on all at once, and its
  // answers lie in memory for somebody who may never read them [api.connections]. A response is given the socket when
  // its turn comes; then others have theirs, since what needs no waiting, such as a refusal, would go on to the last
  // without a pause. For a client that has hung up meanwhile nothing is begun.
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

/** Requests that no route sees. */
const countUnread = (status: number): void => countRequest({ method: "unread", route: noRoute, status, seconds: 0 });

/** Of answers that scripts of any page may read, whatever became of the request. */
const originHeaders = ({ openToPages: open }: AppDeps, { raw }: FastifyRequest): Readonly<Record<string, string>> =>
  open && raw.url?.startsWith(open.prefix) ? open.headers : {};

/** Fastify refuses a malformed content type before any parser sees whether there is a body at all. */
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
  // whoever keeps a connection to a server that stops goes elsewhere with the next request
  if (underWay.draining) reply.header("Connection", "close");
  keepForwarded(raw.headers, settings.trustProxy);
  request.address = plainAddress(request.ip);
  request.onlyReads = raw.method === "GET" || raw.method === "HEAD";
  const contentType = raw.headers["content-type"];
  if (contentType !== undefined && !mediaType.test(contentType)) raw.headers["content-type"] = "malformed/malformed";
  request.deadline = settings.deadlines.open(timeoutMs, () => answerTimeout(settings, request, reply));
  // of the response, not of the request, whose own `close` comes as soon as its body was read
  reply.raw.once("close", () => {
    settings.deadlines.close(request.deadline);
    if (!reply.raw.writableFinished && request.onlyReads) request.deadline.expire();
    leave();
    const route = request.routeOptions?.url ?? noRoute;
    // a client that left before there was an answer has no status
    const status = reply.raw.headersSent ? reply.statusCode : 0;
    const milliseconds = settings.elapsed() - began;
    countRequest({ method: request.method, route, status, seconds: milliseconds / 1_000 });
    logAnswer(settings, request, reply, milliseconds);
  });
}

/**
 * Answers 405 with `Allow` [api.methods] for every method that a path of the app does not take. Call it after all
 * routes: a plugin is loaded after those that were registered before.
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
  // the rest of a body that is still on its way would be taken for the next request
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

function sendError(settings: AppDeps, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = toProblem(error, request.routeOptions?.bodyLimit ?? maxBodyBytes);
  if (reply.sent || reply.raw.headersSent) return reply;
  noteRefusal(request.raw);
  if (problem.status === 500 || problem.cause !== undefined) {
    const level = problem.status === 500 ? "error" : "warn";
    settings.log[level](
      { err: problem.cause, request_id: request.id, route: request.routeOptions?.url },
      problem.title,
    );
  }
  // closing at once, which fastify asks for on a refused body, could reset the answer before the client has read it
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
