import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { McpRequestContext, McpServer } from "@modelcontextprotocol/server";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createClient, type Fetch } from "../../client/src/index.ts";
import type { Authenticate } from "../platform/caller.ts";
import { charge } from "../platform/http/charges.ts";
import type { Limiter } from "../platform/limiter/types.ts";
import { Problem } from "../platform/problems.ts";
import { bearer } from "../stores/public.ts";
import { apiPrefixOf, asAssistant } from "./as-assistant.ts";
import type { ToolContext } from "./tool.ts";

/**
 * MCP over streamable HTTP at /mcp, for programs with an API key or a person's token [mcp.key, mcp.person,
 * mcp.conforms].
 */

export type NewMcpServer = (context: ToolContext, version: string) => McpServer;

export interface McpDeps {
  baseUrl: string;
  version: string;
  authenticate: Authenticate;
  limiter: Limiter;
  /** tests serve their own tools */
  newMcpServer?: NewMcpServer | undefined;
}

export function registerMcp(app: FastifyInstance, deps: McpDeps): void {
  const { baseUrl, version } = deps;
  const own = new URL(baseUrl);
  const open = async () => {
    // loads the library only when an assistant calls
    const [{ createMcpHandler }, { newMcpServer }] = await Promise.all([
      import("@modelcontextprotocol/server"),
      deps.newMcpServer ? { newMcpServer: deps.newMcpServer } : import("./server.ts"),
    ]);
    const serve = ({ authInfo }: McpRequestContext) => {
      if (!authInfo) throw new Error("a message reached the tools without a key");
      // tools call the API like any program: through the gate, with the caller's key, and from the caller's address
      const address = String(authInfo.extra?.["address"]);
      const client = createClient({
        ...{ baseUrl: apiPrefixOf(authInfo.token), apiKey: authInfo.token, headers: asAssistant },
        ...{ fetch: within(app, address), retries: 0 },
      });
      return newMcpServer({ client, baseUrl }, version);
    };
    // there are no events to subscribe to, and an open stream would keep the program from stopping
    return createMcpHandler(serve, { maxSubscriptions: 0 });
  };
  let handler: ReturnType<typeof open> | null = null;
  app.addHook("onClose", async () => (await handler)?.close());
  for (const method of ["GET", "POST", "DELETE"] as const) {
    app.route({
      method,
      url: "/mcp",
      handler: async (request, reply) => {
        const caller = await deps.authenticate(request.headers.authorization, request.deadline);
        if (!mayCome(request.headers.origin, own)) throw new Problem("cross_site_request");
        for (const _ of messagesIn(request.body)) await charge(deps.limiter, caller, "read", reply);
        handler ??= open();
        const authInfo = {
          ...{ token: bearer(request.headers.authorization) ?? "", clientId: caller.admin, scopes: [...caller.scopes] },
          extra: { address: request.address },
        };
        const body = { ...parsedBody(request), authInfo };
        return answered(reply, await (await handler).fetch(asWebRequest(request, own.origin), body));
      },
    });
  }
}

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * Pages of other origins may not call, whatever key they hold. On a developer's own machine, tools come from other
 * ports of localhost.
 */
function mayCome(origin: string | undefined, own: URL): boolean {
  if (origin === undefined || origin === own.origin) return true;
  return loopback.test(own.hostname) && URL.canParse(origin) && loopback.test(new URL(origin).hostname);
}

/**
 * Each message is charged as a read to the key's limits; the tool's own API requests are charged in addition [mcp.api].
 */
const messagesIn = (body: unknown): unknown[] => [body].flat().slice(0, mostMessages);

/** The library refuses a request with more. */
const mostMessages = 100;

const parsedBody = ({ method, body }: FastifyRequest) => (method === "POST" ? { parsedBody: body } : {});

const answerTypes = ["application/json", "text/event-stream"];

/** Whether an `Accept` header, or a missing one, takes both types of answers; refused ones have `q=0`. */
function acceptsBoth(header: string | null): boolean {
  if (header === null || header.trim() === "") return true;
  const ranges = header
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((part) => part.trim()))
    .filter(([, ...parameters]) => !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
    .map(([type]) => type);
  return answerTypes.every((type) => [type, `${type.split("/")[0]}/*`, "*/*"].some((range) => ranges.includes(range)));
}

function asWebRequest(request: FastifyRequest, origin: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (typeof value === "string" && !/^(host|connection|content-length|transfer-encoding)$/.test(name))
      headers.set(name, value);
  }
  const { method } = request;
  // the library takes only headers that name both; what accepts anything accepts them too [mcp.accept]
  if (method === "POST" && acceptsBoth(headers.get("accept"))) headers.set("accept", answerTypes.join(", "));
  return new Request(`${origin}/mcp`, {
    method,
    headers,
    ...(method === "POST" ? { body: JSON.stringify(request.body) } : {}),
  });
}

function answered(reply: FastifyReply, response: Response): FastifyReply {
  reply.status(response.status).header("Cache-Control", "no-store");
  for (const [name, value] of response.headers)
    if (!/^(connection|cache-control)$/.test(name)) reply.header(name, value);
  // the same stream; Node's types and the DOM's differ
  return reply.send(response.body === null ? "" : Readable.fromWeb(response.body as ReadableStream));
}

/** A `fetch` that calls this server in-process, without a network; requests count as sent from the address. */
const within =
  (app: FastifyInstance, address: string): Fetch =>
  async (url, { method = "GET", headers, body }) => {
    const answer = await app.inject({
      ...{ url, headers: Object.fromEntries(new Headers(headers)), remoteAddress: address },
      method: method as "GET" | "POST" | "PATCH" | "DELETE",
      ...(typeof body === "string" ? { payload: body } : {}),
    });
    const sent = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
    const empty = answer.statusCode === 204 || answer.statusCode === 304;
    return new Response(empty ? null : answer.payload, { status: answer.statusCode, headers: sent });
  };
