import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type { Duplex } from "node:stream";
import type pg from "pg";

/** Brings the rows of a COPY ... TO STDOUT from the driver into files, as bytes: never as JavaScript objects. */

/**
 * Between fields, and around those that need it: control characters that texts rarely hold, so that hardly a field has to
 * be quoted, and none of JSON.
 */
export const fieldDelimiter = "\u0002";
export const fieldQuote = "\u0001";

export interface CopyOutOptions {
  /**
   * A file is handed over when it has grown to this many bytes; the later ones up to four times as large. Small ones at
   * first, so that both sides soon have work; large ones then, since DuckDB inserts whole row groups as they are.
   */
  partBytes: number;
  /** the path of the next file */
  nextPath: () => string;
  /**
   * Works on a finished file. Further rows are read meanwhile, but the next file is handed over only when it is done, so
   * that at most two files lie about.
   */
  work: (path: string) => Promise<void>;
}

/** Runs `query` within the client's transaction and hands over its rows in files cut between rows. */
export async function copyOut(
  client: pg.PoolClient,
  query: string,
  { partBytes, nextPath, work }: CopyOutOptions,
): Promise<void> {
  const rows = new CopiedRows(
    `COPY (${query}) TO STDOUT (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01', ENCODING 'UTF8')`,
    Math.min(pieceBytes, partBytes),
  );
  client.query(rows);
  let file: { handle: FileHandle; path: string; bytes: number } | null = null;
  let mostBytes = partBytes;
  let working = Promise.resolve();
  const handOver = async ({ handle, path }: { handle: FileHandle; path: string }) => {
    await handle.close();
    file = null;
    await working;
    working = work(path);
    // thrown to whoever awaits it next; until then a failure must not count as unhandled
    working.catch(() => undefined);
  };
  try {
    for await (const bytes of rows.pieces()) {
      if (file === null) {
        const path = nextPath();
        file = { handle: await open(path, "w", 0o600), path, bytes: 0 };
      }
      await file.handle.writeFile(bytes);
      file.bytes += bytes.length;
      if (file.bytes < mostBytes) continue;
      mostBytes = Math.min(mostBytes * 1.5, partBytes * 4);
      await handOver(file);
    }
    if (file !== null) await handOver(file);
    await working;
  } finally {
    await working.catch(() => undefined);
    await (file as { handle: FileHandle } | null)?.handle.close();
  }
}

const pieceBytes = 1 << 20;
/** rows that wait for the file; beyond it the socket is not read */
const highWater = 8 << 20;

/** A query whose handlers the driver calls as its messages arrive. */
class CopiedRows implements pg.Submittable {
  readonly #text: string;
  /** The driver reuses a row's memory, so it is copied as it comes. */
  #buffer: Buffer;
  #filled = 0;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #socket: Duplex | null = null;
  #unwanted = false;
  #failure: Error | null = null;
  readonly #ended = Promise.withResolvers<void>();
  #isEnded = false;
  #wake: () => void = () => undefined;

  /** @param pieceBytes how large a piece grows, if its last row is not larger */
  constructor(text: string, pieceBytes: number) {
    this.#text = text;
    this.#buffer = Buffer.allocUnsafe(pieceBytes);
  }

  /** Pieces that end with a row. Who stops before the last one waits until the query has ended. */
  async *pieces(): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        if (this.#failure) throw this.#failure;
        const piece = this.#waiting.shift();
        if (piece) {
          yield piece;
          this.#waitingBytes -= piece.length;
          if (this.#waitingBytes <= highWater) this.#socket?.resume();
        } else if (this.#isEnded) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
    } finally {
      this.#unwanted = true;
      this.#waiting = [];
      this.#waitingBytes = 0;
      this.#socket?.resume();
      await this.#ended.promise;
    }
  }

  submit(connection: pg.Connection): void {
    this.#socket = connection.stream;
    connection.query(this.#text);
  }

  handleCopyData({ chunk: row }: { chunk: Buffer }): void {
    if (this.#unwanted) return;
    if (this.#filled + row.length > this.#buffer.length) this.#flush();
    if (row.length > this.#buffer.length) {
      // a row longer than the buffer goes on its own
      this.#add(Buffer.from(row));
      return;
    }
    row.copy(this.#buffer, this.#filled);
    this.#filled += row.length;
  }

  #flush(): void {
    // nobody takes it any more, and a socket that is paused for it would keep the next query from its answer
    if (this.#filled === 0 || this.#unwanted) return;
    this.#add(this.#buffer.subarray(0, this.#filled));
    this.#buffer = Buffer.allocUnsafe(this.#buffer.length);
    this.#filled = 0;
  }

  #add(piece: Buffer): void {
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
    if (this.#waitingBytes > highWater) this.#socket?.pause();
    this.#wake();
  }

  #end(): void {
    this.#isEnded = true;
    this.#ended.resolve();
    this.#wake();
  }

  handleError(error: Error): void {
    this.#failure = error;
    // after a lost connection nothing else comes
    this.#end();
  }

  handleReadyForQuery(): void {
    this.#flush();
    this.#end();
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
}
