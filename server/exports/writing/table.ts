/**
 * What the writer of a table's format gets: columns with types, then rows of values that fit them
 * [exports.typed-columns]. The formats of exact tables (CSV in plain style, XLSX, Parquet) have one writer each.
 */

/**
 * What all values of a column are, besides null:
 *
 * - `text`: a string, exactly as typed; may hold line breaks, control characters and lone surrogates
 * - `integer`: a safe integer; `number`: a finite double
 * - `decimal`: a string such as `-12.50`, all of whose digits count (money)
 * - `boolean`: a boolean
 * - `date`: `YYYY-MM-DD`, of years 0000 to 9999
 * - `datetime`: `YYYY-MM-DD HH:MM` or `YYYY-MM-DD HH:MM:SS`, as a clock on the wall showed it, in no zone;
 *   or `YYYY-MM-DD` where no time was given. A format that cannot tell these apart writes the text.
 * - `instant`: `YYYY-MM-DDTHH:MM:SS.mmmZ`
 */
export type ValueType = "text" | "integer" | "number" | "decimal" | "boolean" | "date" | "datetime" | "instant";

export type Value = string | number | boolean | null;

export interface ColumnHead {
  /** not empty, and unique within its table */
  name: string;
  type: ValueType;
}

export interface TableHead {
  /** for people: a quiz's name, or the dataset; may be any text, and occur twice */
  name: string;
  columns: readonly ColumnHead[];
}

/**
 * Writes one file. Calls never overlap, and each is awaited: `begin`, then any number of `add`, for one table after
 * another (several only in XLSX), and `end` at last. Memory stays bounded whatever the number of rows.
 */
export interface TableWriter {
  /** Begins a table; there is at least one. */
  begin(table: TableHead): Promise<void>;
  /** Up to 50 rows, each with one value per column, in their order. */
  add(rows: readonly (readonly Value[])[]): Promise<void>;
  /** Completes the file: everything has been passed to the output when this resolves. */
  end(): Promise<void>;
  /** Releases what the writer holds after a failure, instead of `end`; does not throw. */
  abort(): Promise<void>;
}

/** Where a file's bytes go, in their order. */
export interface ByteOutput {
  /** Resolves once there is room for more; do not change the bytes before that. */
  write(bytes: Uint8Array): Promise<void>;
}

export interface AboutTable {
  dataset: "profiles" | "responses" | "quiz_analytics";
  /** the moment whose state the file shows */
  generatedAt: Date;
}

export type OpenTableWriter = (output: ByteOutput, about: AboutTable) => TableWriter;
