import { csvText, quotedCsv } from "../../../contract/csv-text.ts";
import { contactIdentity } from "../../sessions/public.ts";

/**
 * CSV that spreadsheets open safely (RFC 4180) [exports.csv]: UTF-8 with a byte-order mark, and CRLF after each row.
 * Cells are quoted if they contain a quote, a comma or a line break; line breaks are kept. Null is an empty cell.
 */

/**
 * Numbers and booleans are written as they are, texts are escaped against formulas. `asIs` is a text known not to be
 * one.
 */
export type Cell = string | number | boolean | null | { asIs: string };

export interface CsvColumn<Row> {
  name: string;
  cell: (row: Row) => Cell;
}

export const byteOrderMark = "\ufeff";

export function csvRow<Row>(columns: readonly CsvColumn<Row>[], row: Row): string {
  let line = "";
  for (const { cell } of columns) line += `${cellText(cell(row))},`;
  return `${line.slice(0, -1)}\r\n`;
}

export const csvHead = (columns: readonly { name: string }[]): string =>
  csvRow(
    columns.map(({ name }) => ({ name, cell: () => name })),
    null,
  );

function cellText(cell: Cell): string {
  if (typeof cell === "string") return csvText(cell);
  if (cell === null) return "";
  return typeof cell === "object" ? quotedCsv(cell.asIs) : String(cell);
}

/** Digits and the usual separators. */
const phoneForm = /^\+?[0-9(][0-9 ()./-]*$/;

/**
 * A valid phone number is kept as it is, including a leading `+`. Anything else typed into a phone field is escaped as
 * text.
 */
export function phoneCell(text: string | null): Cell {
  const isPhone = text !== null && phoneForm.test(text) && contactIdentity("phone", text, null) !== null;
  return isPhone ? { asIs: text } : text;
}

/** Several values in one cell for people to read. */
export const joined = (texts: readonly string[]): string | null => (texts.length === 0 ? null : texts.join("; "));
