/** Texts of a workbook's XML (ECMA-376, part 1) [exports.xlsx]. */

/** The longest text of a cell, in UTF-16 code units. */
export const cellTextAtMost = 32_767;

/** A longer text ends with how long it is, instead of its rest [exports.xlsx-limits]. */
export function cutText(text: string): string {
  if (text.length <= cellTextAtMost) return text;
  const note = ` [cut: ${text.length} characters]`;
  return firstUnits(text, cellTextAtMost - note.length) + note;
}

/** Up to `most` UTF-16 code units, without half of a pair at the end. */
function firstUnits(text: string, most: number): string {
  const cut = text.slice(0, most);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

/** Controls below a blank, without tabs and line breaks: XML cannot hold them. */
const control = "(?![\\t\\n\\r\\x7f-\\x9f])\\p{Cc}";
const noncharacter = "[\\ufffe\\uffff]";
/** The underscore of a text that already reads like an escape. */
const looksEscaped = "_(?=x[0-9A-Fa-f]{4}_)";
const unwritable = new RegExp(`${control}|${noncharacter}|\\p{Cs}|${looksEscaped}`, "gu");

const escaped = (unit: string): string => `_x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;

/** XML reads a carriage return as a line feed, unless it is written as a reference. */
const marks: Readonly<Record<string, string>> = {
  ...{ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;" },
};

/** A text as the content of an element or attribute. What XML cannot hold becomes `_xHHHH_`, as workbooks have it. */
export const workbookText = (text: string): string =>
  text.replace(unwritable, escaped).replace(/[&<>"\r]/g, (mark) => marks[mark] ?? mark);

/** The longest name of a sheet, in UTF-16 code units. */
const nameAtMost = 31;

/**
 * Makes the names of a workbook's sheets from texts, which may be anything: a name is up to 31 characters long, unique
 * whatever its case, without `:\/?*[]` and without an apostrophe at either end.
 */
export class SheetNames {
  // a name that the format reserves
  readonly #used = new Set(["history"]);

  /** @param part 1 for the first sheet of a table, counting up for those that continue it */
  next(text: string, part: number): string {
    const base = sheetName(text);
    for (let number = part; ; number += 1) {
      const ending = number === 1 ? "" : ` (${number})`;
      const name = firstUnits(base, nameAtMost - ending.length).trimEnd() + ending;
      if (this.#used.has(name.toLowerCase())) continue;
      this.#used.add(name.toLowerCase());
      return name;
    }
  }
}

function sheetName(text: string): string {
  const plain = text.toWellFormed().replaceAll(/[\p{Cc}\ufffe\uffff:\\/?*[\]\s]+/gu, " ");
  const name = firstUnits(plain.replaceAll(/^[' ]+|[' ]+$/g, ""), nameAtMost).replaceAll(/[' ]+$/g, "");
  return name === "" ? "Sheet" : name;
}
