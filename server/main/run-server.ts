import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { printResult, sentenceOf } from "../platform/command-line/print.ts";
import type { Config } from "../platform/config.ts";
import type { UnderWay } from "../platform/http/under-way.ts";
import { OperatorError } from "../platform/operator-error.ts";
import type { Intake } from "../storefront/intake.ts";
import { Built, type BuiltFiles } from "../web/open-built.ts";
import { dashboardTarget, playerTarget } from "../web/targets.ts";
import { type Api, composeApi, nothingServed } from "./compose.ts";
import { composeWorker } from "./compose-worker.ts";
import { DemoShop } from "./demo/demo-shop.ts";
import { replayAtStart } from "./erasure.ts";
import { checkout, elapsed, type Opened, settingsOf } from "./foundations.ts";
import { rememberAddress } from "./last-address.ts";
import { type OpenedServer, openServer } from "./open-server.ts";
import { cutOffMs, drainMs, leaveMs, stopRequests } from "./stop-signal.ts";
import { listenForTelemetry } from "./telemetry-listener.ts";

/**
 * `quizstore start`, `serve` and `work`: opens everything, serves until it is told to stop, and closes in reverse
 * [operations.stop].
 */

export interface ServerOptions {
  data?: string;
  port?: string;
  /** undefined: only into an empty data directory */
  demo?: boolean;
  json?: boolean;
}

export type Part = "api" | "worker";

/** exit status if the process was told to leave before it was done */
const interrupted = 130;

/** Files for browsers: builds, or something in their place during development. */
type OpenFiles = (opened: Opened) => Promise<Record<"player" | "dashboard", BuiltFiles & { close?(): Promise<void> }>>;

export async function runServer(
  options: ServerOptions,
  parts: readonly Part[],
  embedded: boolean,
  openFiles: OpenFiles = openBuilt,
): Promise<void> {
  const config = await serverSettings(options);
  if (!embedded && config.databaseUrl === null) {
    throw new OperatorError(
      "DATABASE_URL is required here: write an address such as postgres://user:password@host:5432/quizstore, or use quizstore start",
    );
  }
  const stop = stopRequests({ source: process, elapsed, leave: () => process.exit(interrupted) });
  // a worker reads a copy only once, for an export
  const fewCopies = parts.includes("api") ? {} : { openCopies: 2 };
  let openedSoFar: Opened | undefined;
  const limit = limitStopping(config, () => openedSoFar);
  // a database that hangs may do so before the program is ready
  void stop.graceful.then(limit.begin);
  const opened = await openServer(config, { connections: 20, ...fewCopies });
  openedSoFar = opened;
  void stop.immediate.then(() => endNow(opened, "stopping at once", interrupted));
  const closers: (() => Promise<unknown>)[] = [() => opened.close()];
  const demo = new DemoShop(opened);
  let underWay: UnderWay | null = null;
  let stopWork: () => Promise<void> = async () => undefined;
  try {
    await replayAtStart(opened);
    if (parts.includes("worker")) {
      stopWork = once(composeWorker(opened));
      closers.push(stopWork);
    }
    if (parts.includes("api")) {
      const built = await openFiles(opened);
      closers.push(() => Promise.all([built.player.close?.(), built.dashboard.close?.()]));
      const api = composeApi({ ...opened, ...nothingServed, ...built, ...(embedded ? demo.storefront : {}) });
      closers.push(() => api.app.close());
      underWay = api.app.underWay;
      await listen(api, config);
      await rememberAddress(config);
      if (embedded && (await demo.prepare(options.demo))) closers.push(fillDemo(demo, api.intake));
    }
    announce(opened, parts, demo, options);
    const stopSignals = await listenWhereAsked(opened);
    // the listener, opened first, is closed last, so that a draining process can still be monitored
    closers.splice(1, 0, stopSignals);
    opened.log.info({ parts }, "ready");
    await stop.graceful;
    process.stderr.write("stopping: requests under way are finished first\n");
    opened.readiness.stop();
    // due work stops while requests are still answered; if that fails, the same promise is rethrown by its closer below
    stopWork().catch(() => undefined);
    await drain(underWay, config.drainSeconds);
  } finally {
    limit.begin();
    for (const closer of closers.reverse()) await closer();
    limit.end();
    stop.release();
  }
  // A process that ends by itself stops catching signals shortly before it is gone. The last one of a Ctrl-C, which npm
  // sends on late on a busy machine, would then kill it.
  process.exit();
}

/** Builds the player before the dashboard if both are missing, because shoppers come first. */
async function openBuilt({ config, log }: Opened): Promise<{ player: Built; dashboard: Built }> {
  const deps = { checkout, dataDir: config.dataDir, log };
  const player = await Built.open(playerTarget, deps);
  return { player, dashboard: await Built.open(dashboardTarget, { ...deps, after: player.settled() }) };
}

async function listenWhereAsked({ config, readiness, log }: OpenedServer): Promise<() => Promise<void>> {
  if (config.metricsPort === null) return async () => undefined;
  return listenForTelemetry({ port: config.metricsPort, host: config.metricsHost, readiness, log });
}

/**
 * Keeps serving until the running requests are over, and long enough for load balancers to notice that this process is
 * no longer ready.
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

async function listen({ app }: Api, { port }: Config): Promise<void> {
  try {
    await app.listen({ port, host: "::" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EAFNOSUPPORT") await app.listen({ port, host: "0.0.0.0" });
    else if (code === "EADDRINUSE")
      throw new OperatorError(`port ${port} is taken; choose another with --port or PORT`);
    else if (code === "EACCES")
      throw new OperatorError(`port ${port} needs privileges; choose one above 1023 with --port or PORT`);
    else throw error;
  }
}

/** Prints what the person at the terminal, or the program that started this one, needs next. */
function announce({ config }: Opened, parts: readonly Part[], demo: DemoShop, { json }: ServerOptions): void {
  const url = parts.includes("api") ? config.baseUrl : null;
  const { access } = demo;
  if (json) printResult({ parts, url, data_dir: config.dataDir, demo: access }, true);
  else if (url !== null) {
    const first = access ? `Open the demo shop: ${access.storefront_url}\n${signInLine(access.sign_in_url)}` : "";
    process.stdout.write(`${first}Quiz Store listens on ${url}\n${demo.welcome()}`);
  }
}

const signInLine = (link: string | null): string =>
  link === null ? "" : `Open its dashboard: ${link} (signs in as the owner, once)\n`;

/** Runs while the server serves; returns a function that stops it. */
function fillDemo(demo: DemoShop, intake: Intake): () => Promise<unknown> {
  const filling = demo.fill(intake);
  return async () => {
    demo.stop();
    await filling;
  };
}

function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let begun: Promise<Result> | undefined;
  return () => {
    begun ??= work();
    return begun;
  };
}

/**
 * Cuts off what is still under way when stopping takes too long, such as with a database that no longer answers, before
 * the service manager kills everything [operations.grace].
 */
function limitStopping({ drainSeconds }: Config, opened: () => Opened | undefined) {
  let late: NodeJS.Timeout | undefined;
  const cutOff = (): void => {
    const soFar = opened();
    setTimeout(() => process.exit(1), soFar ? leaveMs : 0);
    if (soFar) void endNow(soFar, "stopping took too long; what is under way is cut off", 1);
  };
  const begin = (): void => {
    late ??= setTimeout(cutOff, cutOffMs(drainSeconds)).unref();
  };
  return { begin, end: () => clearTimeout(late) };
}

/** Ends at once: requests are cut off, but PostgreSQL is not left running. */
async function endNow(opened: Opened, why: string, status: number): Promise<void> {
  process.stderr.write(`${why}\n`);
  await opened.stopDatabase().catch((error: unknown) => process.stderr.write(`quizstore: ${sentenceOf(error)}\n`));
  process.exit(status);
}
