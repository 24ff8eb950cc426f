import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { ByteOutput, ColumnHead, OpenTableWriter, TableHead, TableWriter, Value } from "./table.ts";

/** What is asked of the thread: to begin a table, to add rows, then to end the file. */
export type Asked = { columns: readonly ColumnHead[] } | { rows: readonly (readonly Value[])[] } | { end: true };

/**
 * MB of objects that the thread may hold, about three times what it needs, and of new ones: without the second bound it
 * would take twice the memory.
 */
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 16 };

/**
 * Writes a Parquet file as its rows come [exports.parquet]. A group of rows is encoded at once, which takes longer than
 * a turn of the event loop may, so a thread of its own does it [api.turns].
 */
class ParquetTableWriter implements TableWriter {
  readonly #output: ByteOutput;
  readonly #worker: Worker;

  constructor(output: ByteOutput) {
    this.#output = output;
    this.#worker = new Worker(join(import.meta.dirname, "parquet-thread-process.ts"), { resourceLimits });
    // who waits for an answer gets it too
    this.#worker.on("error", () => undefined);
  }

  begin({ columns }: TableHead): Promise<void> {
    return this.#ask({ columns });
  }

  add(rows: readonly (readonly Value[])[]): Promise<void> {
    return this.#ask({ rows });
  }

  async end(): Promise<void> {
    await this.#ask({ end: true });
    await this.#worker.terminate();
  }

  async abort(): Promise<void> {
    await this.#worker.terminate();
  }

  /** Throws what the thread threw. */
  async #ask(asked: Asked): Promise<void> {
    this.#worker.postMessage(asked);
    const [bytes] = (await once(this.#worker, "message")) as [Uint8Array];
    if (bytes.length > 0) await this.#output.write(bytes);
  }
}

export const openParquet: OpenTableWriter = (output) => new ParquetTableWriter(output);
