import { chmodSync, lchownSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { OperatorError } from "../operator-error.ts";
import { type Account, canReach } from "./account.ts";
import { codeOf } from "./errors.ts";

export const SOCKET_PORT = 5432;
export const SOCKET_FILE = `.s.PGSQL.${SOCKET_PORT}`;

// sockaddr_un: 108 bytes with the final NUL on Linux, 104 on macOS.
const LONGEST_PATH = 103;

/**
 * The folder for the socket, the same at every start of a cluster, so that the connection settings survive a restart.
 * @param bases folders for temporary files, best first
 */
export function chooseSocketDirectory(bases: string[], name: string, account: Account): string {
  for (const base of bases) {
    const directory = join(base, name);
    if (Buffer.byteLength(join(directory, SOCKET_FILE)) <= LONGEST_PATH && canReach(base, account)) return directory;
  }
  throw new OperatorError(
    `No folder for the socket of the embedded PostgreSQL: ${bases.join(" and ")} cannot be entered by the user with id ` +
      `${account.uid}, or the path is too long.`,
  );
}

/**
 * Creates the folder, or reuses it from an earlier run. Its mode is the only protection of the database, which trusts
 * everybody who reaches the socket; a folder with this name that somebody else created is therefore refused.
 */
export function prepareSocketDirectory(directory: string, account: Account): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  const stats = lstatSync(directory);
  const ours = stats.uid === account.uid || stats.uid === process.getuid?.();
  if (!stats.isDirectory() || !ours) {
    throw new OperatorError(
      `${directory} is needed for the socket of the embedded PostgreSQL, but belongs to another user (id ${stats.uid}): ` +
        "remove it and start again.",
    );
  }
  if (stats.uid !== account.uid) lchownSync(directory, account.uid, account.gid);
  if ((stats.mode & 0o777) !== 0o700) chmodSync(directory, 0o700);
  // Left by a killed PostgreSQL; its pid may now belong to another process, which would block the next start.
  for (const name of readdirSync(directory)) {
    if (name.startsWith(SOCKET_FILE)) rmSync(join(directory, name), { force: true });
  }
}

/** Call after PostgreSQL has ended and removed its socket. */
export function removeSocketDirectory(directory: string): void {
  try {
    rmdirSync(directory);
  } catch {
    // Not empty or gone: the next start handles both.
  }
}
