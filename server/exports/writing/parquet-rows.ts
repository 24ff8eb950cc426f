import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { dayNumber } from "../../platform/time-zones.ts";
import type { ColumnHead, Value, ValueType } from "./table.ts";

/** Rows of a table as the bytes of a Parquet file [exports.parquet]. */

type Stored = string | number | bigint | boolean;

interface ParquetType {
  element: Omit<SchemaElement, "name" | "repetition_type">;
  /** left out: as the library thinks best */
  encoding?: "PLAIN";
  stored: (value: string | number | boolean) => Stored;
}

const text: ParquetType = {
  element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  stored: (value) => (typeof value === "string" ? value.toWellFormed() : value),
};
const double: ParquetType = { element: { type: "DOUBLE" }, stored: Number };

const types: Readonly<Record<ValueType, ParquetType>> = {
  text,
  integer: { element: { type: "INT64" }, stored: BigInt },
  number: double,
  decimal: double,
  // some readers misread what is run-length encoded
  boolean: { element: { type: "BOOLEAN" }, encoding: "PLAIN", stored: Boolean },
  date: {
    element: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
    stored: (value) => dayNumber(String(value)),
  },
  // a time stamp could not say that no time was given
  datetime: text,
  instant: {
    element: {
      type: "INT64",
      converted_type: "TIMESTAMP_MILLIS",
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
    },
    stored: (value) => BigInt(Date.parse(String(value))),
  },
};

/** The values of a column in the rows that are collected: where they are, since most of a wide table is empty. */
interface Collected {
  name: string;
  type: ParquetType;
  rows: number[];
  values: Stored[];
}

/** How many rows, and how many bytes of their values, are collected before they are encoded. */
export interface GroupLimits {
  rows: number;
  bytes: number;
}

/** Readers want large groups: each has its own statistics and dictionaries. */
export const usualGroup: GroupLimits = { rows: 50_000, bytes: 8 << 20 };

/** Collects rows, and encodes them a group at a time: what it holds is bounded by the limits of a group. */
export class ParquetRows {
  readonly #limits: GroupLimits;
  readonly #bytes = new ByteWriter();
  readonly #file: ParquetWriter;
  readonly #columns: Collected[];
  #rows = 0;
  #size = 0;

  constructor(columns: readonly ColumnHead[], limits: GroupLimits) {
    this.#limits = limits;
    this.#columns = columns.map(({ name, type }) => ({ name, type: types[type], rows: [], values: [] }));
    const elements = this.#columns.map(
      ({ name, type }): SchemaElement => ({ name, repetition_type: "OPTIONAL", ...type.element }),
    );
    const schema = [{ name: "root", num_children: elements.length }, ...elements];
    this.#file = new ParquetWriter({ writer: this.#bytes, schema, createdBy: "quizstore" });
  }

  /** Returns the bytes that are ready; often none. */
  add(rows: readonly (readonly Value[])[]): Uint8Array {
    for (const row of rows) {
      for (const [at, column] of this.#columns.entries()) this.#collect(column, row[at] ?? null);
      this.#rows += 1;
      if (this.#rows >= this.#limits.rows || this.#size >= this.#limits.bytes) this.#encode();
    }
    return this.#taken();
  }

  /** Returns the rest of the file. */
  end(): Uint8Array {
    if (this.#rows > 0) this.#encode();
    this.#file.finish();
    return this.#taken();
  }

  #collect({ type, rows, values }: Collected, value: Value): void {
    if (value === null) return;
    rows.push(this.#rows);
    values.push(type.stored(value));
    this.#size += valueBytes + (typeof value === "string" ? value.length : 0);
  }

  #encode(): void {
    const rows = this.#rows;
    const columnData = this.#columns.map((column) => ({
      name: column.name,
      ...(column.type.encoding === undefined ? {} : { encoding: column.type.encoding }),
      // a column is only made whole while it is encoded
      get data() {
        return wholeColumn(column, rows);
      },
    }));
    this.#file.write({ columnData, rowGroupSize: rows });
    for (const column of this.#columns) Object.assign(column, { rows: [], values: [] });
    this.#rows = 0;
    this.#size = 0;
  }

  #taken(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}

/** A number, or a reference to a text, and the number of its row. */
const valueBytes = 16;

function wholeColumn({ rows, values }: Collected, length: number): (Stored | null)[] {
  const whole: (Stored | null)[] = new Array(length).fill(null);
  for (const [at, row] of rows.entries()) whole[row] = values[at] ?? null;
  return whole;
}
