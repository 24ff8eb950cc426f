import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type { Socket } from "node:net";
import type pg from "pg";

/** Takes the rows of a COPY ... TO STDOUT from the driver to files, as bytes: never as JavaScript objects. */

/** The driver's connection, as far as a query of one's own needs it. */
interface Wire {
  query(text: string): void;
  stream: Socket;
}

/**
 * Between fields, and around those that need it: control characters that texts rarely hold, so that hardly a field has to
 * be quoted, and none of JSON.
 */
export const fieldDelimiter = "\u0002";
export const fieldQuote = "\u0001";

export interface CopyOutOptions {
  /**
   * A file is handed over when it has grown to this many bytes; the later ones up to four times as large. Small ones at
   * first, so that both sides soon have work; large ones then, since DuckDB takes over whole row groups as they are.
   */
  partBytes: number;
  /** the path of the next file */
  nextPath: () => string;
  /**
   * Takes over a finished file. Further rows are read meanwhile, but the next file is handed over only when it is done,
   * so that at most two files lie about.
   */
  take: (path: string) => Promise<void>;
}

const bufferBytes = 1 << 20;
/** rows that wait for the file; beyond it the socket is not read */
const highWater = 8 << 20;

/** Runs `query` within the client's transaction and hands over its rows in files cut between rows. */
export async function copyOut(client: pg.PoolClient, query: string, options: CopyOutOptions): Promise<void> {
  const parts = new Parts(options);
  const text = `COPY (${query}) TO STDOUT (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01', ENCODING 'UTF8')`;
  try {
    await new Promise<void>((resolve, reject) => {
      // what the driver's types do not say: any object that has the handlers of its queries may be one
      client.query(new CopyOut(text, parts, resolve, reject) as unknown as pg.Submittable);
    });
    await parts.finish();
  } finally {
    await parts.close();
  }
}

/** What the driver calls when messages of the query arrive. */
class CopyOut {
  readonly #text: string;
  readonly #parts: Parts;
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;
  #failure: Error | null = null;
  /** the driver sets it, and calls it when the connection is lost */
  callback: ((error: Error | null) => void) | undefined;

  constructor(text: string, parts: Parts, resolve: () => void, reject: (error: Error) => void) {
    this.#text = text;
    this.#parts = parts;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Wire): void {
    this.#parts.readFrom(connection.stream);
    connection.query(this.#text);
  }

  handleCopyData(message: { chunk: Buffer }): void {
    this.#parts.add(message.chunk);
  }

  handleError(error: Error): void {
    this.#failure = error;
    // after a lost connection no ReadyForQuery comes; rejecting twice does no harm
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    if (this.#failure) this.#reject(this.#failure);
    else this.#resolve();
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
}

/** Rows on their way into files. The driver reuses a row's memory, so it is copied as it comes. */
class Parts {
  readonly #options: CopyOutOptions;
  #socket: Socket | null = null;
  #buffer: Buffer;
  #filled = 0;
  /** bytes that are on their way to the file */
  #queued = 0;
  #written = 0;
  #partBytes: number;
  #file: { handle: FileHandle; path: string } | null = null;
  #work: Promise<void> = Promise.resolve();
  #taking: Promise<void> = Promise.resolve();
  #failure: unknown = null;

  constructor(options: CopyOutOptions) {
    this.#options = options;
    this.#partBytes = options.partBytes;
    this.#buffer = this.#newBuffer();
  }

  #newBuffer(): Buffer {
    return Buffer.allocUnsafe(Math.min(bufferBytes, this.#options.partBytes));
  }

  readFrom(socket: Socket): void {
    this.#socket = socket;
  }

  add(row: Buffer): void {
    if (this.#failure !== null) return;
    if (this.#filled + row.length > this.#buffer.length) this.#flush();
    if (row.length > this.#buffer.length) {
      // a row longer than the buffer goes on its own
      this.#enqueue(Buffer.from(row));
      return;
    }
    row.copy(this.#buffer, this.#filled);
    this.#filled += row.length;
  }

  async finish(): Promise<void> {
    this.#flush();
    await this.#work;
    if (this.#failure === null) await this.#handOver();
    await this.#taking.catch(() => undefined);
    if (this.#failure !== null) throw this.#failure;
  }

  async close(): Promise<void> {
    await this.#work;
    await this.#taking.catch(() => undefined);
    await this.#file?.handle.close();
    this.#file = null;
  }

  #flush(): void {
    if (this.#filled === 0) return;
    this.#enqueue(this.#buffer.subarray(0, this.#filled));
    this.#buffer = this.#newBuffer();
    this.#filled = 0;
  }

  /** Every piece ends with a row, so a file may be cut after any. */
  #enqueue(bytes: Buffer): void {
    this.#queued += bytes.length;
    if (this.#queued > highWater) this.#socket?.pause();
    this.#work = this.#work
      .then(() => this.#write(bytes))
      .catch((error) => {
        this.#failure ??= error;
      })
      .then(() => {
        this.#queued -= bytes.length;
        if (this.#queued <= highWater) this.#socket?.resume();
      });
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#failure !== null) return;
    if (this.#file === null) {
      const path = this.#options.nextPath();
      this.#file = { handle: await open(path, "w", 0o600), path };
      this.#written = 0;
    }
    await this.#file.handle.writeFile(bytes);
    this.#written += bytes.length;
    if (this.#written < this.#partBytes) return;
    this.#partBytes = Math.min(this.#partBytes * 1.5, this.#options.partBytes * 4);
    await this.#handOver();
  }

  async #handOver(): Promise<void> {
    const file = this.#file;
    if (file === null) return;
    await this.#taking;
    this.#file = null;
    await file.handle.close();
    this.#taking = this.#options.take(file.path);
    // heard by whoever waits for it next; until then a failure must not count as unhandled
    this.#taking.catch((error) => {
      this.#failure ??= error;
    });
  }
}
