import { writeNumber } from "./write-number.ts";

/** Numbers as shoppers type them. */

/** Digits that keyboards give beside 0 to 9: Arabic-Indic, extended Arabic-Indic, Devanagari, fullwidth. */
const zeros = [0x660, 0x6f0, 0x966, 0xff10];

const plainDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.charCodeAt(0);
    const zero = zeros.find((first) => code >= first && code < first + 10);
    return zero === undefined ? digit : String(code - zero);
  });

/**
 * A typed number, or null where it is none [player.typed-numbers]. Both a comma and a point may stand before the
 * decimals, whichever the locale writes: one that stands once is read as the locale's grouping only where exactly three
 * digits follow it.
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

/** With a point before the decimals and no grouping, or null where commas and points make no sense. */
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

/** As a shopper may type it: without grouping. */
export const typedNumber = (value: number, locale: string): string => writeNumber(value, locale, false);
