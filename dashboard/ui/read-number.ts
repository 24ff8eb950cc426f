const numberForm = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const integerForm = /^[+-]?\d+$/;

/**
 * Reads a typed number: `1.5`, `1,5` and `−1` (a minus sign of typography) are numbers, `1,000` could be two and is
 * none. Pure.
 *
 * @returns null: not a number
 */
export function readNumber(typed: string, form: "decimal" | "integer" = "decimal"): number | null {
  const text = typed
    .trim()
    .replace(/^\u2212/, "-")
    .replace(/^([+-]?\d*),(\d{1,2}|\d{4,})$/, "$1.$2");
  const value = (form === "integer" ? integerForm : numberForm).test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : null;
}
