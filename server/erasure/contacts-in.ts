import { domainToASCII, domainToUnicode } from "node:url";
import { contactKey, readContactKey } from "../profiles/people.ts";
import { contactIdentity } from "../sessions/public.ts";
import { digitGroups, foldedForms } from "./folded.ts";
import { callingCodes, phoneForms } from "./phone-forms.ts";

/**
 * Finds emails and phones in any text: typed input, a URL, JSON, a file [erasure.in-texts]. It prefers finding too
 * much, since the results are compared with known contacts.
 */

/**
 * Allows twice the permitted length before the @. Without a limit, a long word would be scanned again from each of its
 * letters.
 */
const email = /[^\s\p{C}@<>()[\]\\,;:"]{1,128}@[\p{L}\p{M}\p{N}-]+(?:[.。][\p{L}\p{M}\p{N}-]+)+/gu;
/** allowed in an address, but may also separate it from the preceding text */
const separators = /['=&?/|%*{}!#$`~^]/g;
const leastDigits = 6;
const mostDigits = 18;
/** groups of digits that one number is written in; a digit at a time is as many as it has */
export const mostGroups = 18;

/** An address with its domain in letters and in the encoded form that some browsers send. */
export function sameEmails(value: string): string[] {
  const at = value.lastIndexOf("@");
  const forms = [domainToUnicode(value.slice(at + 1)), domainToASCII(value.slice(at + 1))];
  const others = forms.filter((domain) => domain !== "").map((domain) => value.slice(0, at + 1) + domain);
  return [...new Set([value, ...others])];
}

/** The keys under which a contact may be stored, its own first [erasure.notations]. */
export function sameContacts(key: string): string[] {
  const { kind, value } = readContactKey(key);
  const values = kind === "email" ? sameEmails(value) : phoneForms(value).numbers;
  return values.map((each) => contactKey({ kind, value: each }));
}

/** What identifies a contact in a text: its keys, and for a phone also its numbers as dialled at home. */
export function traitsOf(key: string): string[] {
  const { kind, value } = readContactKey(key);
  const national = kind === "email" ? [] : phoneForms(value).national.map((form) => `national:${form}`);
  return [...new Set([...sameContacts(key), ...national])];
}

/** The traits (see `traitsOf`) of everything in a text that may be a contact. */
export function traitsIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const value of emailsIn(text)) {
    for (const same of sameEmails(value)) found.add(contactKey({ kind: "email", value: same }));
  }
  for (const form of foldedForms(text)) for (const digits of numbersIn(form)) addPhoneTraits(digits, found);
  return found;
}

/** The emails in a text, normalized as in identities, from every place where one may begin. */
export function emailsIn(text: string): string[] {
  const readable = foldedForms(text).filter((form) => form.includes("@"));
  return readable.flatMap((form) => [...form.matchAll(email)].flatMap(([match]) => addressesIn(match)));
}

function addressesIn(match: string): string[] {
  const at = match.indexOf("@");
  const starts = [0, ...[...match.slice(0, at).matchAll(separators)].map(({ index }) => index + 1)];
  return starts.flatMap((start) => contactIdentity("email", match.slice(start), null) ?? []);
}

/** An id, a date or a decimal goes on where a number would end. */
const goesOn = /^[\p{L}\p{N}_]|^-[\p{L}\p{N}]/u;

/** The digits of everything that may be a number: up to 18 groups in a row, with as many digits as a number has. */
function* numbersIn(text: string): Generator<string> {
  const groups = digitGroups(text);
  for (let from = 0; from < groups.length; from++) {
    if (!groups[from]?.begins) continue;
    for (let [to, digits] = [from, ""]; to < groups.length && to < from + mostGroups; to++) {
      const group = groups[to];
      if (group === undefined || (to > from && !group.joined)) break;
      digits += group.digits;
      if (digits.length > mostDigits) break;
      if (digits.length >= leastDigits && !goesOn.test(text.slice(group.end, group.end + 2))) yield digits;
    }
  }
}

/** what is dialled for another country, in the countries of this world */
const dialledAbroad = /^(?:0{1,3}|0?011|00[1-9]{1,2}|010|001|810|119)(?=[1-9])/;

function addPhoneTraits(digits: string, found: Set<string>): void {
  const abroad = digits.replace(dialledAbroad, "");
  for (const number of new Set([digits.replace(/^0+/, ""), abroad])) {
    found.add(contactKey({ kind: "phone", value: `+${number}` }));
    found.add(`national:${number}`);
    const code = [1, 2, 3].map((length) => number.slice(0, length)).find((start) => callingCodes.has(start));
    const rest = code === undefined ? "" : number.slice(code.length).replace(/^0+/, "");
    if (rest !== "") found.add(contactKey({ kind: "phone", value: `+${code}${rest}` }));
  }
}
