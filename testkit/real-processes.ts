import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { patience } from "./slowness.ts";

/**
 * `quizstore serve`, `work` and `start` as separate processes that can be killed at any moment, even while they start.
 */

/** The program's entry point in a checkout. */
export const entryOf = (checkout: string): string => join(checkout, "server/main/quizstore.ts");

export const thisCheckout = join(import.meta.dirname, "..");

export interface RealProcess {
  readonly pid: number;
  /** Everything that it logged. */
  log(): string;
  /** Whether it is serving or working already. */
  ready(): boolean;
  ended(): boolean;
  /** Resolves when it is ready; throws if it ends first, or after `seconds`. */
  untilReady(seconds?: number): Promise<void>;
  exited: Promise<number | null>;
  /** kill -9 */
  kill(): Promise<void>;
  /** sends SIGTERM; returns the exit status */
  stop(): Promise<number | null>;
  /** see `ownMemory` */
  memory(): Promise<number>;
}

/**
 * The process inherits nothing but the given settings and the path to Node.
 * @param checkout the program's checkout
 */
export function startProcess(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  checkout = thisCheckout,
): RealProcess {
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "/", TZ: "UTC", ...settings };
  const child: ChildProcess = spawn(process.execPath, [entryOf(checkout), ...args], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  let isReady = false;
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
    // limits memory during a flood of warnings; the last messages are the most useful
    text = (text + chunk).slice(-1_000_000);
    isReady ||= text.includes('"msg":"ready"');
  });
  const exited = once(child, "close").then(([code]: unknown[]) => (typeof code === "number" ? code : null));
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return exited;
  };
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  const untilReady = async (seconds = 60): Promise<void> => {
    const last = performance.now() + seconds * 1_000 * patience;
    while (!isReady) {
      if (ended() || performance.now() > last) throw new Error(`quizstore ${args.join(" ")} did not start:\n${text}`);
      await pause(10);
    }
  };
  return {
    pid: child.pid ?? 0,
    log: () => text,
    ready: () => isReady,
    ended,
    untilReady,
    exited,
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
    memory: () => ownMemory(child.pid ?? 0),
  };
}

/**
 * A process's own memory in MB; 0 if it has ended. Excludes file-mapped pages of programs and libraries: the kernel
 * evicts and reloads them as it likes, a hundred MB at a time.
 */
export async function ownMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** A connection in the form of DATABASE_URL; a host that is a folder means a socket in it. */
export function databaseUrl({ host, port, user, password, database }: pg.ClientConfig): string {
  const parts = { host, port: port === undefined ? undefined : String(port), user, password };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) if (typeof value === "string" && value) query.set(name, value);
  return `postgres:///${database ?? ""}?${query}`;
}
