import type { Readable } from "node:stream";
import { Problem } from "../problems.ts";

/**
 * Storage for finished files: a directory, or a bucket. The program chooses the names: `folder/name.ending`, of
 * letters, digits, `-`, `_` and `.`. Every failure is the `upstream_error` problem [exports.storage-away], except for a
 * missing file.
 */
export interface FileStorage {
  /** Starts a file that is invisible until it is finished. */
  write(name: string): Promise<FileSink>;
  /** Throws `FileMissing` for a missing file. */
  read(name: string, range?: ByteRange): Promise<Readable>;
  /** Removes the file, and the remains of an unfinished one. Does nothing if there is neither. */
  remove(name: string): Promise<void>;
  /** The names of all files, including those that were started and not finished. */
  names(): AsyncIterable<string>;
  /** Closes its connections. */
  close(): void;
}

/** Bytes, both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface FileSink {
  /** Resolves once there is room for more; do not change the bytes before that. */
  write(bytes: Uint8Array): Promise<void>;
  /** Publishes the file, whole and durable. */
  finish(): Promise<void>;
  /** Discards what was written. Does nothing after `finish`. */
  abort(): Promise<void>;
}

/** There is no finished file with that name. */
export class FileMissing extends Error {}

export const storageFailed = (cause: unknown): Problem =>
  new Problem("upstream_error", { detail: "The storage of export files failed; try again shortly", cause });

/** Runs work on a storage; every failure of it is `storageFailed`. */
export async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw storageFailed(error);
  }
}

const goodName = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

/** Names come from ids; one that could escape the folder is a bug. */
export function assertFileName(name: string): void {
  if (!goodName.test(name)) throw new Error("a file's name is not valid for a storage");
}
