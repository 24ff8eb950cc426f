import type { Readable } from "node:stream";
import { Problem } from "../problems.ts";

/**
 * Where finished files lie: a directory, or a bucket. Names are chosen by the program: `folder/name.ending`, of
 * letters, digits, `-`, `_` and `.`. Whatever fails is the `upstream_error` problem [exports.storage-away], but for a
 * file that is not there.
 */
export interface FileStorage {
  /** Begins a file that nobody sees before it is finished. */
  write(name: string): Promise<FileSink>;
  /** Throws `FileMissing` for a file that is not there. */
  read(name: string, range?: ByteRange): Promise<Readable>;
  /** Removes the file, and what was left of one that was never finished. Harmless where there is neither. */
  remove(name: string): Promise<void>;
  /** Every file, and every one that was begun and not finished, by the names that they were begun with. */
  names(): AsyncIterable<string>;
  /** Lets go of its connections. */
  close(): void;
}

/** Bytes, both ends included. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface FileSink {
  /** Resolves once there is room for more; the bytes must not be changed before that. */
  write(bytes: Uint8Array): Promise<void>;
  /** Publishes the file, whole and durable. */
  finish(): Promise<void>;
  /** Throws away what was written. Harmless after `finish`. */
  abort(): Promise<void>;
}

/** There is no finished file of that name. */
export class FileMissing extends Error {}

export const storageFailed = (cause: unknown): Problem =>
  new Problem("upstream_error", { detail: "The storage of export files failed; try again shortly", cause });

const goodName = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

/** Names come from ids; one that could lead elsewhere is a fault of the program. */
export function assertFileName(name: string): void {
  if (!goodName.test(name)) throw new Error("a file's name is not of the form that storages take");
}
