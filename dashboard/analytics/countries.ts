import { browserLocale } from "../ui/use-format.ts";

/** The browser's names for countries, in its language. */
const names = new Intl.DisplayNames(browserLocale(), { type: "region", fallback: "code" });

export const countryName = (code: string): string => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code);

/** Of a code such as US-CA: the browser has names for countries only. */
export function regionName(code: string): string {
  const [country = "", region] = code.split("-");
  return region === undefined ? code : `${countryName(country)}, ${region}`;
}
