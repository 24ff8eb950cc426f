import type { Readable } from "node:stream";

/** Where finished files lie: a directory, or a bucket. Names are paths of `/`, chosen by the program alone. */
export interface FileStorage {
  /** Begins a file that nobody sees before it is finished. */
  write(name: string): Promise<FileSink>;
  /** `range` in bytes, both ends included. A file that is not there throws a `FileMissing`. */
  read(name: string, range?: ByteRange): Promise<Readable>;
  /** A file that is not there is removed already. */
  remove(name: string): Promise<void>;
  /** Every file, and every half-written one that was left behind, under the name it was begun with. */
  names(): AsyncIterable<string>;
  /** Ends the connections; the storage is of no use afterwards. */
  close(): void;
}

export interface ByteRange {
  start: number;
  end: number;
}

export interface FileSink {
  /** Resolves once there is room for more. The bytes belong to the sink from here on. */
  write(bytes: Uint8Array): Promise<void>;
  /** Publishes the file, whole, in place of one of the same name. */
  finish(): Promise<void>;
  /** Throws away what was written. Harmless after `finish`. */
  abort(): Promise<void>;
}

/** The file of that name was removed, or never finished. */
export class FileMissing extends Error {}
