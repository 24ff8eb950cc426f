import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";

/** `quizstore serve`, `work` and `start` as processes of their own, to be killed at any moment, their start included. */

/** The program of a checkout. */
export const entryOf = (checkout: string): string => join(checkout, "server/main/quizstore.ts");

export const thisCheckout = join(import.meta.dirname, "..");

export interface RealProcess {
  readonly pid: number;
  /** Everything it logged. */
  log(): string;
  /** Whether it has come as far as to serve or to work. */
  ready(): boolean;
  ended(): boolean;
  /** Resolves when it is ready; throws when it ends first, or after `seconds`. */
  untilReady(seconds?: number): Promise<void>;
  exited: Promise<number | null>;
  /** kill -9 */
  kill(): Promise<void>;
  /** SIGTERM; the exit status */
  stop(): Promise<number | null>;
  /** as `ownMemory` has it */
  memory(): Promise<number>;
}

/** The settings are all that it inherits, but for the way to Node. @param checkout whose program it is */
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
    // a storm of warnings is no reason to run out of memory; what was said last tells the most
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
    const last = performance.now() + seconds * 1_000;
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
 * What a process holds itself, in MB; 0 when it has ended. Pages of programs and libraries, which are mapped from files, are
 * not among it: the kernel takes them away and gives them back as it likes, a hundred MB at a time.
 */
export async function ownMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** A connection as DATABASE_URL has it; a host that is a folder is that of a socket. */
export function databaseUrl({ host, port, user, password, database }: pg.ClientConfig): string {
  const parts = { host, port: port === undefined ? undefined : String(port), user, password };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) if (typeof value === "string" && value) query.set(name, value);
  return `postgres:///${database ?? ""}?${query}`;
}
