import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fchownSync, openSync, readSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../operator-error.ts";
import { type ClusterPlace, openForProgram, PROGRAM_ENVIRONMENT, spawnAs, spawnFailure } from "./cluster.ts";
import { codeOf, diskIsFull, saysDiskFull } from "./errors.ts";
import { isPostmasterOf, type Postmaster, readPostmaster } from "./postmaster-file.ts";
import { SOCKET_PORT } from "./socket-directory.ts";

const POLL_MS = 10;
const POLLS_BEFORE_WORD = 1000;
const LARGEST_LOG_BYTES = 10 * 1024 * 1024;
// Backends outlive a killed postmaster for a moment and hold its shared memory.
const LEFTOVER_BACKENDS_TRIES = 50;
const FAST_STOP_POLLS = 6000;
const IMMEDIATE_STOP_POLLS = 1000;
const COLLECT_POLLS = 20;
const ENDING_POLLS = 100;

/** What one start of PostgreSQL needs. */
export interface Launch {
  place: ClusterPlace;
  binaries: string;
  socketDir: string;
  marker: string;
  settings: Record<string, string>;
  /** A pid from a leftover postmaster.pid that now belongs to another process. */
  stalePid: number | null;
  signal: AbortSignal;
  log: (message: string, fields?: object) => void;
}

function serverSettings(launch: Launch): Record<string, string> {
  return {
    listen_addresses: "",
    port: String(SOCKET_PORT),
    unix_socket_directories: `"${launch.socketDir}"`,
    unix_socket_permissions: "0700",
    cluster_name: launch.marker,
    shared_buffers: "128MB",
    max_connections: "100",
    wal_compression: "on",
    // Large queries go to the columnar copy. Parallel workers would need more shared memory than a container's 64 MB.
    max_parallel_workers_per_gather: "0",
    jit: "off",
    // Every new database begins with empty tables, and plans made for them suit no others. The usual minute is long: an
    // import has written a hundred thousand rows by then.
    autovacuum_naptime: "10s",
    timezone: "UTC",
    log_timezone: "UTC",
    // The program itself receives the errors of statements; PostgreSQL's log would repeat what shoppers wrote.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_checkpoints: "off",
    ...launch.settings,
  };
}

/**
 * Starts PostgreSQL and waits until it accepts connections, however long recovery takes. Call under the launch lock.
 */
export async function startPostmaster(launch: Launch): Promise<Postmaster> {
  for (let tries = 1; ; tries += 1) {
    const { child, logFile, logStart } = await spawnPostmaster(launch);
    const started = await untilReady(launch, child);
    if (started) return started;
    const said = readFrom(logFile, logStart);
    if (!said.includes("pre-existing shared memory block") || tries === LEFTOVER_BACKENDS_TRIES) {
      throw startFailure(launch, said, logFile);
    }
    await sleep(10 * POLL_MS);
  }
}

async function spawnPostmaster(launch: Launch): Promise<{ child: ChildProcess; logFile: string; logStart: number }> {
  const { dataDir, cluster, account } = launch.place;
  const logFile = join(dataDir, "postgres.log");
  const logSize = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (logSize > LARGEST_LOG_BYTES) renameSync(logFile, `${logFile}.1`);
  const logStart = logSize > LARGEST_LOG_BYTES ? 0 : logSize;
  const log = openSync(logFile, "a", 0o600);
  const { argument, descriptor } = openForProgram(cluster, account);
  const program = join(launch.binaries, "bin", "postgres");
  try {
    if (account.switched) fchownSync(log, account.uid, account.gid);
    const settings = Object.entries(serverSettings(launch)).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(program, ["-D", argument, ...settings], {
      // A session of its own: Ctrl-C in the terminal must not reach it before the program has drained.
      detached: true,
      cwd: "/",
      // PostgreSQL trusts a postmaster.pid with a live pid, except this one; then it still checks that the shared
      // memory named there is unused. Removing the file would skip that check.
      env: launch.stalePid ? { ...PROGRAM_ENVIRONMENT, PG_GRANDPARENT_PID: `${launch.stalePid}` } : PROGRAM_ENVIRONMENT,
      stdio: ["ignore", log, log, ...(descriptor === null ? [] : [descriptor])],
      ...spawnAs(account),
    });
    await new Promise<void>((resolve, reject) => {
      child.once("spawn", resolve);
      child.once("error", (error) => reject(spawnFailure(program, account, error)));
    });
    child.unref();
    return { child, logFile, logStart };
  } finally {
    closeSync(log);
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** Undefined if the process ended first. */
async function untilReady(launch: Launch, child: ChildProcess): Promise<Postmaster | undefined> {
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  for (let polls = 1; !ended && child.exitCode === null && child.signalCode === null; polls += 1) {
    const postmaster = readPostmaster(launch.place.cluster);
    if (postmaster?.ready && postmaster.pid === child.pid) return postmaster;
    await pollWhileStarting(launch, polls);
  }
  return undefined;
}

/** Waits for a PostgreSQL that another process started; undefined if it ended. */
export async function untilOtherReady(launch: Launch, pid: number): Promise<Postmaster | undefined> {
  for (let polls = 1; ; polls += 1) {
    const postmaster = readPostmaster(launch.place.cluster);
    if (postmaster?.pid !== pid) return undefined;
    if (postmaster.ready) return postmaster;
    if (polls % 10 === 0 && !(await isPostmasterOf(launch.place.cluster, pid, launch.marker))) return undefined;
    await pollWhileStarting(launch, polls);
  }
}

async function pollWhileStarting(launch: Launch, polls: number): Promise<void> {
  launch.signal.throwIfAborted();
  if (polls % POLLS_BEFORE_WORD === 0) {
    launch.log("PostgreSQL is still starting; after a crash it replays its log first");
  }
  await sleep(POLL_MS);
}

function readFrom(file: string, start: number): string {
  const buffer = Buffer.alloc(64 * 1024);
  const descriptor = openSync(file, "r");
  try {
    return buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, buffer.length, start));
  } finally {
    closeSync(descriptor);
  }
}

function startFailure(launch: Launch, said: string, logFile: string): OperatorError {
  const { dataDir } = launch.place;
  const cause = new Error(said.trim());
  if (saysDiskFull(cause) || diskIsFull(dataDir)) {
    return new OperatorError(`The disk that holds ${dataDir} is full: free some space and start again.`, {
      cause,
    });
  }
  const reason = [...said.matchAll(/(?:FATAL|PANIC):\s+(.*)/g)].at(-1)?.[1] ?? "it ended without a word";
  return new OperatorError(`PostgreSQL did not start in ${dataDir}: ${reason} (more in ${logFile})`, { cause });
}

/** Stops PostgreSQL with a fast shutdown: running statements are cut off, committed data is written. */
export async function stopPostmaster(launch: Launch, pid: number): Promise<void> {
  signalProcess(pid, "SIGINT");
  if (await endsWithin(FAST_STOP_POLLS, launch, pid)) return;
  launch.log("PostgreSQL does not end in time and is ended at once; it recovers at the next start", { pid });
  signalProcess(pid, "SIGQUIT");
  if (await endsWithin(IMMEDIATE_STOP_POLLS, launch, pid)) return;
  throw new OperatorError(`PostgreSQL (pid ${pid}) on ${launch.place.dataDir} does not end.`);
}

async function endsWithin(polls: number, launch: Launch, pid: number): Promise<boolean> {
  for (let poll = 0; poll < polls; poll += 1) {
    if (!(await isPostmasterOf(launch.place.cluster, pid, launch.marker))) {
      await collected(pid);
      return true;
    }
    await sleep(POLL_MS);
  }
  return false;
}

/** Whether a PostgreSQL that has stopped answering is gone within a second. */
export function endsSoon(launch: Launch, pid: number): Promise<boolean> {
  return endsWithin(ENDING_POLLS, launch, pid);
}

/** Gives its parent, which may be this process, a moment to reap it, so that no defunct process outlives us. */
async function collected(pid: number): Promise<void> {
  for (let poll = 0; poll < COLLECT_POLLS && signalProcess(pid, 0); poll += 1) await sleep(POLL_MS);
}

/** False if the process no longer exists. */
function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if (codeOf(error) !== "ESRCH") throw error;
    return false;
  }
}
