/** Emails, apart from engine/contacts.ts since every quiz may ask for one and only some for a phone. */

/**
 * One `@`; before it at most 64 characters without blanks, control characters or address-list punctuation, and after it a
 * domain of at least two labels. Letters of any script are allowed on both sides; whether the mailbox exists is not
 * checked.
 */
const address =
  /^[^\s\p{C}@<>()[\]\\,;:"]{1,64}@(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?<!-)(?:\.(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?<!-))+$/u;
/** The longest address that mail can be sent to (RFC 5321, 4.5.3.1.3, without the brackets). */
const maxLength = 254;

/** Joiners, directions, soft hyphens, byte order marks, variation selectors. */
export const invisible = /[\p{DI}\p{Cf}]/gu;
/**
 * What people and programs put around an address: signs that no domain ends with and no usual address begins with, a
 * link's scheme, and what a link goes on with.
 */
const wrapping = /^(?:[^\p{L}\p{N}'_+-]|(?:mailto|e-?mail) ?:)+|(?:\?[^@]*|[^\p{L}\p{M}\p{N}])+$/giu;

/**
 * The address in a text, in lower case, with full-width and composed letters in their usual form; null if there is none,
 * or more than one [people.contacts].
 */
export function emailIn(raw: string): string | null {
  const text = raw.replace(invisible, "").toLowerCase().normalize("NFKC").replace(/。/g, ".").replace(/%2b/g, "+");
  // an address may begin with an apostrophe, unless it is one of two
  const email = text.replace(/^\W*'(.*)'/, "$1").replace(wrapping, "");
  return email.length <= maxLength && address.test(email) ? email : null;
}
