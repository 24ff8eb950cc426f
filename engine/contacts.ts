/**
 * Decides what is a contact [people.contacts]: the same function in a shopper's browser, for events, imports and
 * orders, so that what the browser takes is a contact on the server too.
 */

import { emailIn, invisible } from "./emails.ts";

export type ContactKind = "email" | "phone";

/** Numbering plans, made of metadata by `phonePlans` (phone-numbers.ts). */
export interface PhonePlans {
  /** ISO 3166-1 alpha-2 codes of the countries that have a plan */
  countries: readonly string[];
  /**
   * A number in E.164; null if the text cannot be one.
   *
   * @param text as `phoneText` leaves it
   * @param country one of `countries`; null: only international notation is read
   */
  numberOf(text: string, country: string | null): string | null;
}

/** Why a text is no contact; `country`: it may be a national number, and its country is unknown. */
export type ContactFault = "email" | "phone" | "country";

/** `value`: an email in lower case and NFC, a phone in E.164. */
export type ContactReading = { value: string } | { fault: ContactFault };

/** Longer texts are not looked at: an answer has 320 characters, and a wrapping is short. */
const longestText = 1_000;
/**
 * Longer texts are not parsed as a phone, once they are clean: 15 digits with every separator, a country's prefix and
 * an extension are shorter, and the parser's time grows with the square of a text's length.
 */
const maxPhoneLength = 40;

/** What people and programs put around a number: signs, or a link's scheme. */
const wrapping =
  /^(?:[\s,;<>"“”„«»‹›‘’「」'`[{]|(?:tel|phone|sms|callto|whatsapp)\.? ?:(?:\/\/)?)+|[\s.,;:!?<>"“”„«»‹›‘’「」'`\]}。、]+$/giu;

/** The decimal digits of every script as ASCII: each script has its ten digits in a row. */
const asciiDigits = (text: string): string =>
  text.replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    let first = code;
    while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1;
    return String((code - first) % 10);
  });

/** What may be a phone number, without what is around it; in international notation it begins with `+`. */
function phoneText(raw: string): string {
  const text = asciiDigits(raw.replace(invisible, "").normalize("NFKC").replace(/\s+/gu, " "));
  // a number may begin or end with a bracket: only around the whole of it is one wrapping
  const bare = text.replace(wrapping, "").replace(/^\(([^()]*)\)$/, "$1");
  // a link's number may be national, with its country at the end (RFC 3966)
  const [, national, context] = /^([^;]*);phone-context=(\+\d+)$/i.exec(bare) ?? [];
  if (national !== undefined) return `${context} ${national}`;
  return bare.replace(/^\( ?(\+|00) ?(\d{1,3}) ?\)/, "$1$2 ").replace(/^\+ ?\+|^\+ ?00(?=\d)/, "+");
}

/** A number that is dialled from abroad, with the usual prefix. */
const isInternational = (text: string): boolean => /^(?:\+|00[1-9 ])/.test(text);

function readPhone(raw: string, country: string | null, plans: PhonePlans): ContactReading {
  const text = phoneText(raw);
  if (text.length > maxPhoneLength) return { fault: "phone" };
  const code = country?.toUpperCase() ?? "";
  const home = plans.countries.includes(code) ? code : null;
  const abroad = text.replace(/^00 ?(?=[1-9])/, "+");
  const value = plans.numberOf(text, home) ?? (abroad === text ? null : plans.numberOf(abroad, null));
  if (value !== null) return { value };
  const maybeNational = home === null && !isInternational(text) && /^[\d\s()./-]{4,}$/.test(text);
  return { fault: maybeNational ? "country" : "phone" };
}

/**
 * The contact in a text, or why there is none: invisible marks and what is put around a contact are removed, words are
 * not.
 *
 * @param country ISO 3166-1 alpha-2, for phones in national notation; null: unknown
 */
export function readContact(
  kind: ContactKind,
  raw: string,
  { country, plans }: { country: string | null; plans: PhonePlans },
): ContactReading {
  if (raw.length > longestText) return { fault: kind };
  if (kind === "phone") return readPhone(raw, country, plans);
  const value = emailIn(raw);
  return value === null ? { fault: kind } : { value };
}
