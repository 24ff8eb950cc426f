import { spawn } from "node:child_process";
import { closeSync, constants, openSync, readFileSync, type Stats, statSync } from "node:fs";
import { access, chmod, chown, lchown, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { LastingError, OperatorError } from "../operator-error.ts";
import { syncFolder } from "../sync-folder.ts";
import type { Account } from "./account.ts";
import { codeOf, diskIsFull, saysDiskFull } from "./errors.ts";

export const SUPERUSER = "quizstore";

/** The cluster's location and owner. */
export interface ClusterPlace {
  dataDir: string;
  cluster: string;
  account: Account;
}

/**
 * The programs' entire environment: messages in English, because we parse them, and an explicit zone, so that none is
 * searched for.
 */
export const PROGRAM_ENVIRONMENT: Readonly<Record<string, string>> = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" };

/** Creates the data directory; says what is wrong with one that cannot be used. */
export async function prepareDataDirectory(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    if (codeOf(cause) !== "EEXIST" && codeOf(cause) !== "ENOTDIR") throw cause;
    throw new OperatorError(`The data directory ${dataDir} is a file, or is inside one: choose another --data.`, {
      cause,
    });
  }
}

/**
 * The folder's name as passed to PostgreSQL. Its account may not be able to traverse the path (homes are often closed
 * to others), so root opens the folder and the program inherits it as descriptor 3.
 */
export function openForProgram(directory: string, account: Account): { argument: string; descriptor: number | null } {
  if (!account.switched || process.platform !== "linux") return { argument: directory, descriptor: null };
  return {
    argument: "/proc/self/fd/3",
    descriptor: openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY),
  };
}

/** The uid and gid options for spawn; none if PostgreSQL runs as the current user. */
export function spawnAs(account: Account): { uid?: number; gid?: number } {
  return account.switched ? { uid: account.uid, gid: account.gid } : {};
}

/**
 * Ensures that a cluster of the right version exists, with the right owner of its files. Call under the launch lock,
 * while no PostgreSQL runs on it.
 * @param version of the programs, such as `18.4.0`
 */
export async function prepareCluster(
  place: ClusterPlace,
  binaries: string,
  version: string,
  durable: boolean,
): Promise<void> {
  await removeHalfMade(place.dataDir);
  const stats = statSync(place.cluster, { throwIfNoEntry: false });
  if (!stats || (await isEmpty(place.cluster))) {
    await initialise(place, binaries, durable);
    return;
  }
  requireOwner(place, stats);
  requireVersion(place, version);
  if (place.account.switched && stats.uid === 0) await giveTo(place.cluster, place.account);
  if ((stats.mode & 0o077) !== 0) await chmod(place.cluster, 0o700);
}

/** Whether an embedded database was ever created in this data directory; throws if that cannot be seen. */
export async function holdsCluster(dataDir: string): Promise<boolean> {
  const cluster = join(dataDir, "postgres");
  return statSync(cluster, { throwIfNoEntry: false }) !== undefined && !(await isEmpty(cluster));
}

async function isEmpty(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length === 0;
  } catch (error) {
    if (codeOf(error) === "EACCES") return false;
    throw error;
  }
}

function requireOwner(place: ClusterPlace, stats: Stats): void {
  if (place.account.switched || stats.uid === place.account.uid) return;
  throw new OperatorError(
    `The database in ${place.cluster} belongs to another user (id ${stats.uid}, this program runs as ${place.account.uid}): ` +
      `start as that user or as root, or give it away with chown -R ${place.account.uid} ${place.dataDir}.`,
  );
}

function requireVersion(place: ClusterPlace, version: string): void {
  const brought = version.split(".")[0] ?? "";
  let found: string;
  try {
    found = readFileSync(join(place.cluster, "PG_VERSION"), "utf8").trim();
  } catch (cause) {
    throw new OperatorError(
      `${place.cluster} is not empty, but holds no PostgreSQL database: move it away or choose another --data.`,
      { cause },
    );
  }
  if (found === brought) return;
  throw new LastingError(
    `The database in ${place.cluster} was made by PostgreSQL ${found}; this program brings PostgreSQL ${brought}. ` +
      `With the release that brought PostgreSQL ${found}, run quizstore database copy --to URL: URL is an empty database, ` +
      `on a server (then set DATABASE_URL to it), or in a new folder that this release has open (docs/upgrades.md).`,
  );
}

const HALF_MADE = "postgres.initdb-";

/** Removes what runs killed during initdb left behind; the launch lock ensures that none is in progress. */
async function removeHalfMade(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(HALF_MADE)) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 3 });
  }
}

async function initialise(place: ClusterPlace, binaries: string, durable: boolean): Promise<void> {
  const fresh = join(place.dataDir, `${HALF_MADE}${process.pid}`);
  try {
    await mkdir(fresh, { mode: 0o700 });
    if (place.account.switched) await chown(fresh, place.account.uid, place.account.gid);
    await runInitdb(place, fresh, binaries, durable);
    await rename(fresh, place.cluster);
    if (durable) await syncFolder(place.dataDir);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true, maxRetries: 3 });
    throw error;
  }
}

async function runInitdb(place: ClusterPlace, fresh: string, binaries: string, durable: boolean): Promise<void> {
  const { argument, descriptor } = openForProgram(fresh, place.account);
  try {
    const { code, output } = await run(
      join(binaries, "bin", "initdb"),
      [
        ...["-D", argument, "-U", SUPERUSER, "--auth-local=trust", "--auth-host=reject"],
        // The builtin locale sorts alike on every machine; a system locale would corrupt indexes when its library
        // changes.
        ...[
          "--encoding=UTF8",
          "--locale=C",
          "--locale-provider=builtin",
          "--builtin-locale=C.UTF-8",
          "--data-checksums",
        ],
        ...(durable ? [] : ["--no-sync"]),
        "--no-instructions",
      ],
      place.account,
      descriptor,
    );
    if (code !== 0) throw initdbFailure(place, output);
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

function initdbFailure(place: ClusterPlace, output: string): OperatorError {
  const cause = new Error(output.trim());
  if (saysDiskFull(cause) || diskIsFull(place.dataDir)) {
    return new OperatorError(`The disk that holds ${place.dataDir} is full: free some space and start again.`, {
      cause,
    });
  }
  if (output.includes("could not look up effective user ID")) {
    return new OperatorError(
      `The embedded PostgreSQL needs a user that has a name, and user id ${place.account.uid} has none in /etc/passwd: ` +
        "run the program as another user, or set DATABASE_URL.",
      { cause },
    );
  }
  const said = output.match(/(?:error|FATAL|PANIC):\s+(.*)/)?.[1] ?? output.trim().split("\n").at(-1) ?? "";
  return new OperatorError(`The database in ${place.dataDir} could not be made: ${said}`, { cause });
}

function run(
  program: string,
  parameters: string[],
  account: Account,
  descriptor: number | null,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      cwd: "/",
      env: PROGRAM_ENVIRONMENT,
      stdio: ["ignore", "pipe", "pipe", ...(descriptor === null ? [] : [descriptor])],
      ...spawnAs(account),
    });
    let output = "";
    const collect = (chunk: Buffer): void => {
      output += chunk.toString("utf8");
    };
    child.stdout?.on("data", collect);
    child.stderr?.on("data", collect);
    child.once("error", (error) => reject(spawnFailure(program, account, error)));
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** Explains why a PostgreSQL program could not be started. */
export function spawnFailure(program: string, account: Account, cause: Error): OperatorError {
  const code = codeOf(cause);
  const why =
    account.switched && (code === "EPERM" || code === "EINVAL")
      ? `root may not become user ${account.uid} here (a container without that right?); run the program as a normal user`
      : code === "ENOENT"
        ? "its loader is missing (it needs a system with glibc)"
        : cause.message;
  return new OperatorError(`${program} cannot be run: ${why}, or set DATABASE_URL.`, { cause });
}

/**
 * A cluster copied by root belongs to root; the top folder is changed last, so that an interrupted change of owner is
 * resumed.
 */
async function giveTo(directory: string, account: Account): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await giveTo(path, account);
    else await lchown(path, account.uid, account.gid);
  }
  await lchown(directory, account.uid, account.gid);
}
