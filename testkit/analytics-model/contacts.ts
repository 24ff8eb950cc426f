import { type CountryCode, parsePhoneNumberFromString } from "libphonenumber-js/min";

/** The identity of a typed contact; null: none [people.typed-contact]. Histories only contain simple addresses. */
export function contactOf(kind: "email" | "phone", typed: unknown, country: string | null): string | null {
  if (typeof typed !== "string") return null;
  if (kind === "email") {
    const email = typed.trim().toLowerCase();
    return /^[^\s@]+@[^\s@]+\.[a-z]+$/.test(email) ? email : null;
  }
  const phone = parsePhoneNumberFromString(typed, {
    ...(country === null ? {} : { defaultCountry: country as CountryCode }),
    extract: false,
  });
  return phone?.isPossible() ? phone.number : null;
}
