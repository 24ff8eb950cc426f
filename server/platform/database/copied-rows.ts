import type { Duplex } from "node:stream";
import type pg from "pg";

/** bytes waiting to be read, above which the socket is paused */
const highWater = 8 << 20;

/** The rows of a COPY ... TO STDOUT as raw bytes, without JavaScript objects for them. */
export class CopiedRows implements pg.Submittable {
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
