import { quotedCsv } from "../../../contract/csv-text.ts";
import { TextOutput } from "./output.ts";
import type { ByteOutput, TableHead, TableWriter, Value } from "./table.ts";

/**
 * CSV for programs [exports.csv-plain]: no byte-order mark, a line feed after each row, a row on one line, and texts as
 * they are. A cell is quoted where RFC 4180 requires it, and for the word NULL, which some databases take for no value.
 */
export class PlainCsv implements TableWriter {
  readonly #text: TextOutput;

  constructor(output: ByteOutput) {
    this.#text = new TextOutput(output);
  }

  begin({ columns }: TableHead): Promise<void> {
    return this.#text.write(plainRow(columns.map(({ name }) => name)));
  }

  async add(rows: readonly (readonly Value[])[]): Promise<void> {
    for (const row of rows) await this.#text.write(plainRow(row));
  }

  end(): Promise<void> {
    return this.#text.flush();
  }

  async abort(): Promise<void> {
    // holds nothing
  }
}

export const plainRow = (row: readonly Value[]): string => `${row.map(plainCell).join(",")}\n`;

function plainCell(value: Value): string {
  if (value === null) return "";
  if (typeof value !== "string") return String(value);
  return value === "NULL" ? '"NULL"' : quotedCsv(value.replaceAll(/\r\n|\r|\n/g, " "));
}
