import { parsePhoneNumberFromString } from "libphonenumber-js/min";
import { containing } from "../platform/database/like.ts";
import { contactKey, readContactKey } from "../profiles/people.ts";
import { contactIdentity } from "../sessions/public.ts";

/**
 * Finds emails and phones in any text: typed input, a URL, JSON, a file [erasure.in-texts]. It prefers finding too
 * much, since the results are compared with known contacts.
 */

/**
 * Allows twice the permitted length before the @. Without a limit, a long word would be scanned again from each of its
 * letters.
 */
const email = /[^\s\p{C}@<>()[\]\\,;:"]{1,128}@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+/gu;
/** allowed in an address, but may also separate it from the preceding text */
const separators = /['=&?/|%*{}!#$`~^]/g;
/** excludes parts of ids, dates and longer numbers */
const phone = /(?<![\p{L}\p{N}_.-])\+?\(?\d[\d\s()./\u00a0\u2010-\u2015-]{4,30}\d(?![\p{L}\p{N}_-])/gu;
const leastDigits = 6;
const mostDigits = 15;

/** What identifies a contact in a text: its key, and for a phone also its number without the country code. */
export function traitsOf(key: string): string[] {
  const { kind, value } = readContactKey(key);
  if (kind === "email") return [key];
  const national = parsePhoneNumberFromString(value)?.nationalNumber.replace(/^0+/, "");
  return national === undefined ? [key] : [key, `national:${national}`];
}

/** The traits (see `traitsOf`) of everything in a text that may be a contact. */
export function traitsIn(text: string): Set<string> {
  const found = new Set<string>();
  if (text.includes("@") || text.includes("%40")) {
    for (const value of emailsIn(text)) found.add(contactKey({ kind: "email", value }));
  }
  for (const [run] of text.matchAll(phone)) for (const trait of phonesIn(run)) found.add(trait);
  return found;
}

function emailsIn(text: string): string[] {
  const readable = text.normalize("NFC").replaceAll(/%40/g, "@").replaceAll(/%2B/gi, "+");
  return [...readable.matchAll(email)].flatMap(([match]) => {
    const at = match.indexOf("@");
    const starts = [0, ...[...match.slice(0, at).matchAll(separators)].map(({ index }) => index + 1)];
    return starts.flatMap((start) => contactIdentity("email", match.slice(start), null) ?? []);
  });
}

/** A match may contain several phones separated by spaces, so its parts are tried too. */
function phonesIn(run: string): string[] {
  const tried = new Set([run, ...run.split(/\s+/)].map((text) => text.replaceAll(/\D/g, "").replace(/^0+/, "")));
  const numbers = [...tried].filter(({ length }) => length >= leastDigits && length <= mostDigits);
  return numbers.flatMap((digits) => [contactKey({ kind: "phone", value: `+${digits}` }), `national:${digits}`]);
}

/**
 * LIKE patterns that match every text in which `traitsIn` finds one of these emails. Apply them to lower-cased text.
 */
export const emailPatterns = (emails: readonly string[]): string[] =>
  // outside ASCII, lower case depends on the database's collation, and letters have several encodings
  emails.some((value) => !isAscii(value))
    ? ["%@%", "%\\%40%"]
    : emails.flatMap((value) => [value, value.replace("@", "%40")]).map(containing);

/** The same for phones. Apply them to text without spaces and punctuation. */
export const phonePatterns = (phones: readonly string[]): string[] =>
  phones.map((value) => containing(value.slice(-6)));

/** The characters to remove with SQL's translate before applying `phonePatterns`. */
export const phonePunctuation = " -().+/\u00a0\u2010\u2011\u2012\u2013\u2014\u2015";

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);
