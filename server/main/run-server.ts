import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { type Config, ConfigError } from "../platform/config.ts";
import type { UnderWay } from "../platform/http/under-way.ts";
import type { Intake } from "../storefront/public.ts";
import { AdminError } from "../stores/admin.ts";
import { type Api, composeApi } from "./compose.ts";
import { composeWorker } from "./compose-worker.ts";
import { DemoShop } from "./demo-shop.ts";
import { replayAtStart } from "./erasure.ts";
import { type Opened, openFoundations, settingsOf } from "./foundations.ts";
import { listenForSignals } from "./signals-listener.ts";

/** `quizstore start`, `serve` and `work`: opens everything, serves until it is asked to stop, closes in reverse. */

export interface ServerOptions {
  data?: string;
  port?: string;
  /** undefined: only into an empty data directory */
  demo?: boolean;
}

export type Part = "api" | "worker";

/** what requests under way may take */
const drainMs = 30_000;
/** what closing may take after it, such as commits and sends under way */
const closeMs = 35_000;

export async function runServer(options: ServerOptions, parts: readonly Part[], embedded: boolean): Promise<void> {
  const config = await serverSettings(options);
  if (!embedded && config.databaseUrl === null) {
    throw new ConfigError(
      "DATABASE_URL is required here: write an address such as postgres://user:password@host:5432/quizstore, or use quizstore start",
    );
  }
  const stop = stopSignal();
  // a worker reads a copy once, for a file
  const fewCopies = parts.includes("api") ? {} : { openCopies: 2 };
  const opened = await openFoundations(config, { role: "server", connections: 20, ...fewCopies });
  const closers: (() => Promise<unknown>)[] = [() => opened.close()];
  let underWay: UnderWay | null = null;
  try {
    await replayAtStart(opened);
    if (parts.includes("worker")) closers.push(composeWorker(opened));
    if (parts.includes("api")) {
      const api = composeApi(opened);
      closers.push(() => api.app.close());
      underWay = api.app.underWay;
      await listen(api, config);
      if (embedded) closers.push(await offerDemo(opened, api.intake, options));
    }
    const stopSignals = await listenWhereAsked(opened);
    // first of all closed last: a process that drains can be watched
    closers.splice(1, 0, stopSignals);
    opened.log.info({ parts }, "ready");
    await stop.asked;
    process.stderr.write("stopping: requests under way are finished first\n");
    opened.readiness?.stop();
    await drain(underWay, config.drainSeconds);
  } finally {
    const late = setTimeout(() => {
      process.stderr.write("stopping took too long; leaving what is still under way\n");
      process.exit(1);
    }, closeMs);
    for (const closer of closers.reverse()) await closer();
    clearTimeout(late);
    stop.release();
  }
}

async function listenWhereAsked({ config, registry, readiness, log }: Opened): Promise<() => Promise<void>> {
  if (config.metricsPort === null || registry === null || readiness === undefined) return async () => undefined;
  return listenForSignals({ port: config.metricsPort, host: config.metricsHost, registry, readiness, log });
}

/**
 * Goes on serving until the requests that were under way are over, and for as long as it takes those who send requests
 * to hear that this process is not ready any more.
 */
async function drain(underWay: UnderWay | null, seconds: number): Promise<void> {
  if (underWay === null) return;
  await Promise.all([
    Promise.race([underWay.drain(), pause(drainMs, undefined, { ref: false })]),
    pause(seconds * 1_000),
  ]);
}

async function serverSettings(options: ServerOptions): Promise<Config> {
  const config = settingsOf({ DATA_DIR: options.data, PORT: options.port });
  if (config.port !== 0) return config;
  return settingsOf({ DATA_DIR: options.data, PORT: String(await freePort()) });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

async function listen({ app }: Api, { port, baseUrl }: Config): Promise<void> {
  try {
    await app.listen({ port, host: "::" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EAFNOSUPPORT") await app.listen({ port, host: "0.0.0.0" });
    else if (code === "EADDRINUSE") throw new AdminError(`port ${port} is taken; choose another with --port or PORT`);
    else if (code === "EACCES")
      throw new AdminError(`port ${port} needs privileges; choose one above 1023 with --port or PORT`);
    else throw error;
  }
  process.stdout.write(`Quiz Store listens on ${baseUrl}\n`);
}

/** The demo shop: always offered again where it is, made where nothing else is. Filling it goes on beside the service. */
async function offerDemo(opened: Opened, intake: Intake, options: ServerOptions): Promise<() => Promise<unknown>> {
  const demo = new DemoShop(opened);
  const wanted = await demo.prepare(options.demo);
  if (!wanted) return async () => undefined;
  process.stdout.write(demo.welcome());
  const filling = demo.fill(intake);
  return async () => {
    demo.stop();
    await filling;
  };
}

/** SIGINT, SIGTERM, or the end of the npm that started this: the first asks for a graceful stop, a second leaves at once. */
function stopSignal(): { asked: Promise<void>; release: () => void } {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let signals = 0;
  const onSignal = () => {
    signals += 1;
    if (signals > 1) process.exit(130);
    resolve();
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal).on("SIGHUP", onSignal);
  const parent = process.ppid;
  // npm that is killed outright leaves its child behind: nobody could stop that one any more
  const watch = process.env["npm_lifecycle_event"]
    ? setInterval(() => process.ppid !== parent && resolve(), 1_000).unref()
    : undefined;
  return { asked, release: () => clearInterval(watch) };
}
