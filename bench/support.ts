import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { OwnApi } from "../testkit/own-api.ts";
import type { SeededStore } from "../testkit/seeded/history.ts";

/** Shared by benchmarks: servers in child processes, and a table of figures. */

export interface ChildServer {
  port: number;
  /** resident memory in MB */
  memory(): Promise<number>;
  /** processor time used so far, in ms, which does not depend on other load */
  processorMs(): Promise<number>;
  stop(): Promise<void>;
}

/** Runs a program that sends its port over IPC once it listens, and ends when its channel closes. */
export async function startServer(program: string, settings: unknown, execArgv: string[] = []): Promise<ChildServer> {
  const child: ChildProcess = fork(program, [JSON.stringify(settings)], {
    execArgv,
    env: { ...process.env, NODE_ENV: "production" },
  });
  const ended = once(child, "exit").then(() => {
    throw new Error(`${program} ended before it listened`);
  });
  const [port] = (await Promise.race([once(child, "message"), ended])) as [number];
  ended.catch(() => undefined);
  return {
    port,
    memory: async () => {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    },
    processorMs: async () => {
      const text = await readFile(`/proc/${child.pid}/stat`, "utf8").catch(() => "");
      const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * 10;
    },
    stop: async () => {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}

export function printRow(...cells: (string | number)[]): void {
  const [first = "", ...rest] = cells.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : cell));
  console.log(first.padEnd(34) + rest.map((cell) => cell.padStart(14)).join(""));
}

/** The value that this share of them does not reach; the largest for a share of 1, and NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Limits that no benchmark reaches. */
export const roomy = { capacity: 1_000_000, leak_per_second: 1_000_000 };

/** The date in UTC so many days ago. */
export const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** The median time of so many rounds, in ms; a first one is not counted, because caches are cold. */
export async function timed(work: () => Promise<unknown>, rounds: number): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const begun = performance.now();
    await work();
    if (round > 0) taken.push(performance.now() - begun);
  }
  return median(taken);
}

/** Asks an app in this process; with the `etag` of an earlier answer, it must answer that nothing has changed. */
export async function ask({ api: { app } }: OwnApi, { key }: SeededStore, url: string, etag?: string) {
  const headers = { authorization: `Bearer ${key}`, ...(etag === undefined ? {} : { "if-none-match": etag }) };
  const begun = performance.now();
  const answer = await app.inject({ method: "GET", url, headers });
  const milliseconds = performance.now() - begun;
  if (answer.statusCode !== (etag === undefined ? 200 : 304)) throw new Error(`${url}: ${answer.body}`);
  return { milliseconds, etag: String(answer.headers["etag"]), bytes: answer.rawPayload.length };
}
