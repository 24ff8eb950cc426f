/**
 * Texts as cells of CSV [exports.csv, exports.safe-cells]: quoted where they have to be, and nothing that a spreadsheet would
 * run. Exports and the dashboard write the same.
 */

/** The full-width forms too: a spreadsheet set to Japanese or Chinese reads them as the others. */
const startsFormula = "=+\\-@\uff1d\uff0b\uff0d\uff20";
const runsAsFormula = new RegExp(`^[${startsFormula}\\t\\r\\n]`);
/**
 * German and French spreadsheets separate cells by semicolons, others by tabs, and then know nothing of the quotes
 * around a cell of ours: what comes behind one of these, or behind a line break, is a cell to them.
 */
const runsInside = new RegExp(`([;\\t\\r\\n]"*)(?=[${startsFormula}])`, "g");

/** A spreadsheet takes the apostrophe as the mark of a text, and runs nothing behind it. */
function defused(text: string): string {
  const inside = text.replace(runsInside, "$1'");
  return runsAsFormula.test(inside) ? `'${inside}` : inside;
}

/** A text that may stay as it is, where others are `csvText`. */
export const quotedCsv = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const csvText = (text: string): string => quotedCsv(defused(text));
