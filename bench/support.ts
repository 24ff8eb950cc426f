import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";

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

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return ((sorted[middle] ?? 0) + (sorted[Math.ceil(sorted.length / 2 - 0.5)] ?? sorted[middle] ?? 0)) / 2;
};
