import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Span, Tracer } from "./types.ts";

declare module "fastify" {
  interface FastifyRequest {
    span: Span | null;
  }
}

/** Asked again and again by machines, and never slow for a reason that a trace would show. */
const untraced = new Set(["/healthz", "/readyz"]);

/** A span for each request that has a route, as part of its caller's trace (W3C Trace Context). */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest("span", null);
  app.addHook("onRequest", (request, reply, done) => {
    const route = request.routeOptions.url;
    if (route === undefined || untraced.has(route)) return done();
    const span = beginRequest(tracer, request, route);
    request.span = span;
    reply.raw.once("close", () => endRequest(span, request, reply));
    tracer.within(span, done);
  });
  // a body is read by listeners of the socket, which know nothing of the request
  app.addHook("preValidation", (request, _reply, done) => {
    if (request.span) tracer.within(request.span, done);
    else done();
  });
}

function beginRequest(tracer: Tracer, request: FastifyRequest, route: string): Span {
  const { method, protocol, headers, raw, id } = request;
  const attributes = {
    "http.request.method": method,
    "http.route": route,
    "url.scheme": protocol,
    "network.protocol.version": raw.httpVersion,
    "quizstore.request_id": id,
  };
  const { traceparent, tracestate } = headers;
  const caller = { traceparent: textOf(traceparent), tracestate: textOf(tracestate) };
  return tracer.begin({ name: `${method} ${route}`, kind: "server", attributes }, caller);
}

function endRequest(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode } = reply;
  const storeId = request.caller?.store.id;
  span.set({
    "http.response.status_code": statusCode,
    ...(storeId === undefined ? {} : { "quizstore.store_id": storeId }),
  });
  if (!reply.raw.writableFinished) span.fail("client_closed");
  else if (statusCode >= 500) span.fail(String(statusCode));
  span.end();
}

/** Of several headers of one name the first counts for none: W3C Trace Context wants them ignored. */
const textOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" ? header : undefined;
