import type { TSchema } from "typebox";
import type { ExportHeaders } from "../../../contract/exports.ts";
import { isObject } from "../../../engine/read.ts";
import { type Column, spreadsheetColumns, tableHead } from "./columns.ts";
import { byteOrderMark, csvHead, csvRow } from "./csv.ts";
import type { Part } from "./dataset.ts";
import { TextOutput } from "./output.ts";
import type { ByteOutput, TableWriter } from "./table.ts";

/** Writes the rows of a dataset, part by part, in one format; called as a `TableWriter` is. */
export interface RowWriter<Row> {
  begin(part: Pick<Part<Row>, "name" | "columns">): Promise<void>;
  add(rows: readonly Row[]): Promise<void>;
  end(): Promise<void>;
  abort(): Promise<void>;
}

/** Writes a format whose rows are texts; a dataset has one part in it. */
export class TextWriter<Row> implements RowWriter<Row> {
  readonly #text: TextOutput;
  readonly #formatOf: (columns: readonly Column<Row>[]) => TextFormat<Row>;
  #format: TextFormat<Row> | null = null;
  #rows = 0;

  constructor(output: ByteOutput, formatOf: (columns: readonly Column<Row>[]) => TextFormat<Row>) {
    this.#text = new TextOutput(output);
    this.#formatOf = formatOf;
  }

  begin({ columns }: Pick<Part<Row>, "columns">): Promise<void> {
    if (this.#format !== null) throw new Error("a text has one table");
    this.#format = this.#formatOf(columns);
    return this.#text.write(this.#format.head);
  }

  async add(rows: readonly Row[]): Promise<void> {
    for (const row of rows) {
      await this.#text.write(this.#format?.row(row, this.#rows) ?? "");
      this.#rows += 1;
    }
  }

  async end(): Promise<void> {
    await this.#text.write(this.#format?.foot ?? "");
    await this.#text.flush();
  }

  async abort(): Promise<void> {
    // holds nothing
  }
}

/** Passes the values of each row to the writer of an exact table [exports.typed-columns]. */
export class ExactWriter<Row> implements RowWriter<Row> {
  readonly #table: TableWriter;
  readonly #headers: ExportHeaders;
  #columns: readonly Column<Row>[] = [];

  constructor(table: TableWriter, headers: ExportHeaders) {
    this.#table = table;
    this.#headers = headers;
  }

  begin({ name, columns }: Pick<Part<Row>, "name" | "columns">): Promise<void> {
    this.#columns = columns;
    return this.#table.begin(tableHead(name, columns, this.#headers));
  }

  add(rows: readonly Row[]): Promise<void> {
    return this.#table.add(rows.map((row) => this.#columns.map(({ value }) => value(row))));
  }

  end(): Promise<void> {
    return this.#table.end();
  }

  abort(): Promise<void> {
    return this.#table.abort();
  }
}

/** A format whose rows are texts: CSV in spreadsheet style, JSON, NDJSON. */
export interface TextFormat<Row> {
  head: string;
  row: (row: Row, index: number) => string;
  foot: string;
}

/** [exports.csv] */
export function csvFormat<Row>(columns: readonly Column<Row>[], headers: ExportHeaders): TextFormat<Row> {
  const shown = spreadsheetColumns(columns, headers);
  return {
    head: byteOrderMark + csvHead(shown),
    row: (row) => csvRow(shown, row),
    foot: "",
  };
}

/**
 * One object with each item on a line of its own, so that a file too large to parse at once can be read line by line
 * [exports.json].
 */
export function jsonFormat<Row>(
  about: { dataset: string; filters: unknown; generated_at: string },
  shape?: TSchema,
): TextFormat<Row> {
  return {
    head: `${JSON.stringify(about).slice(0, -1)},"items":[`,
    row: (row, index) => `${index === 0 ? "" : ","}\n${itemText(row, shape)}`,
    foot: "\n]}\n",
  };
}

/**
 * An item on each line, and nothing else [exports.ndjson]. Some readers of lines, such as Node's, end one at U+2028 too.
 */
export const ndjsonFormat = <Row>(shape?: TSchema): TextFormat<Row> => ({
  head: "",
  row: (row) => `${itemText(row, shape).replaceAll(/[\u0085\u2028\u2029]/g, escaped)}\n`,
  foot: "",
});

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

const itemText = (row: unknown, shape?: TSchema): string => JSON.stringify(shape ? inOrderOf(shape, row) : row);

/** Puts an object's own fields in the order in which the API answers them; others follow. */
function inOrderOf(shape: TSchema, row: unknown): unknown {
  if (!isObject(row) || !("properties" in shape) || !isObject(shape.properties)) return row;
  const named = Object.keys(shape.properties).filter((name) => Object.hasOwn(row, name));
  return { ...Object.fromEntries(named.map((name) => [name, row[name]])), ...row };
}
