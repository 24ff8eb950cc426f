import { type Context, context, propagation, ROOT_CONTEXT, type Span, SpanKind, trace } from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { beginSpan, failSpan } from "./spans.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** what its work is done in: its span, where it is recorded */
    traced: Context;
  }
}

/** Asked again and again by machines, and never slow for a reason that a trace would show. */
const untraced = new Set(["/healthz", "/readyz"]);

/** A span for each request that has a route, as part of its caller's trace (W3C Trace Context). */
export function traceRequests(app: FastifyInstance): void {
  app.decorateRequest("traced");
  // One that is not recorded has a context of its own as well: a request that waited for the answer before it on its
  // connection is begun by the end of that one, and would count as a part of it.
  app.addHook("onRequest", (request, reply, done) => {
    request.traced = contextOf(request, reply);
    context.with(request.traced, done);
  });
  // a body is read by listeners of the socket, which know nothing of the request
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
