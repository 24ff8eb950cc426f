import { contactKey, readContactKey } from "../profiles/people.ts";
import { contactIdentity } from "../sessions/public.ts";
import { emailsIn, mostGroups, sameContacts, sameEmails } from "./contacts-in.ts";
import { type DigitGroup, digitGroups, foldedForms } from "./folded.ts";
import { phoneForms } from "./phone-forms.ts";

/**
 * Finds known contacts in texts, in every notation that the intake would take for them, with or without the session's
 * country [erasure.notations]. Pure. A verification does not use it: it looks another way (`digit-tails.ts`).
 */
export interface ContactSearch {
  /** @param country of the session in which the text was typed, ISO 3166-1 alpha-2 */
  holds(text: string, country?: string | null): boolean;
  /** the last digits that each phone has in all of its notations */
  phoneEnds: readonly string[];
  /** in lower case; null: look at every text with an address, since one of them is not plain */
  emails: readonly string[] | null;
}

/** digits by which a text is looked at more closely */
const endLength = 6;
/** A home number of fewer digits counts only if it is all that a text says. */
const leastInText = 6;
const mostDigits = 22;
/** A text that repeats a phone's last digits more often than this holds it, without being read any further. */
const mostReadings = 60;
/** a longer text is not read as a whole */
const longestPhone = 200;

interface KnownPhone {
  end: string;
  /** numbers in E.164 */
  numbers: ReadonlySet<string>;
  /** all digits of a notation */
  written: RegExp;
  /** the same, for numbers too short to be told from other numbers in a text */
  shortWritten: RegExp;
  country: string | null;
}

/** @param keys of contacts */
export function searchOfContacts(keys: readonly string[]): ContactSearch {
  const contacts = keys.map(readContactKey);
  const emails = new Set(contacts.flatMap(({ kind, value }) => (kind === "email" ? sameEmails(value) : [])));
  const known = new Set(keys.flatMap(sameContacts));
  const phones = contacts.flatMap(({ kind, value }) => (kind === "phone" ? knownPhone(value) : []));
  const isPlain = [...emails].every((value) => /^\p{ASCII}*$/u.test(value));
  return {
    holds: (text, country = null) =>
      (emails.size > 0 && holdsEmail(text, known)) || (phones.length > 0 && holdsPhone(text, phones, country)),
    phoneEnds: [...new Set(phones.map(({ end }) => end))],
    emails: isPlain ? [...emails] : null,
  };
}

function holdsEmail(text: string, known: ReadonlySet<string>): boolean {
  const found = emailsIn(text).flatMap(sameEmails);
  const whole = /[@＠﹫]/.test(text) ? contactIdentity("email", text, null) : null;
  return [...found, ...(whole === null ? [] : sameEmails(whole))].some((value) =>
    known.has(contactKey({ kind: "email", value })),
  );
}

function knownPhone(value: string): KnownPhone {
  const { callingCode, numbers, national, country } = phoneForms(value);
  const shortest = Math.min(...national.map(({ length }) => length));
  const long = national.filter(({ length }) => length >= leastInText);
  // dialled from another country, whatever is dialled for that there
  const abroad = `(?:[018]\\d{0,4})?${callingCode}0*(?:${national.join("|")})`;
  return {
    end: value.slice(-Math.min(endLength, shortest)),
    numbers: new Set(numbers),
    written: new RegExp(`^(?:${[abroad, ...(long.length > 0 ? [`0*(?:${long.join("|")})`] : [])].join("|")})$`),
    shortWritten: new RegExp(`^0*(?:${national.join("|")})$`),
    country,
  };
}

function holdsPhone(text: string, phones: readonly KnownPhone[], country: string | null): boolean {
  for (const form of foldedForms(text)) {
    const stream = form.replaceAll(/[^0-9]+/g, "");
    const near = phones.filter(({ end }) => stream.includes(end));
    if (near.length === 0) continue;
    const groups = digitGroups(form);
    if (near.some((phone) => isAllOf(form, stream, phone, country) || isIn(form, groups, phone, country))) return true;
  }
  return false;
}

function isAllOf(text: string, digits: string, phone: KnownPhone, country: string | null): boolean {
  if (text.length > longestPhone) return false;
  const isBare = /^[\s\p{P}\p{S}0-9]*$/u.test(text);
  return (isBare && phone.shortWritten.test(digits)) || reads(text, phone, country);
}

/** Whether the intake takes a text for the phone. */
const reads = (text: string, { numbers, country: home }: KnownPhone, country: string | null): boolean =>
  [...new Set([null, home, country])].some((from) => {
    const number = contactIdentity("phone", text, from);
    return number !== null && numbers.has(number);
  });

/** From each group that ends like the phone, looks back for where the number begins. */
function isIn(text: string, groups: readonly DigitGroup[], phone: KnownPhone, country: string | null): boolean {
  let readings = 0;
  let tail = "";
  for (const [at, group] of groups.entries()) {
    tail = ((group.joined ? tail : "") + group.digits).slice(-endLength);
    if (!tail.endsWith(phone.end)) continue;
    for (let [from, digits] = [at, ""]; from >= 0 && from > at - mostGroups; from--) {
      const start = groups[from];
      if (start === undefined || (from < at && !groups[from + 1]?.joined)) break;
      digits = start.digits + digits;
      if (digits.length > mostDigits) break;
      if (!start.begins) continue;
      if (phone.written.test(digits)) return true;
      if (digits.length < leastInText) continue;
      readings += 1;
      if (readings > mostReadings || reads(text.slice(start.start, group.end), phone, country)) return true;
    }
  }
  return false;
}
