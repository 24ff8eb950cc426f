import { parsePhoneNumberFromString } from "libphonenumber-js/min";
import { containing } from "../platform/database/like.ts";
import { contactKey, readContactKey } from "../profiles/people.ts";
import { contactIdentity } from "../sessions/public.ts";

/**
 * Finds emails and phones in texts of any kind: what somebody typed, a web address, JSON, a file [erasure.in-texts]. It
 * finds too much rather than too little, since what it answers is compared with contacts that are known.
 */

/** Before the @ at most twice what an address may have: without a bound, a long word is scanned from each letter. */
const email = /[^\s\p{C}@<>()[\]\\,;:"]{1,128}@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+/gu;
/** allowed in an address, but may also separate it from the text before */
const separators = /['=&?/|%*{}!#$`~^]/g;
/** not a part of an id, a date or a longer number */
const phone = /(?<![\p{L}\p{N}_.-])\+?\(?\d[\d\s()./\u00a0\u2010-\u2015-]{4,30}\d(?![\p{L}\p{N}_-])/gu;
const leastDigits = 6;
const mostDigits = 15;

/** What a contact is recognised by: its key, and for a phone also the number without its country. */
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

/** A run may hold several phones with blanks between, so its pieces are tried too. */
function phonesIn(run: string): string[] {
  const tried = new Set([run, ...run.split(/\s+/)].map((text) => text.replaceAll(/\D/g, "").replace(/^0+/, "")));
  const numbers = [...tried].filter(({ length }) => length >= leastDigits && length <= mostDigits);
  return numbers.flatMap((digits) => [contactKey({ kind: "phone", value: `+${digits}` }), `national:${digits}`]);
}

/** Patterns for LIKE that pass every text in which `traitsIn` finds one of these emails; the text in lower case. */
export const emailPatterns = (emails: readonly string[]): string[] =>
  // beyond ASCII, lower case depends on the database's collation, and letters have several forms
  emails.some((value) => !isAscii(value))
    ? ["%@%", "%\\%40%"]
    : emails.flatMap((value) => [value, value.replace("@", "%40")]).map(containing);

/** The same for phones; of the text without blanks and punctuation. */
export const phonePatterns = (phones: readonly string[]): string[] =>
  phones.map((value) => containing(value.slice(-6)));

/** For SQL's translate: what `phonePatterns` expects to be taken out. */
export const phonePunctuation = " -().+/\u00a0\u2010\u2011\u2012\u2013\u2014\u2015";

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);
