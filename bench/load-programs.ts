import { type ChildProcess, fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { freePort } from "../testkit/machine.ts";
import { databaseUrl, type RealProcess, startProcess } from "../testkit/real-processes.ts";
import type { GeneratorPlan, MinuteReport, Order, Report, RunOrder, RunReport, RunTotals } from "./load-generator.ts";
import type { LoadTarget } from "./load-mix.ts";
import type { ReceivedReport } from "./load-receiver.ts";
import { countedTopics } from "./load-truth.ts";

/** The processes of a load run: the program as `serve` and `work`, the clients, and the receiver of webhooks. */

export interface LoadProgram {
  origin: string;
  /** for `serve` */
  metricsUrl: string;
  serve: RealProcess;
  work: RealProcess;
  /** from their start until both were ready */
  readyMs: number;
  /** lines that either process logged as errors, in the last megabyte */
  errorLines(): string[];
  stop(): Promise<void>;
}

// the same as in deploy/
const memoryOfServe = { NODE_OPTIONS: "--max-semi-space-size=64" };
const memoryOfWork = { NODE_OPTIONS: "--max-semi-space-size=16 --max-old-space-size=1024", MALLOC_ARENA_MAX: "2" };

export const newSecretKey = (): string => randomBytes(32).toString("hex");

export async function startProgram(
  connection: pg.ClientConfig,
  secretKey: string,
  receiverHost: string,
): Promise<LoadProgram> {
  const folder = await mkdtemp(join(tmpdir(), "quizstore-load-"));
  const port = await freePort();
  const metricsPort = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = {
    DATABASE_URL: databaseUrl(connection),
    SECRET_KEY: secretKey,
    DATA_DIR: folder,
    BASE_URL: origin,
    WEBHOOK_ALLOW_HOSTS: receiverHost,
    UV_THREADPOOL_SIZE: "8",
  };
  const begun = performance.now();
  const serve = startProcess(["serve", "--port", String(port)], {
    ...settings,
    METRICS_PORT: String(metricsPort),
    ...memoryOfServe,
  });
  const work = startProcess(["work"], { ...settings, ...memoryOfWork });
  const stop = async () => {
    await Promise.all([serve.stop(), work.stop()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all([serve.untilReady(), work.untilReady()]);
  } catch (error) {
    await stop();
    throw error;
  }
  const readyMs = performance.now() - begun;
  return {
    origin,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    serve,
    work,
    readyMs,
    errorLines: () =>
      `${serve.log()}\n${work.log()}`.split("\n").filter((line) => /"level":"(error|fatal)"/.test(line)),
    stop,
  };
}

/** Creates the endpoint of every subscribed store, through the API. */
export async function subscribe(origin: string, host: string, targets: readonly LoadTarget[]): Promise<void> {
  for (const { id, key } of targets.filter((target) => target.subscribed)) {
    const answer = await fetch(`${origin}/v1/webhooks`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ url: `http://${host}/${id}`, topics: countedTopics, include_pii: false }),
    });
    if (answer.status !== 201) throw new Error(`an endpoint was refused: ${answer.status} ${await answer.text()}`);
  }
}

export interface Receiver {
  host: string;
  pid: number;
  report(): Promise<ReceivedReport>;
  stop(): void;
}

export async function startReceiver(): Promise<Receiver> {
  const child = fork(join(import.meta.dirname, "load-receiver.ts"));
  const [port] = (await once(child, "message")) as [number];
  return {
    host: `127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    report: async () => {
      const answer = once(child, "message");
      child.send("report");
      const [report] = (await answer) as [ReceivedReport];
      return report;
    },
    stop: () => child.disconnect(),
  };
}

export class Clients {
  readonly #child: ChildProcess;
  readonly #onMinute: (minute: MinuteReport) => void;

  constructor(onMinute: (minute: MinuteReport) => void) {
    this.#child = fork(join(import.meta.dirname, "load-generator.ts"));
    this.#onMinute = onMinute;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Returns how long it took to create every store's copy. */
  async prepare(plan: GeneratorPlan): Promise<number> {
    const report = await this.#ask({ order: "prepare", plan }, "prepared");
    return report.milliseconds;
  }

  async run(run: RunOrder): Promise<RunReport> {
    return (await this.#ask({ order: "run", run }, "ran")).run;
  }

  async totals(): Promise<RunTotals> {
    return (await this.#ask({ order: "totals" }, "totals")).totals;
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #ask<Name extends Report["report"]>(order: Order, name: Name): Promise<Extract<Report, { report: Name }>> {
    const { promise, resolve, reject } = Promise.withResolvers<Extract<Report, { report: Name }>>();
    const onMessage = (report: Report) => {
      if (report.report === "minute") this.#onMinute(report.minute);
      else if (report.report === name) resolve(report as Extract<Report, { report: Name }>);
    };
    const onExit = () => reject(new Error("the clients' process ended"));
    this.#child.on("message", onMessage).on("exit", onExit);
    this.#child.send(order);
    return promise.finally(() => this.#child.off("message", onMessage).off("exit", onExit));
  }
}
