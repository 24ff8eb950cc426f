import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openEmbedded } from "../server/platform/embedded-postgres/open-embedded.ts";
import { devBase } from "./dev-files.ts";
import { devLoader, openVite } from "./dev-vite.ts";

/**
 * `npm run dev`: one address for everything. The server runs under watch behind it; the dashboard and the player come
 * from their sources, by Vite. The database stays open while the server starts again.
 */

const { values } = parseArgs({
  options: {
    port: { type: "string", default: process.env["PORT"] ?? "8080" },
    data: { type: "string" },
    demo: { type: "boolean" },
  },
  allowNegative: true,
});
const port = Number(values.port);
const serverPort = port + 1;
const dataDir = values.data ?? process.env["DATA_DIR"] ?? "./data";
/** ms that a request waits for a server that is starting again */
const patience = 30_000;

async function openDatabase(): Promise<() => Promise<void>> {
  if (process.env["DATABASE_URL"] !== undefined) return async () => undefined;
  const embedded = await openEmbedded({ dataDir, role: "command", log: () => undefined });
  return () => embedded.stop();
}

function startServer() {
  const url = `http://localhost:${port}`;
  const env = { ...process.env, BASE_URL: url, PORT: String(serverPort), DATA_DIR: dataDir, UV_THREADPOOL_SIZE: "8" };
  const cached = { NODE_COMPILE_CACHE: join(import.meta.dirname, "../node_modules/.cache/compiled") };
  const demo = values.demo === undefined ? [] : [values.demo ? "--demo" : "--no-demo"];
  const flags = ["--watch", "--watch-preserve-output", join(import.meta.dirname, "dev-server.ts"), ...demo];
  return spawn(process.execPath, flags, { stdio: "inherit", env: { ...env, ...cached } });
}

/**
 * Hands a request over to the server, as often as it takes until it listens again. What a browser gives up is given up
 * here too, since a request that never ends would keep the server from stopping.
 */
async function handOver(from: IncomingMessage, to: ServerResponse, until: number): Promise<void> {
  const { method, url } = from;
  // a connection for each request, since one that is kept would keep the server from stopping
  const headers = { ...from.headers, connection: "close" };
  const options = { host: "localhost", port: serverPort, method, path: url, headers, agent: false } as const;
  const passed = request(options);
  try {
    await new Promise<void>((resolve, reject) => {
      passed.once("socket", (socket) => socket.once("connect", () => pipeline(from, passed, () => undefined)));
      passed.once("error", reject).once("response", (answer) => {
        const { connection: _closed, ...told } = answer.headers;
        to.writeHead(answer.statusCode ?? 502, told);
        pipeline(answer, to, () => resolve());
      });
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // one that the server left unanswered as it stopped is asked again, if it changes nothing
    const mayAgain = code === "ECONNREFUSED" || (code === "ECONNRESET" && method === "GET" && !to.headersSent);
    if (!mayAgain || performance.now() >= until) return void to.destroy();
    await pause(100);
    await handOver(from, to, until);
  }
}

const started = performance.now();
const closeDatabase = await openDatabase();
const child = startServer();
const front = createServer();
const vite = await openVite(front);
const loader = await devLoader();

front.on("request", (from, to) => {
  if (from.url?.startsWith(devBase)) vite.middlewares(from, to);
  else if (from.url === "/embed.js") to.writeHead(200, { "content-type": "text/javascript" }).end(loader);
  else void handOver(from, to, performance.now() + patience);
});
front.once("error", (error) => {
  process.stderr.write(`${error.message}; choose another port with --port\n`);
  void close(1);
});
front.listen(port, "localhost", () =>
  process.stdout.write(
    `Sources are served at http://localhost:${port} after ${Math.round(performance.now() - started)} ms\n`,
  ),
);

async function close(status = 0): Promise<void> {
  child.kill("SIGTERM");
  front.closeAllConnections();
  front.close();
  await vite.close();
  await closeDatabase();
  process.exit(status);
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void close());
child.once("exit", () => void close());
