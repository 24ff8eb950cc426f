import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { register } from "prom-client";
import type { Log } from "../platform/log.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { type ReadinessProbe, readinessCode } from "../platform/readiness/readiness.ts";
import { alive } from "./health-routes.ts";

/**
 * The listener of METRICS_PORT: /healthz, /readyz and /metrics, for monitoring. Separate from the API, so that metrics
 * are not public, and so that a worker, which serves no requests, can be monitored too.
 */

export interface TelemetryListenerDeps {
  port: number;
  host: string;
  readiness: ReadinessProbe;
  log: Log;
}

interface Answer {
  status: number;
  type: string;
  body: string;
}

const json = (status: number, value: unknown): Answer => ({
  status,
  type: "application/json; charset=utf-8",
  body: JSON.stringify(value),
});

/** Returns a function that closes it. */
export async function listenForTelemetry(settings: TelemetryListenerDeps): Promise<() => Promise<void>> {
  const server = createServer((request, response) => void respond(settings, request, response));
  server.requestTimeout = 10_000;
  // longer than a monitor's interval: closing the connection just then would lose a request
  server.keepAliveTimeout = 75_000;
  await listen(server, settings);
  const { port } = server.address() as AddressInfo;
  settings.log.info({ port }, "health and metrics are served");
  return async () => {
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
}

async function listen(server: Server, { port, host }: TelemetryListenerDeps): Promise<void> {
  try {
    await listenOn(server, port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // a machine without IPv6
    if (code === "EAFNOSUPPORT" && host === "::") await listenOn(server, port, "0.0.0.0");
    else if (code === "EADDRINUSE") throw new OperatorError(`port ${port} is taken; choose another with METRICS_PORT`);
    else if (code === "EADDRNOTAVAIL") throw new OperatorError(`this machine has no address ${host}; see METRICS_HOST`);
    else throw error;
  }
}

const listenOn = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve();
    });
  });

async function respond(settings: TelemetryListenerDeps, request: IncomingMessage, response: ServerResponse) {
  const { status, type, body } = await answer(settings, request).catch((error: unknown): Answer => {
    settings.log.error({ err: error }, "metrics could not be written");
    return json(500, { status: "failed" });
  });
  response.writeHead(status, {
    "Content-Type": type,
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function answer({ readiness }: TelemetryListenerDeps, { method, url = "" }: IncomingMessage) {
  if (method !== "GET" && method !== "HEAD") return json(405, { status: "method_not_allowed" });
  switch (url.split("?")[0]) {
    case "/healthz":
      return json(200, alive);
    case "/readyz": {
      const found = await readiness.read();
      return json(readinessCode(found), found);
    }
    case "/metrics":
      return { status: 200, type: register.contentType, body: await register.metrics() };
    default:
      return json(404, { status: "not_found" });
  }
}
