import { chownSync, closeSync, fchmodSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../operator-error.ts";
import { textOf } from "./errors.ts";

const BUSY = 5;
const RETRY_MS = 20;
const RETRIES_BEFORE_WORD = 100;

/** Where the lock is and who must be able to take it later. */
export interface LaunchLockPlace {
  dataDir: string;
  owner: { uid: number; gid: number; switched: boolean };
  log: (message: string, fields?: object) => void;
}

/**
 * Runs `work` while no other process creates, starts, joins or stops the cluster of this data directory.
 *
 * Node offers no file lock, and a lock file with a pid in it is wrong after kill -9 as soon as the pid is used again. An
 * empty SQLite database gives a lock that the kernel takes back when its holder dies, on every system.
 */
export async function withLaunchLock<T>(place: LaunchLockPlace, work: () => Promise<T>): Promise<T> {
  const database = await acquire(place);
  try {
    return await work();
  } finally {
    database.close();
  }
}

async function acquire(place: LaunchLockPlace): Promise<DatabaseSync> {
  const path = join(place.dataDir, "postgres.lock");
  let database: DatabaseSync | undefined;
  try {
    makePrivate(path);
    database = new DatabaseSync(path, { timeout: 0 });
    if (place.owner.switched) chownSync(path, place.owner.uid, place.owner.gid);
    for (let tries = 1; ; tries += 1) {
      if (lockNow(database)) return database;
      if (tries === RETRIES_BEFORE_WORD) {
        place.log("waiting for another quizstore that is starting or stopping the embedded database");
      }
      await sleep(RETRY_MS);
    }
  } catch (error) {
    database?.close();
    throw new OperatorError(
      `The data directory ${place.dataDir} cannot be used: ${path} cannot be locked (${textOf(error)}).`,
      { cause: error },
    );
  }
}

/** SQLite, and an earlier release, would create it readable for all; others have no use for it. */
function makePrivate(path: string): void {
  const descriptor = openSync(path, "a", 0o600);
  try {
    if ((fstatSync(descriptor).mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
  } finally {
    closeSync(descriptor);
  }
}

function lockNow(database: DatabaseSync): boolean {
  try {
    // Journal in memory, so that no journal file appears next to the lock.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (error instanceof Error && "errcode" in error && error.errcode === BUSY) return false;
    throw error;
  }
}
