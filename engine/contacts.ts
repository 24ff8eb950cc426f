/**
 * Decides what is a contact [people.contacts]: the same function in a shopper's browser, for events, imports and
 * orders, so that what the browser takes is a contact on the server too.
 */

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
/** The longest address that mail can be sent to (RFC 5321, 4.5.3.1.3, without the brackets). */
const maxEmailLength = 254;
const maxLocalLength = 64;
/**
 * Longer texts are not parsed as a phone, once they are clean: 15 digits with every separator, a country's prefix and
 * an extension are shorter, and the parser's time grows with the square of a text's length.
 */
const maxPhoneLength = 40;

/**
 * One `@`; before it no blanks, control characters or address-list punctuation, and after it a domain of at least two
 * labels. Letters of any script are allowed on both sides; whether the mailbox exists is not checked.
 */
const localPart = /^[^\s\p{C}@<>()[\]\\,;:"]+$/u;
const domainLabel = /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}(?<!-)$/u;

/** Joiners, directions, soft hyphens, byte order marks, variation selectors. */
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** What people and programs put around a contact: signs, or a link's scheme. */
const emailWrapping =
  /^(?:[\s,;<>"“”„«»‹›‘’「」()[\]]+|(?:mailto|e-?mail) ?:)|[\s.,;:!?<>"“”„«»‹›‘’「」()[\]。、]+$/giu;
const phoneWrapping =
  /^(?:[\s,;<>"“”„«»‹›‘’「」'`]+|(?:tel|phone|sms|callto|whatsapp)\.? ?:(?:\/\/)?)|[\s.,;:!?<>"“”„«»‹›‘’「」'`。、]+$/giu;
/** Signs that a contact may begin or end with: only around the whole of it are they wrapping. */
const pair = /^(?:'([^']*)'|`([^`]*)`|\{([^{}]*)\}|\(([^()]*)\)|\[([^[\]]*)\])$/;

/** Without invisible marks; full-width forms, as East Asian keyboards type them, become ASCII. */
const visible = (raw: string): string =>
  raw
    .replace(invisible, "")
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/\s+/gu, " ");

function unwrapped(text: string, wrapping: RegExp): string {
  for (let [left, before] = [text, ""]; ; ) {
    if (left === before) return left;
    before = left;
    left = left.replace(wrapping, "").replace(pair, "$1$2$3$4$5");
  }
}

/** The address in a text, in lower case and NFC; null if there is none, or more than one. */
function emailIn(raw: string): string | null {
  const text = visible(raw);
  const bare = unwrapped(text, emailWrapping);
  const isLink = /^\W*mailto:/i.test(text);
  const email = (isLink ? addressOfLink(bare) : bare).toLowerCase().normalize("NFC");
  const at = email.indexOf("@");
  const local = email.slice(0, at);
  const labels = email.slice(at + 1).split(/[.。｡]/u);
  if (at < 1 || email.length > maxEmailLength || local.length > maxLocalLength) return null;
  const wellFormed = localPart.test(local) && labels.length >= 2 && labels.every((label) => domainLabel.test(label));
  return wellFormed ? `${local}@${labels.join(".")}` : null;
}

/** A link may go on with a subject, and its signs may be encoded (RFC 6068). */
function addressOfLink(link: string): string {
  const [address = ""] = link.split("?");
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

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
  const bare = unwrapped(asciiDigits(visible(raw)), phoneWrapping);
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
  if (kind === "email") return readEmail(raw);
  return raw.length > longestText ? { fault: "phone" } : readPhone(raw, country, plans);
}

/** The same for emails alone, which need no numbering plans. */
export function readEmail(raw: string): ContactReading {
  const value = raw.length > longestText ? null : emailIn(raw);
  return value === null ? { fault: "email" } : { value };
}
