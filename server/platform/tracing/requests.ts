import { type Context, context, propagation, ROOT_CONTEXT, type Span, SpanKind, trace } from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { beginSpan, failSpan } from "./spans.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** the context for the request's work: its span, if it is recorded */
    traced: Context;
  }
}

/** Polled by machines, and never slow for a reason that a trace would show. */
const untraced = new Set(["/healthz", "/readyz"]);

/** Records a span for each request with a route, as part of its caller's trace (W3C Trace Context). */
export function traceRequests(app: FastifyInstance): void {
  app.decorateRequest("traced");
  // An unrecorded request needs a context of its own as well: a pipelined request is started by the end of the previous
  // one on its connection, and would count as part of it.
  app.addHook("onRequest", (request, reply, done) => {
    request.traced = contextOf(request, reply);
    context.with(request.traced, done);
  });
  // socket listeners read the body, and do not know the request's context
  app.addHook("preValidation", (request, _reply, done) => context.with(request.traced, done));
}

function contextOf(request: FastifyRequest, reply: FastifyReply): Context {
  const route = request.routeOptions.url;
  if (route === undefined || untraced.has(route)) return ROOT_CONTEXT;
  const caller = propagation.extract(ROOT_CONTEXT, request.headers);
  const span = beginSpan({ name: `${request.method} ${route}`, kind: SpanKind.SERVER }, caller);
  if (!span.isRecording()) return ROOT_CONTEXT;
  describe(span, request, route);
  reply.raw.once("close", () => endRequest(span, request, reply));
  return trace.setSpan(ROOT_CONTEXT, span);
}

function describe(span: Span, { method, protocol, raw, id }: FastifyRequest, route: string): void {
  span.setAttributes({
    "http.request.method": method,
    "http.route": route,
    "url.scheme": protocol,
    "network.protocol.version": raw.httpVersion,
    "quizstore.request_id": id,
  });
}

function endRequest(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode } = reply;
  const storeId = request.caller?.store.id;
  span.setAttribute("http.response.status_code", statusCode);
  if (storeId !== undefined) span.setAttribute("quizstore.store_id", storeId);
  if (!reply.raw.writableFinished) failSpan(span, "client_closed");
  else if (statusCode >= 500) failSpan(span, String(statusCode));
  span.end();
}
