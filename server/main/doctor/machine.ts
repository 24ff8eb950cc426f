import { constants } from "node:fs";
import { access, rmdir, stat, statfs } from "node:fs/promises";
import { totalmem } from "node:os";
import { dirname, join } from "node:path";
import { LedgerFile, ledgerPath } from "../../erasure/ledger.ts";
import type { Config } from "../../platform/config.ts";
import { FileMissing, type FileStorage } from "../../platform/files/types.ts";
import { hasRules } from "../../platform/time-zones.ts";
import { fail, ok, type Seen, warn } from "./findings.ts";

/** Checks the machine: disks, memory, time zone data. */

const MB = 1024 ** 2;
/** A full disk stops the embedded database; the warning for a nearly full one leaves time to act. */
const leastFreeMb = 256;
const littleFreeMb = 2_048;
/** the program without its copies, in MB: Node's heap, the connections, a day's growth */
const programMb = 700;

const writable = constants.R_OK | constants.W_OK | constants.X_OK;

async function freeMb(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.floor((bavail * bsize) / MB);
}

function roomSeen(folder: string, free: number): Seen {
  const detail = `${folder} can be written, ${free} MB free`;
  if (free < leastFreeMb) return fail(detail, "make room on this disk, or move the folder to a larger one");
  return free < littleFreeMb ? warn(detail, "make room on this disk soon") : ok(detail);
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );

/** A missing folder is fine if the program may create it; checking changes nothing. */
async function toBeMade(folder: string): Promise<Seen> {
  let above = dirname(folder);
  while (!(await isThere(above))) above = dirname(above);
  await access(above, writable);
  return ok(`${folder} is not there yet, and can be made`);
}

export async function inspectDataFolder({ dataDir }: Config): Promise<Seen> {
  if (!(await isThere(dataDir))) return toBeMade(dataDir);
  await access(dataDir, writable);
  await new LedgerFile(ledgerPath(dataDir)).assertUsable();
  const key = await stat(join(dataDir, "secret.key")).catch(() => null);
  if (key && (key.mode & 0o077) !== 0) {
    return fail(
      `${join(dataDir, "secret.key")} can be read by others`,
      "make it readable for its owner only: chmod 600",
    );
  }
  return roomSeen(dataDir, await freeMb(dataDir));
}

/** The copies can be deleted at any time, but need space. */
export async function inspectCopies({ dataDir, factsDiskMb }: Config): Promise<Seen> {
  const folder = join(dataDir, "facts");
  if (!(await isThere(dataDir))) return toBeMade(folder);
  const made = await isThere(folder);
  await access(made ? folder : dataDir, writable);
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll("SELECT version() AS version");
  const version = String(reader.getRowObjects()[0]?.["version"]);
  connection.closeSync();
  instance.closeSync();
  const free = await freeMb(made ? folder : dirname(folder));
  const detail = `${folder} ${made ? "can be written" : "can be made"}, DuckDB ${version} loads`;
  if (free >= factsDiskMb) return ok(detail);
  return warn(
    `${detail}; ${free} MB are free there, FACTS_DISK_MB allows ${factsDiskMb}`,
    "lower FACTS_DISK_MB below what is free, so that the copies never fill the disk",
  );
}

function ignoreOthers(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOTEMPTY" && error.code !== "ENOENT") throw error;
}

const trial = "a line that was written to try the storage out\n";

/** Writes, reads and deletes a file; `random` makes its name unique. */
export async function inspectStorage(files: FileStorage, { exportStorage }: Config, random: string): Promise<Seen> {
  const local = !exportStorage.startsWith("s3://");
  if (local && !(await isThere(exportStorage))) return toBeMade(exportStorage);
  const name = `doctor/trial-${random}.txt`;
  const sink = await files.write(name);
  try {
    await sink.write(Buffer.from(trial));
    await sink.finish();
    const chunks: Buffer[] = [];
    for await (const chunk of await files.read(name)) chunks.push(Buffer.from(chunk));
    if (Buffer.concat(chunks).toString() !== trial)
      throw new Error("a file was read back with other contents than were written");
  } finally {
    await sink.abort().catch(() => undefined);
    await files.remove(name);
    // somebody else may be running the same check
    if (local) await rmdir(join(exportStorage, "doctor")).catch(ignoreOthers);
  }
  const left = await files.read(name).then(
    (stream) => {
      stream.destroy();
      return true;
    },
    (error: unknown) => {
      if (error instanceof FileMissing) return false;
      throw error;
    },
  );
  if (left) throw new Error("a deleted file can still be read");
  if (!local) return ok(`${exportStorage} takes, gives back and removes a file`);
  return roomSeen(exportStorage, await freeMb(exportStorage));
}

export function inspectMemory({ factsMemoryMb, databaseUrl }: Config): Seen {
  const constrained = process.constrainedMemory();
  const machine = totalmem();
  // without a limit, systems report 0 or more than there is
  const mb = Math.floor((constrained > 0 ? Math.min(constrained, machine) : machine) / MB);
  const needs = factsMemoryMb + programMb + (databaseUrl === null ? 300 : 0);
  const detail = `${mb} MB for this program, which may take ${needs}: ${factsMemoryMb} of it by FACTS_MEMORY_MB`;
  return needs <= mb ? ok(detail) : warn(detail, "lower FACTS_MEMORY_MB, or give the machine or container more memory");
}

/**
 * @param year the current one
 * @param tz the release of Node's time zone data, such as 2026a; its age is only known to the year
 */
export function inspectZones(zones: readonly string[], year: number, tz = process.versions["tz"] ?? ""): Seen {
  const unknown = zones.filter((zone) => !hasRules(zone));
  if (unknown.length > 0) {
    return fail(
      `Node does not know the time zones ${unknown.join(", ")} of stores`,
      "run the Node that npm ci installs, which has all zones",
    );
  }
  const used = zones.length === 1 ? "one zone is in use" : `${zones.length} zones are in use`;
  const release = /^\d{4}/.exec(tz)?.[0];
  const remedy = "update Node: days are cut at the wrong hour where a country has changed its rules since";
  if (release === undefined) return warn(`Node does not say how old its time-zone data is; ${used}`, remedy);
  if (Number(release) >= year - 1) return ok(`Node's time-zone data is release ${tz}; ${used}`);
  return warn(`Node's time-zone data is release ${tz}, which is more than a year old; ${used}`, remedy);
}
