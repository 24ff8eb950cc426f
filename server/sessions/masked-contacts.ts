import { contactIdentity } from "../platform/contacts.ts";

/**
 * Hides the emails and phones in texts that shoppers' browsers send of themselves, such as addresses of pages and
 * campaigns, from whoever may not see people [api.masked-contacts]. Unlike an erasure's search, which prefers to find
 * too much, it leaves ids, dates and prices alone, since campaigns are told apart by them.
 */

export const emailMask = "[email]";
export const phoneMask = "[phone]";

/** `%40`, `%2540` and the signs that other keyboards type, too. */
const at = "(?:@|%(?:25)*40|\\uff20|\\ufe6b)";
const label = "(?:[\\p{L}\\p{M}\\p{N}-]|%(?:25)*[89a-f][0-9a-f])+";
const dot = "(?:\\.|%(?:25)*2e|[\\u3002\\uff0e\\uff61])";
/** In addresses of pages some signs of a local part separate parameters, so a mask begins behind them. */
const email = new RegExp(`[^\\s\\p{C}@<>()[\\]\\\\,;:"'=&?/|#]{1,128}${at}${label}(?:${dot}${label})+`, "giu");

/** A space or plus sign, encoded or not, and the punctuation of numbers. */
const gap = "(?:[\\s()./\\u00a0\\u2010-\\u2015-]|%(?:25)*(?:20|28|29|2d)|\\+)";
const digits = (least: number) => `\\p{Nd}(?:${gap}{0,3}\\p{Nd}){${least - 1},14}(?!\\p{Nd})`;
const begins = "(?<![\\p{L}\\p{N}_-])";
const plus = "(?:\\+|\\uff0b|%(?:25)*2b)";

/** In international notation; a space is what a plus sign in an address is read as. */
const international = new RegExp(`(?:${plus}{1,2}|(?<=[=:])(?:\\s|%20)|${begins}00)(?:${gap}){0,2}${digits(7)}`, "giu");
/** What a parameter or a link's scheme says is a phone. */
const named = new RegExp(
  `((?:phone|tel|telephone|telefon|mobile|mobil|handy|cell|msisdn|whatsapp|sms|fon)[\\w-]*(?:=|:|%(?:25)*3[ad])(?:\\/\\/)?)((?:${plus}|${gap}){0,3}${digits(5)})`,
  "giu",
);
/** National notation, by its leading zero or by how numbers are grouped. */
const national = new RegExp(
  `${begins}(?:0(?:${gap}{0,3}\\p{Nd}){8,11}|\\(?[2-9]\\d{2}\\)?(?:[ .-]|%20|\\+)\\d{3}(?:[ .-]|%20|\\+)\\d{4})(?![\\p{L}\\p{N}_-])`,
  "giu",
);

const mayHold = /@|%(?:25)*40|\uff20|\ufe6b|\p{Nd}(?:[^\p{L}\p{Nd}]{0,3}\p{Nd}|%(?:25)*2[089d]\p{Nd}){4}/iu;

/** The text with a mask in place of each email and phone. */
export function withoutContacts(text: string): string {
  if (!mayHold.test(text)) return text;
  return text
    .replaceAll(email, emailMask)
    .replaceAll(named, (_, before: string) => `${before}${phoneMask}`)
    .replaceAll(international, (found) => (isPhone(found) ? phoneMask : found))
    .replaceAll(national, phoneMask);
}

function isPhone(found: string): boolean {
  const readable = found
    .replaceAll(/%(?:25)*2b/gi, "+")
    .replaceAll(/%(?:25)*[0-9a-f]{2}/gi, " ")
    .trim()
    .replace(/^(?!\+|00)/, "+");
  return contactIdentity("phone", readable, null) !== null;
}

/** The same in every text of a JSON value; names of fields stay. */
export function maskedTexts<Value>(value: Value): Value {
  // each text becomes a text, each list a list: the type stays
  return masked(value) as Value;
}

function masked(value: unknown): unknown {
  if (typeof value === "string") return withoutContacts(value);
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]));
}
