import { statfsSync } from "node:fs";
import { OperatorError } from "../operator-error.ts";

/** A server already runs on the data directory; `pid` is its process according to its connection's name. */
export class AnotherServerError extends OperatorError {
  override readonly name = "AnotherServerError";
  constructor(pid: string) {
    super(`Another quizstore is running on this data directory (pid ${pid}); stop it or choose another --data.`);
  }
}

const FULL_TEXT = /No space left on device|Disk quota exceeded/;
const FULL_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "53100"]);
// With less than one write-ahead log segment PostgreSQL cannot start, and its log, on the same disk, is truncated
// before it says why.
const LEAST_FREE_BYTES = 16 * 1024 * 1024;

/** The code of a Node or PostgreSQL error (`ENOENT`, `57P03`), undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function saysDiskFull(error: unknown): boolean {
  return FULL_CODES.has(codeOf(error)) || FULL_TEXT.test(textOf(error));
}

/** Whether the disk with `directory` has too little space for PostgreSQL to start. */
export function diskIsFull(directory: string): boolean {
  try {
    const disk = statfsSync(directory);
    return disk.bavail * disk.bsize < LEAST_FREE_BYTES || (disk.files > 0 && disk.ffree === 0);
  } catch {
    return false;
  }
}

/**
 * Converts any failure to an OperatorError; an existing OperatorError stays as it is [operations.embedded-refusals].
 */
export function forPeople(error: unknown, dataDir: string): OperatorError {
  if (error instanceof OperatorError) return error;
  if (saysDiskFull(error)) {
    return new OperatorError(`The disk that holds ${dataDir} is full: free some space and start again.`, {
      cause: error,
    });
  }
  if (["EACCES", "EPERM", "EROFS"].includes(codeOf(error) ?? "")) {
    return new OperatorError(
      `The data directory ${dataDir} cannot be written: fix its permissions or choose another --data.`,
      { cause: error },
    );
  }
  return new OperatorError(`The embedded database in ${dataDir} did not start: ${textOf(error)}`, {
    cause: error,
  });
}
