import type { ColumnHead, Value, ValueType } from "./table.ts";
import { cutText, workbookText } from "./xlsx-text.ts";

/** Cells of a sheet, in its XML [exports.xlsx]. */

/** Indices into `cellXfs` of xlsx-parts.ts. */
const style = { text: 1, date: 2, datetime: 3, instant: 4, head: 5 } as const;

/** A column of a sheet: its type, and its letters as in `AB12`. */
export interface SheetColumn {
  name: string;
  type: ValueType;
  letters: string;
  /** only has a name */
  isNote?: true;
}

/** The most columns that a sheet can have. */
const columnsAtMost = 16_384;

/** The columns of a table as far as a sheet holds them; the last one says how many there is no room for. */
export function sheetColumns(columns: readonly ColumnHead[]): SheetColumn[] {
  const lettered: SheetColumn[] = columns
    .slice(0, columnsAtMost)
    .map(({ name, type }, at) => ({ name, type, letters: lettersOf(at) }));
  if (columns.length <= columnsAtMost) return lettered;
  const left = columns.length - columnsAtMost + 1;
  return lettered.with(-1, {
    name: `[cut: ${left} columns]`,
    type: "text",
    letters: lettersOf(columnsAtMost - 1),
    isNote: true,
  });
}

function lettersOf(column: number): string {
  const last = String.fromCharCode("A".charCodeAt(0) + (column % 26));
  return column < 26 ? last : lettersOf(Math.floor(column / 26) - 1) + last;
}

const widths: Readonly<Record<ValueType, number>> = {
  ...{ text: 26, integer: 12, number: 12, decimal: 12, boolean: 12 },
  ...{ date: 12, datetime: 17, instant: 24 },
};

export function widthsXml(columns: readonly SheetColumn[]): string {
  const each = columns.map(
    ({ type }, at) => `<col min="${at + 1}" max="${at + 1}" width="${widths[type]}" customWidth="1"/>`,
  );
  return each.length === 0 ? "" : `<cols>${each.join("")}</cols>`;
}

/** The names of the columns as a sheet's first row. */
export const headXml = (columns: readonly SheetColumn[]): string =>
  `<row r="1">${columns.map(({ name, letters }) => textCell(`${letters}1`, name, style.head)).join("")}</row>`;

/** @param number of the row in its sheet */
export function rowXml(columns: readonly SheetColumn[], values: readonly Value[], number: number): string {
  let xml = `<row r="${number}">`;
  for (const [at, { type, letters, isNote }] of columns.entries()) {
    const value = values[at] ?? null;
    if (value !== null && !isNote) xml += cellXml(letters + number, type, value);
  }
  return `${xml}</row>`;
}

function cellXml(place: string, type: ValueType, value: string | number | boolean): string {
  if (typeof value === "boolean") return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (typeof value === "number") return `<c r="${place}"><v>${value}</v></c>`;
  if (type === "decimal" && digitsIn(value) <= exactDigits) return `<c r="${place}"><v>${value}</v></c>`;
  const moment = momentFormat(type, value);
  const serial = moment === null ? null : serialOf(value);
  if (moment === null || serial === null) return textCell(place, value, style.text);
  return `<c r="${place}" s="${moment}"><v>${serial}</v></c>`;
}

/** Further digits of a number are lost in a spreadsheet; an amount with more stays a text. */
const exactDigits = 15;
const digitsIn = (amount: string): number => amount.replace(/^-?0*/, "").replace(".", "").length;

/** Without the attribute, blanks at the ends of a text are lost. */
const blanksMatter = /^\s|\s$|[\t\n]/;

/** A text in its cell instead of in a list of all texts, which would have to be kept until the file's end. */
function textCell(place: string, text: string, format: number): string {
  const space = blanksMatter.test(text) ? ' xml:space="preserve"' : "";
  return `<c r="${place}" s="${format}" t="inlineStr"><is><t${space}>${workbookText(cutText(text))}</t></is></c>`;
}

const dayMs = 86_400_000;
/** Days from 1899-12-30, which a workbook counts from, to 1970-01-01. */
const epochSerial = 25_569;
/** 1900-03-01. A workbook counts a 29 February 1900, so earlier days are other days in some programs. */
const firstSerial = 61;
/** 9999-12-31, the last day that a spreadsheet knows */
const endSerial = 2_958_466;

/** How a moment is shown; null for anything else. A day without a time is shown without one. */
function momentFormat(type: ValueType, value: string): number | null {
  if (type === "instant") return style.instant;
  if (type !== "date" && type !== "datetime") return null;
  return value.length === "YYYY-MM-DD".length ? style.date : style.datetime;
}

/** Days since 1899-12-30 of a moment; null if a spreadsheet does not know it. */
function serialOf(moment: string): number | null {
  const [day = "", time = "00:00"] = moment.replace("Z", "").split(/[ T]/);
  const serial = epochSerial + Date.parse(`${day}T${time}Z`) / dayMs;
  return serial >= firstSerial && serial < endSerial ? serial : null;
}
