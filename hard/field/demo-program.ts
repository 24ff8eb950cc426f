import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type IncomingHttpHeaders, request as sendRequest } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { startProcess, thisCheckout } from "../../testkit/real-processes.ts";

/** The real program with its demo shop, for what runs in front of it or reads from it. */

export interface DemoProgram {
  url: string;
  key: string;
  publishableKey: string;
  /** of the demo's first quiz */
  quizId: string;
  /** of its listener for health and metrics */
  metricsUrl: string;
  stop(): Promise<unknown>;
}

export interface Asked {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Answered {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A line of the report. */
export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Sends exactly these headers, and decodes nothing. */
export async function ask(url: string, { method = "GET", headers = {}, body }: Asked = {}): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const sent = sendRequest(url, { method, headers, agent: false }, (answer) => {
    buffer(answer).then(
      (bytes) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: bytes }),
      reject,
    );
  });
  sent.on("error", reject);
  sent.end(body);
  return promise;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Tries until it neither throws nor returns undefined. */
export async function until<T>(what: string, get: () => Promise<T | undefined>, seconds = 120): Promise<T> {
  const last = performance.now() + seconds * 1_000;
  for (;;) {
    const found = await get().catch(() => undefined);
    if (found !== undefined) return found;
    if (performance.now() > last) throw new Error(`waited ${seconds} s for ${what}`);
    await pause(200);
  }
}

interface DemoState {
  key: string;
  publishableKey: string;
  quizzes: { quiz_id: string }[];
  filled: boolean;
}

/** Starts it in a folder of its own, and waits until the demo's shoppers have been there. */
export async function startDemo(settings: Record<string, string> = {}, checkout = thisCheckout): Promise<DemoProgram> {
  const dataDir = await mkdtemp(join(tmpdir(), "quizstore-field-"));
  const [port, metricsPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const own = { DATA_DIR: dataDir, PORT: String(port), BASE_URL: url, METRICS_PORT: String(metricsPort) };
  const running = startProcess(["start", "--demo"], { ...own, ...settings }, checkout);
  const stop = async () => {
    await running.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await running.untilReady(180);
    const state = await until("the demo's shoppers", async () => {
      const read = JSON.parse(await readFile(join(dataDir, "demo.json"), "utf8")) as DemoState;
      return read.filled ? read : undefined;
    });
    const { key, publishableKey, quizzes } = state;
    const metricsUrl = `http://127.0.0.1:${metricsPort}`;
    return { url, key, publishableKey, quizId: quizzes[0]?.quiz_id ?? "", metricsUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
