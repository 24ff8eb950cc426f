import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from "libphonenumber-js/min";

/** Decides whether a typed contact is an identity. */

export type ContactKind = "email" | "phone";

/** The longest address that mail can be sent to (RFC 5321, 4.5.3.1.3, without the brackets). */
const maxEmailLength = 254;
/**
 * Longer texts are not parsed as a phone, with blanks collapsed: 15 digits with every separator, a country's prefix and
 * an extension are shorter, and the library's time grows with the square of a text's length.
 */
const maxPhoneLength = 40;
const maxLocalLength = 64;
const maxDomainLength = 255;

/**
 * One `@`; before it no blanks, control characters or address-list punctuation, and after it a domain of at least two
 * labels. Letters of any script are allowed on both sides; whether the mailbox exists is not checked.
 */
const localPart = /^[^\s\p{C}@<>()[\]\\,;:"]+$/u;
const domainLabel = /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?<!-)$/u;

function normaliseEmail(raw: string): string | null {
  const email = raw.trim().normalize("NFC").toLowerCase();
  const at = email.indexOf("@");
  const local = email.slice(0, at);
  const domain = email.slice(at + 1);
  if (at < 1 || email.length > maxEmailLength || local.length > maxLocalLength || domain.length > maxDomainLength)
    return null;
  const labels = domain.split(".");
  const wellFormed = localPart.test(local) && labels.length >= 2 && labels.every((label) => domainLabel.test(label));
  return wellFormed ? email : null;
}

function normalisePhone(raw: string, country: string | null): string | null {
  const typed = raw.trim().replace(/\s+/gu, " ");
  if (typed.length > maxPhoneLength) return null;
  const code = country?.toUpperCase();
  const defaultCountry: CountryCode | undefined = code !== undefined && isSupportedCountry(code) ? code : undefined;
  // `extract: false`: a sentence with a number in it is an answer, not somebody's phone.
  const phone = parsePhoneNumberFromString(typed, { ...(defaultCountry && { defaultCountry }), extract: false });
  // Possible, not valid: number ranges open every month, and a stale table must not lose a real customer. For the
  // same reason the small metadata is enough.
  return phone?.isPossible() ? phone.number : null;
}

/**
 * The identity of a typed contact: an email trimmed and lowercased, a phone in E.164; null if it cannot be normalised,
 * and then it is only an answer [people.contacts].
 *
 * @param country ISO 3166-1 alpha-2 country of the session, for phones typed without `+`; null: unknown
 */
export function contactIdentity(kind: ContactKind, raw: string, country: string | null): string | null {
  return kind === "email" ? normaliseEmail(raw) : normalisePhone(raw, country);
}
