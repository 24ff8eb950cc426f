import { type CountryCode, type MetadataJson, parsePhoneNumberFromString } from "libphonenumber-js/core";
import type { PhonePlans } from "./contacts.ts";

/** Phone numbers by the numbering plans of libphonenumber, whose metadata the caller has. */

/**
 * Notations that a plan no longer has and that messengers and old address books still write, as E.164 would have them.
 * They are read only where the plan itself cannot [people.contacts].
 */
const outdated: readonly (readonly [notation: RegExp, number: string])[] = [
  // Mexico until 2019: 1 before mobiles from abroad, 01, 044 and 045 at home
  [/^\+52(?:1|01|04[45]1?)(\d{10})$/, "+52$1"],
  // Benin until 2024: all of its eight digits got 01
  [/^\+229(\d{8})$/, "+22901$1"],
];

const isCountry = (code: string | null, { countries }: MetadataJson): code is CountryCode =>
  code !== null && Object.hasOwn(countries, code);

export const phonePlans = (metadata: MetadataJson): PhonePlans => ({
  countries: Object.keys(metadata.countries),
  numberOf(text, country) {
    const home = isCountry(country, metadata) ? { defaultCountry: country } : {};
    // `extract: false`: a sentence with a number in it is an answer, not somebody's phone
    const phone = parsePhoneNumberFromString(text, { ...home, extract: false }, metadata);
    // possible, not valid: number ranges open every month, and a stale table must not lose a real customer
    if (phone === undefined || phone.isPossible()) return phone?.number ?? null;
    const [notation, number] = outdated.find(([form]) => form.test(phone.number)) ?? [];
    return notation === undefined || number === undefined ? null : phone.number.replace(notation, number);
  },
});

/** Whether a country's plan assigns this number, in E.164; with the smallest metadata some are assigned that are not. */
export function isAssigned(number: string, metadata: MetadataJson): boolean {
  const phone = parsePhoneNumberFromString(number, { extract: false }, metadata);
  return phone?.number === number && phone.isValid();
}
