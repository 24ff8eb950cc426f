import { once } from "node:events";
import type pg from "pg";

declare module "pg" {
  /** Members of the driver that its types do not declare. */
  interface ClientBase {
    connection: Connection;
  }
  interface Connection {
    sendCopyFromChunk(chunk: Buffer): void;
    endCopyFrom(): void;
    sendCopyFail(reason: string): void;
  }
}

/** A COPY ... FROM STDIN that is fed piece by piece, no faster than the server takes them. */
export class CopyIn implements pg.Submittable {
  readonly #text: string;
  #connection: pg.Connection | null = null;
  readonly #begun = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();

  private constructor(text: string) {
    this.#text = text;
    // whoever writes or ends learns of a failure, at whichever of the two it surfaces first
    for (const { promise } of [this.#begun, this.#ended]) promise.catch(() => undefined);
  }

  /** Resolves when the server takes rows. */
  static async begin(client: pg.ClientBase, text: string): Promise<CopyIn> {
    const copy = new CopyIn(text);
    client.query(copy);
    await copy.#begun.promise;
    return copy;
  }

  async write(piece: Buffer): Promise<void> {
    const connection = this.#open();
    connection.sendCopyFromChunk(piece);
    if (!connection.stream.writableNeedDrain) return;
    const waiting = new AbortController();
    try {
      await Promise.race([once(connection.stream, "drain", { signal: waiting.signal }), this.#ended.promise]);
    } finally {
      waiting.abort();
    }
  }

  /** Resolves when the server has taken all rows, its checks of references included. */
  async end(): Promise<void> {
    this.#open().endCopyFrom();
    await this.#ended.promise;
  }

  /** Gives up; the server then drops the rows of this statement. */
  async fail(reason: string): Promise<void> {
    this.#open().sendCopyFail(reason);
    await this.#ended.promise.catch(() => undefined);
  }

  #open(): pg.Connection {
    if (this.#connection === null) throw new Error("COPY has not begun");
    return this.#connection;
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query(this.#text);
  }

  handleCopyInResponse(): void {
    this.#begun.resolve();
  }

  handleError(error: Error): void {
    this.#begun.reject(error);
    this.#ended.reject(error);
  }

  handleReadyForQuery(): void {
    this.#ended.resolve();
  }

  handleCommandComplete(): void {}
  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}
}
