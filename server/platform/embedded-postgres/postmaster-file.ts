import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { codeOf } from "./errors.ts";

/** The contents of postmaster.pid. */
export interface Postmaster {
  pid: number;
  port: number;
  socketDir: string;
  /** Accepts connections; false while it starts, recovers or stops. */
  ready: boolean;
}

/** `stale`: the file names a process that is not this cluster's PostgreSQL, or no process at all. */
export type ClusterState = { kind: "none" } | { kind: "stale"; pid: number } | { kind: "live"; postmaster: Postmaster };

const EMPTY_FILE_TRIES = 20;

/**
 * Reads postmaster.pid; undefined if it is missing or still being written. The format is defined in PostgreSQL's
 * miscadmin.h.
 */
export function readPostmaster(cluster: string): Postmaster | undefined {
  const lines = readPidFile(cluster)?.split("\n") ?? [];
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return {
    pid,
    port: Number(lines[3] ?? 0),
    socketDir: lines[4] ?? "",
    ready: (lines[7] ?? "").trim() === "ready",
  };
}

function readPidFile(cluster: string): string | undefined {
  try {
    return readFileSync(join(cluster, "postmaster.pid"), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

/**
 * Tells whether a PostgreSQL runs on the cluster. Call under the launch lock.
 * @param marker the cluster's name on PostgreSQL's command line
 */
export async function inspectCluster(cluster: string, marker: string): Promise<ClusterState> {
  for (let tries = 0; tries < EMPTY_FILE_TRIES; tries += 1) {
    const postmaster = readPostmaster(cluster);
    if (postmaster) {
      const live = await isPostmasterOf(cluster, postmaster.pid, marker);
      return live ? { kind: "live", postmaster } : { kind: "stale", pid: postmaster.pid };
    }
    if (readPidFile(cluster) === undefined) return { kind: "none" };
    await sleep(25);
  }
  // A crash of the machine can leave the file empty; PostgreSQL would then refuse to start forever.
  await rm(join(cluster, "postmaster.pid"), { force: true });
  return { kind: "none" };
}

/**
 * Whether the process is this cluster's PostgreSQL and not another one with a reused pid. A process that has ended but
 * was not reaped (an orphan in a container without an init) does not count as running.
 */
export async function isPostmasterOf(cluster: string, pid: number, marker: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === "ESRCH") return false;
  }
  return process.platform === "linux" ? isOnLinux(cluster, pid, marker) : isByPs(pid, marker);
}

function isOnLinux(cluster: string, pid: number, marker: string): boolean {
  try {
    // "pid (comm) state ...": the name may hold spaces and parentheses, so cut at the last one.
    const status = readFileSync(`/proc/${pid}/stat`, "utf8");
    const name = status.slice(status.indexOf("(") + 1, status.lastIndexOf(")"));
    const state = status.slice(status.lastIndexOf(")") + 2, status.lastIndexOf(")") + 3);
    if (state === "Z" || state === "X" || name !== "postgres") return false;
  } catch {
    return false;
  }
  try {
    const [here, there] = [statSync(cluster), statSync(`/proc/${pid}/cwd`)];
    return here.dev === there.dev && here.ino === there.ino;
  } catch {
    // Root in a container often may not inspect other users' processes; the command line stays readable.
    return commandLine(pid).includes(marker);
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

async function isByPs(pid: number, marker: string): Promise<boolean> {
  try {
    const { stdout } = await promisify(execFile)("/bin/ps", ["-ww", "-o", "stat=,args=", "-p", String(pid)]);
    return !stdout.trimStart().startsWith("Z") && stdout.includes(marker);
  } catch {
    return false;
  }
}
