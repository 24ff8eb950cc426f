/**
 * Texts as CSV cells [exports.csv, exports.safe-cells]: quoted if necessary, and safe from being run by a spreadsheet.
 * Exports and the dashboard share this.
 */

/** Including the full-width forms, which a spreadsheet set to Japanese or Chinese treats alike. */
const startsFormula = "=+\\-@\uff1d\uff0b\uff0d\uff20";
const runsAsFormula = new RegExp(`^[${startsFormula}\\t\\r\\n]`);
/**
 * German and French spreadsheets separate cells by semicolons, others by tabs, and then ignore the quotes around our
 * cells: what follows one of these, or a line break, is a cell to them.
 */
const runsInside = new RegExp(`([;\\t\\r\\n]"*)(?=[${startsFormula}])`, "g");

/** A leading apostrophe marks text in a spreadsheet, which is then not run. */
function defused(text: string): string {
  const inside = text.replace(runsInside, "$1'");
  return runsAsFormula.test(inside) ? `'${inside}` : inside;
}

/** For text that only needs quoting; other text uses `csvText`. */
export const quotedCsv = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export const csvText = (text: string): string => quotedCsv(defused(text));
