import { type Context, context, propagation, ROOT_CONTEXT, type Span, SpanKind, trace } from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { beginSpan, failSpan } from "./spans.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** null: nothing is recorded of it */
    traced: Context | null;
  }
}

/** Asked again and again by machines, and never slow for a reason that a trace would show. */
const untraced = new Set(["/healthz", "/readyz"]);

/** A span for each request that has a route, as part of its caller's trace (W3C Trace Context). */
export function traceRequests(app: FastifyInstance): void {
  app.decorateRequest("traced", null);
  app.addHook("onRequest", (request, reply, done) => {
    const route = request.routeOptions.url;
    if (route === undefined || untraced.has(route)) return done();
    const caller = propagation.extract(ROOT_CONTEXT, request.headers);
    const span = beginSpan({ name: `${request.method} ${route}`, kind: SpanKind.SERVER }, caller);
    if (!span.isRecording()) return done();
    describe(span, request, route);
    reply.raw.once("close", () => endRequest(span, request, reply));
    request.traced = trace.setSpan(ROOT_CONTEXT, span);
    context.with(request.traced, done);
  });
  // a body is read by listeners of the socket, which know nothing of the request
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.traced) context.with(request.traced, done);
    else done();
  });
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
