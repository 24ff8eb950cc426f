import { domainToASCII, domainToUnicode } from "node:url";
import maxMetadata from "libphonenumber-js/max/metadata";
import minMetadata from "libphonenumber-js/min/metadata";
import { type ContactKind, readContact } from "../../engine/contacts.ts";
import { canonicalNumber, notationsOf } from "../../engine/one-number.ts";
import { isAssigned, phonePlans } from "../../engine/phone-numbers.ts";

/** Contacts by the tables of this program: engine/contacts.ts decides what is one. */

// browsers have the small metadata, and both take the same numbers by it
const plans = phonePlans(minMetadata);
const isNumber = (number: string): boolean => isAssigned(number, maxMetadata);

export interface ContactIdentity {
  /** the canonical form, by which contacts are compared and found */
  value: string;
  /** an email with its domain in letters, a phone in E.164 as its notation has it; mostly the same */
  shown: string;
}

/**
 * The identity of a typed contact; null if it cannot be normalised, and then it is only an answer [people.contacts].
 *
 * @param country ISO 3166-1 alpha-2 country of the session, for phones typed without `+`; null: unknown
 */
export function readIdentity(kind: ContactKind, raw: string, country: string | null): ContactIdentity | null {
  const reading = readContact(kind, raw, { country, plans });
  if ("fault" in reading) return null;
  const shown = kind === "email" ? inLetters(reading.value) : reading.value;
  return { shown, value: canonicalContact(kind, shown) };
}

/** The canonical form of a typed contact, or null: see `readIdentity`. */
export const contactIdentity = (kind: ContactKind, raw: string, country: string | null): string | null =>
  readIdentity(kind, raw, country)?.value ?? null;

/**
 * The canonical form of a contact as it was stored or shown: notations of one phone number, and both spellings of a
 * domain, have the same [people.one-number, people.email-domains].
 */
export const canonicalContact = (kind: ContactKind, contact: string): string =>
  kind === "email" ? inLetters(contact) : canonicalNumber(contact, isNumber);

/**
 * A contact as it is stored.
 *
 * @param identity as `readIdentity` shows it, perhaps in an earlier release
 */
export function storedContact(kind: ContactKind, identity: string): { value: string; shown: string | null } {
  const { value, shown } = readIdentity(kind, identity, null) ?? { value: identity, shown: identity };
  return { value, shown: shown === value ? null : shown };
}

/** All forms in which a contact may have been stored or shown, the canonical one first. */
export const contactForms = (kind: ContactKind, canonical: string): string[] =>
  kind === "phone" ? notationsOf(canonical, isNumber) : [...new Set([canonical, withDomain(canonical, domainToASCII)])];

/**
 * What to look for in stored contacts, which are in lower case and NFC, for somebody who searches for this text: the
 * text, with domains in letters, and if it is a whole contact every form of that [people.part-of-contact].
 */
export function searchedForms(text: string): string[] {
  const part = text
    .normalize("NFC")
    .toLowerCase()
    .replace(/xn--[a-z0-9-]+/g, (label) => domainToUnicode(label) || label);
  const kind = text.includes("@") ? "email" : "phone";
  const whole = contactIdentity(kind, text, null);
  return [...new Set([part, ...(whole === null ? [] : contactForms(kind, whole))])];
}

/** Some browsers send a domain in its ASCII form, with `xn--`, where others send its letters. */
const inLetters = (email: string): string => withDomain(email, domainToUnicode);

/** The email as it is if its domain has only one spelling, or is not one that a browser would look up. */
function withDomain(email: string, spell: (domain: string) => string): string {
  const at = email.lastIndexOf("@");
  const given = email.slice(at + 1);
  const domain = /xn--|\P{ASCII}/u.test(given) ? spell(given) : given;
  return domain === "" ? email : email.slice(0, at + 1) + domain;
}
