import { createHash } from "node:crypto";
import type { TSchema } from "typebox";
import { isObject } from "../../../engine/read.ts";
import type { FileSink } from "../../platform/files/types.ts";
import { byteOrderMark, type Column, csvHead, csvRow } from "./csv.ts";

/** Formats the rows of a dataset as a file [exports.csv, exports.json]. */
export interface Format<Row> {
  head: string;
  row: (row: Row, index: number) => string;
  foot: string;
}

export function csvFormat<Row>(columns: readonly Column<Row>[]): Format<Row> {
  return {
    head: byteOrderMark + csvHead(columns),
    row: (row) => csvRow(columns, row),
    foot: "",
  };
}

/**
 * One object with each item on a line of its own, so that a file too large to parse at once can be read line by line.
 */
export function jsonFormat<Row>(
  about: { dataset: string; filters: unknown; generated_at: string },
  shape?: TSchema,
): Format<Row> {
  return {
    head: `${JSON.stringify(about).slice(0, -1)},"items":[`,
    row: (row, index) => `${index === 0 ? "" : ","}\n${JSON.stringify(shape ? inOrderOf(shape, row) : row)}`,
    foot: "\n]}\n",
  };
}

/** Puts an object's own fields in the order in which the API answers them; others follow. */
function inOrderOf(shape: TSchema, row: unknown): unknown {
  if (!isObject(row) || !("properties" in shape) || !isObject(shape.properties)) return row;
  const named = Object.keys(shape.properties).filter((name) => Object.hasOwn(row, name));
  return { ...Object.fromEntries(named.map((name) => [name, row[name]])), ...row };
}

export interface Written {
  rows: number;
  bytes: number;
  /** SHA-256 */
  digest: Buffer;
}

const chunkLength = 128 * 1024;

/** Writes rows to a sink in chunks, and counts and hashes what it writes. */
export class RowFile<Row> {
  readonly #sink: FileSink;
  readonly #format: Format<Row>;
  readonly #hash = createHash("sha256");
  #rows = 0;
  #bytes = 0;
  #chunk: string;

  constructor(sink: FileSink, format: Format<Row>) {
    this.#sink = sink;
    this.#format = format;
    this.#chunk = format.head;
  }

  async add(rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      this.#chunk += this.#format.row(row, this.#rows);
      this.#rows += 1;
      if (this.#chunk.length >= chunkLength) await this.#flush();
    }
  }

  /** Completes the file; the caller publishes it. */
  async end(): Promise<Written> {
    this.#chunk += this.#format.foot;
    await this.#flush();
    return { rows: this.#rows, bytes: this.#bytes, digest: this.#hash.digest() };
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#chunk);
    this.#chunk = "";
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    if (bytes.length > 0) await this.#sink.write(bytes);
  }
}
