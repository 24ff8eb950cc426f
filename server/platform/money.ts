import type { Money } from "../../contract/common.ts";

/**
 * Exact money [api.money]. Amounts are decimal strings in the database and in answers, and integers of minor units in
 * between; no float touches them.
 */

/**
 * ISO 4217's minor units where they are not 2. Written out, since the runtime's locale data gives the digits that
 * people use (none for HUF or COP), and amounts rounded to those would no longer be what a shop charged.
 */
const minorDigits = new Map<string, number>([
  ...split("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 0),
  ...split("BHD IQD JOD KWD LYD OMR TND", 3),
  ...split("CLF UYW", 4),
]);

function split(codes: string, digits: number): [string, number][] {
  return codes.split(" ").map((code) => [code, digits]);
}

/** Digits after the point of a currency; 2 when it is unknown. */
export const currencyDigits = (currency: string): number => minorDigits.get(currency) ?? 2;

/**
 * Digits that a money field of somebody else's payload may have, before and after the point. With quantities below 2^31
 * a line then comes to less than 10^25, so that the sum of a billion lines fits the 34 digits before the point that
 * `DECIMAL(38, 4)` of the columnar copies has.
 */
export const moneyDigits = { whole: 15, fraction: 10 } as const;

const decimal = /^(-?)([0-9]+)(?:\.([0-9]+))?$/;

/** Minor units of a decimal string; digits past the currency's own are rounded half away from zero. */
export function minorUnits(amount: string, currency: string): bigint {
  const match = decimal.exec(amount);
  if (!match) throw new RangeError("a money amount is a decimal string");
  const [, sign = "", whole = "0", fraction = ""] = match;
  const digits = currencyDigits(currency);
  const kept = BigInt(whole + fraction.slice(0, digits).padEnd(digits, "0"));
  const rounded = (fraction[digits] ?? "0") >= "5" ? kept + 1n : kept;
  return sign ? -rounded : rounded;
}

export function moneyFromMinor(units: bigint, currency: string): Money {
  const digits = currencyDigits(currency);
  const sign = units < 0n ? "-" : "";
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, "0");
  const point = text.length - digits;
  return { amount: sign + text.slice(0, point) + (digits > 0 ? `.${text.slice(point)}` : ""), currency };
}

export const zeroMoney = (currency: string): Money => moneyFromMinor(0n, currency);

const currencies = new Set(Intl.supportedValuesOf("currency"));

export const isCurrency = (text: string): boolean => currencies.has(text);
