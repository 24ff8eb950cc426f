import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { postmasterPid } from "../journeys/program.ts";
import { freePort } from "../testkit/machine.ts";
import { databaseUrl, type RealProcess, startProcess } from "../testkit/real-processes.ts";
import type { HardSettings } from "./shops.ts";

/**
 * The program in three processes on one embedded PostgreSQL: `start` (API, worker, and the supervisor of PostgreSQL),
 * `serve` and `work`; and ways to kill each of them.
 */

export type Target = "start" | "serve" | "work" | "postmaster" | "backend";

export interface Targets {
  /** ms that starting the three took, one after another, on an idle machine */
  startMs: number;
  /** for `start` and `serve` */
  urls: readonly [string, string];
  /** for the database, in the form that another process would get */
  settings: HardSettings;
  /** Sends kill -9, and restarts a process that has no supervisor; returns false if there was nothing to kill. */
  kill(target: Target, random: () => number): Promise<boolean>;
  /** Whether all processes are serving. */
  allReady(): boolean;
  /** Failed starts, most of them because the database was unavailable; they were repeated, as a supervisor does. */
  readonly failedStarts: number;
  /** Processes that ended by themselves after they had been ready, with their last output. */
  readonly died: readonly string[];
  stop(): Promise<void>;
}

export async function openTargets(data: string, more: HardSettings): Promise<Targets> {
  const [startPort, servePort] = [await freePort(), await freePort()];
  await mkdir(data, { recursive: true });
  const shared = { ...more, EXPORT_STORAGE: join(data, "exports"), LOG_LEVEL: "info" };
  const startSettings = { ...shared, DATA_DIR: data, PORT: String(startPort) };
  const began = performance.now();
  const launchStart = () => startProcess(["start", "--no-demo"], startSettings);
  let start = launchStart();
  await start.untilReady();
  const embedded = await embeddedSettings(data);
  const settings = { ...shared, ...embedded, DATA_DIR: join(data, "second"), PORT: String(servePort) };
  const launchServe = () => startProcess(["serve"], settings);
  const launchWork = () => startProcess(["work"], { ...settings, DATA_DIR: join(data, "third") });
  let [serve, work] = [launchServe(), launchWork()];
  await Promise.all([serve.untilReady(), work.untilReady()]);
  const startMs = performance.now() - began;
  const killed = new Set<RealProcess>();
  const again = async (one: RealProcess, launch: () => RealProcess): Promise<RealProcess> => {
    killed.add(one);
    await one.kill();
    return launch();
  };
  const kills: Record<Target, (random: () => number) => Promise<boolean>> = {
    start: async () => {
      start = await again(start, launchStart);
      return true;
    },
    serve: async () => {
      serve = await again(serve, launchServe);
      return true;
    },
    work: async () => {
      work = await again(work, launchWork);
      return true;
    },
    postmaster: async () => killPid(await postmasterPid(data)),
    backend: async (random) => {
      const children = await childrenOf(await postmasterPid(data));
      return killPid(children[Math.floor(random() * children.length)] ?? null);
    },
  };
  const died: string[] = [];
  let failedStarts = 0;
  const revived = (one: RealProcess, launch: () => RealProcess): RealProcess => {
    if (!one.ended() || killed.has(one)) return one;
    if (one.ready()) died.push(one.log().slice(-2_000));
    else failedStarts += 1;
    return launch();
  };
  const supervising = setInterval(() => {
    start = revived(start, launchStart);
    serve = revived(serve, launchServe);
    work = revived(work, launchWork);
  }, 100);
  return {
    startMs,
    urls: [`http://127.0.0.1:${startPort}`, `http://127.0.0.1:${servePort}`],
    settings,
    kill: (target, random) => kills[target](random),
    allReady: () => [start, serve, work].every((one) => one.ready() && !one.ended()),
    get failedStarts() {
      return failedStarts;
    },
    died,
    stop: async () => {
      clearInterval(supervising);
      await Promise.all([serve.stop(), work.stop()]);
      await start.stop();
    },
  };
}

/** For another process on the running embedded database of a data directory. */
export async function embeddedSettings(data: string): Promise<{ DATABASE_URL: string; SECRET_KEY: string }> {
  const lines = (await readFile(join(data, "postgres/postmaster.pid"), "utf8")).split("\n");
  const at = { host: lines[4] ?? "", port: 5432, user: "quizstore", database: "quizstore" };
  return {
    DATABASE_URL: databaseUrl(at),
    SECRET_KEY: (await readFile(join(data, "secret.key"), "utf8")).trim(),
  };
}

async function killPid(pid: number | null): Promise<boolean> {
  if (pid === null) return false;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
  await pause(0);
  return true;
}

/** PostgreSQL's own processes: those that serve connections, and those that write. */
async function childrenOf(pid: number | null): Promise<number[]> {
  if (pid === null) return [];
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text.split(" ").filter(Boolean).map(Number);
}
