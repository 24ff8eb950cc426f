import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import type { Duplex } from "node:stream";
import type pg from "pg";

/** Writes the rows of a COPY ... TO STDOUT to files as raw bytes, without creating JavaScript objects. */

/**
 * The delimiter and quote of fields: control characters that texts rarely contain, so that hardly any field, and no
 * JSON, has to be quoted.
 */
export const fieldDelimiter = "\u0002";
export const fieldQuote = "\u0001";

export interface CopyOutOptions {
  /**
   * Size in bytes at which a file is handed over; later files grow to four times this. Small files at first let both
   * sides start early; large ones later let DuckDB insert whole row groups.
   */
  partBytes: number;
  /** returns the path of the next file */
  nextPath: () => string;
  /**
   * Processes a finished file. Rows are read meanwhile, but the next file is handed over only when this is done, so
   * that at most two files exist at a time.
   */
  work: (path: string) => Promise<void>;
}

/** Runs `query` within the client's transaction and writes its rows to files, split between rows. */
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
    // rethrown at the next await; until then a failure must not count as an unhandled rejection
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
/** bytes waiting to be written, above which the socket is paused */
const highWater = 8 << 20;

/** A query whose handlers the driver calls as its messages arrive. */
class CopiedRows implements pg.Submittable {
  readonly #text: string;
  /** rows are copied into it, since the driver reuses their memory */
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

  /** @param pieceBytes maximum size of a piece, unless a single row is larger */
  constructor(text: string, pieceBytes: number) {
    this.#text = text;
    this.#buffer = Buffer.allocUnsafe(pieceBytes);
  }

  /** Yields pieces that end with a row. If the consumer stops early, this still waits until the query has ended. */
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
      // a row larger than the buffer is a piece of its own
      this.#add(Buffer.from(row));
      return;
    }
    row.copy(this.#buffer, this.#filled);
    this.#filled += row.length;
  }

  #flush(): void {
    // once the consumer has stopped nothing drains the queue, and a paused socket would block the next query's response
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
    // after a lost connection no further message arrives
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
