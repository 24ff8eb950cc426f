import { writeNumber } from "./write-number.ts";

/** Parses numbers as shoppers type them. */

/**
 * The zero of each set of digits that keyboards have in addition to 0 to 9: Arabic-Indic, extended Arabic-Indic,
 * Devanagari, fullwidth.
 */
const zeros = [0x660, 0x6f0, 0x966, 0xff10];

const plainDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.charCodeAt(0);
    const zero = zeros.find((first) => code >= first && code < first + 10);
    return zero === undefined ? digit : String(code - zero);
  });

/**
 * A typed number, or null if it is invalid [player.typed-numbers]. Both comma and point are accepted as decimal
 * separators in any locale: a single one is the locale's grouping separator only if exactly three digits follow it.
 */
export function parseNumber(typed: string, locale: string): number | null {
  const text = plainDigits(typed)
    .replace(/[\s\u061c\u200e\u200f'’٬]/g, "")
    .replace(/٫/g, ".")
    .replace(/[−–]/g, "-");
  const [sign = "", body = ""] = /^[+-]/.test(text) ? [text[0], text.slice(1)] : ["", text];
  if (!/^[\d.,]*\d[\d.,]*$/.test(body)) return null;
  const plain = withPoint(body, decimalOf(locale));
  return plain === null || !/^(\d+\.?\d*|\.\d+)$/.test(plain) ? null : Number(sign + plain);
}

/** Normalises to a decimal point without grouping; null if the commas and points make no sense. */
function withPoint(body: string, decimal: string): string | null {
  const marks = body.replace(/\d/g, "");
  if (marks === "") return body;
  const last = marks.slice(-1);
  const other = last === "." ? "," : ".";
  const grouped = (text: string, mark: string): boolean =>
    !text.includes(mark) || text.split(mark).every((part, i) => (i === 0 ? /^\d{1,3}$/ : /^\d{3}$/).test(part));
  const groupsOnly = grouped(body, last) && !marks.includes(other) && (marks.length > 1 || last !== decimal);
  if (groupsOnly) return body.replaceAll(last, "");
  const at = body.lastIndexOf(last);
  const whole = body.slice(0, at);
  if (whole.includes(last) || !grouped(whole, other)) return null;
  return `${whole.replaceAll(other, "")}.${body.slice(at + 1)}`;
}

const decimalOf = (locale: string): string => (typedNumber(0.5, locale).includes(",") ? "," : ".");

/** The number as a shopper would type it: without grouping. */
export const typedNumber = (value: number, locale: string): string => writeNumber(value, locale, false);
