import { contactIdentity } from "../../sessions/public.ts";
import { contactKey } from "../people.ts";

/**
 * Finds emails and phones in texts of any kind: what somebody typed, a web address, JSON, a file. Meant to find too much
 * rather than too little: what it answers is compared with contacts that are known.
 */

const email = /[^\s\p{C}@<>()[\]\\,;:"]+@[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)+/gu;
/** may stand in an address, and may as well be what separates it from the text before */
const separators = /['=&?/|%*{}!#$`~^]/g;
/** not a part of an id, a date or a longer number */
const phone = /(?<![\p{L}\p{N}_.-])\+?\(?\d[\d\s()./\u00a0\u2010-\u2015-]{4,30}\d(?![\p{L}\p{N}_-])/gu;
const mostDigits = 15;

/** ISO 3166-1 alpha-2; null: only phones with their country's prefix are known as such */
export type Countries = readonly (string | null)[];

export type FindContacts = (text: string) => Set<string>;

const remembered = 50_000;

/** Answers a function that finds the identities in a text (storefront 3), by contact key. */
export function contactFinder(countries: Countries): FindContacts {
  const known = new Map<string, string[]>();
  const phonesOf = (run: string): string[] => {
    const before = known.get(run);
    if (before) return before;
    const values = phonesIn(run, countries);
    if (known.size < remembered) known.set(run, values);
    return values;
  };
  return (text) => {
    const found = new Set<string>();
    if (text.includes("@") || text.includes("%40")) {
      for (const value of emailsIn(text)) found.add(contactKey({ kind: "email", value }));
    }
    for (const [run] of text.matchAll(phone)) {
      for (const value of phonesOf(run)) found.add(contactKey({ kind: "phone", value }));
    }
    return found;
  };
}

export const contactsIn = (text: string, country: string | null): Set<string> =>
  contactFinder(country === null ? [null] : [null, country])(text);

function emailsIn(text: string): string[] {
  const readable = text.normalize("NFC").replaceAll(/%40/g, "@").replaceAll(/%2B/gi, "+");
  return [...readable.matchAll(email)].flatMap(([match]) => {
    const at = match.indexOf("@");
    const starts = [0, ...[...match.slice(0, at).matchAll(separators)].map(({ index }) => index + 1)];
    return starts.flatMap((start) => contactIdentity("email", match.slice(start), null) ?? []);
  });
}

/** A run may hold several phones with blanks between, so its pieces are tried too. */
function phonesIn(run: string, countries: Countries): string[] {
  const tried = [run, ...run.split(/\s+/)].filter((text) => {
    const digits = text.replaceAll(/\D/g, "").length;
    return digits >= 6 && digits <= mostDigits;
  });
  return [...new Set(tried)].flatMap((text) =>
    countries.flatMap((country) => contactIdentity("phone", text, country) ?? []),
  );
}

/** Patterns for LIKE that pass every text in which `contactsIn` finds one of these emails; the text in lower case. */
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

/** A LIKE pattern for texts that contain this one. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

const isAscii = (text: string): boolean => /^\p{ASCII}*$/u.test(text);
