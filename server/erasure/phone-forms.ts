import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from "libphonenumber-js/min";
import { contactIdentity } from "../sessions/public.ts";

/** All ways to write one phone number [erasure.notations], as digits. Pure. */

export interface PhoneForms {
  /** without `+` */
  callingCode: string;
  /** in E.164: the number itself first, and the other numbers that reach the same subscriber */
  numbers: string[];
  /** as dialled at home, without zeros in front; with the country's other prefixes, areas and infixes */
  national: string[];
  /** ISO 3166-1 alpha-2 of the country, as far as it is known */
  country: string | null;
}

export const callingCodes: ReadonlySet<string> = new Set(
  getCountries().map((country) => String(getCountryCallingCode(country))),
);

/**
 * National numbers that reach the same subscriber: countries that had mobile prefixes, or lengthened their numbers,
 * still see both in what people type.
 */
const otherNationals: Readonly<Record<string, (national: string) => readonly string[]>> = {
  // mobiles have a 9 in front when called from abroad
  "54": (national) =>
    /^9\d{10}$/.test(national) ? [national.slice(1)] : /^\d{10}$/.test(national) ? [`9${national}`] : [],
  // mobiles had a 1 in front when called from abroad, and these prefixes at home
  "52": (national) =>
    /^1?\d{10}$/.test(national) ? ["", "1", "44", "45"].map((old) => old + national.slice(-10)) : [],
  // mobiles became longer by a 9 behind the area
  "55": (national) => [
    ...(/^\d\d9[6-9]\d{7}$/.test(national) ? [national.slice(0, 2) + national.slice(3)] : []),
    ...(/^\d\d[6-9]\d{7}$/.test(national) ? [`${national.slice(0, 2)}9${national.slice(2)}`] : []),
  ],
};

const digitsOf = (text: string): string => text.replaceAll(/\D/g, "");
const withoutZeros = (digits: string): string => digits.replace(/^0+/, "");

/** @param number in E.164 */
export function phoneForms(number: string): PhoneForms {
  const phone = parsePhoneNumberFromString(number);
  if (phone === undefined) {
    return { callingCode: "", numbers: [number], national: [digitsOf(number)], country: null };
  }
  const { countryCallingCode: callingCode, nationalNumber, country = null } = phone;
  const others = otherNationals[callingCode]?.(nationalNumber) ?? [];
  const same = [...new Set([nationalNumber, ...others])];
  const numbers = [...new Set([nationalNumber, withoutZeros(nationalNumber), ...others])].map(
    (national) => `+${callingCode}${national}`,
  );
  const atHome = same.map((national) =>
    digitsOf(parsePhoneNumberFromString(`+${callingCode}${national}`)?.formatNational() ?? national),
  );
  const local = country === null ? [] : localForms(number, nationalNumber, country);
  const national = [...new Set([...same, ...atHome, ...local].map(withoutZeros))].filter((form) => form !== "");
  return { callingCode, numbers: [...new Set([number, ...numbers])], national, country };
}

const longestArea = 4;
const shortestLocal = 6;

/** Where all numbers begin with one area, as on many islands, people leave it out. */
function localForms(number: string, nationalNumber: string, country: string): string[] {
  const shorter = Array.from({ length: longestArea }, (_, index) => nationalNumber.slice(index + 1));
  return shorter.filter((form) => form.length >= shortestLocal && contactIdentity("phone", form, country) === number);
}
