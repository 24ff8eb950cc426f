import { csvText, quotedCsv } from "../../../contract/csv-text.ts";
import { contactIdentity } from "../../sessions/public.ts";

/**
 * CSV that spreadsheets open safely (RFC 4180) [exports.csv]: UTF-8 behind a byte-order mark, CRLF after each row, a
 * cell in quotes where it holds a quote, a comma or a line break, which stays as it is. Null is an empty cell.
 */

/**
 * A number and a boolean are written as they are, a text is defused; `asIs`: a text that is known not to be a formula.
 */
export type Cell = string | number | boolean | null | { asIs: string };

export interface Column<Row> {
  name: string;
  cell: (row: Row) => Cell;
}

export const byteOrderMark = "\ufeff";

export function csvRow<Row>(columns: readonly Column<Row>[], row: Row): string {
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

/** Digits and what people write between them. */
const phoneForm = /^\+?[0-9(][0-9 ()./-]*$/;

/** A phone number stays as it is, `+` in front included; what was typed into its field and is none is a text. */
export function phoneCell(text: string | null): Cell {
  const isPhone = text !== null && phoneForm.test(text) && contactIdentity("phone", text, null) !== null;
  return isPhone ? { asIs: text } : text;
}

/** Several values for a person to read. */
export const joined = (texts: readonly string[]): string | null => (texts.length === 0 ? null : texts.join("; "));
