import type { Money } from "../../contract/common.ts";

/**
 * Exact money [api.money]. Amounts are decimal strings in the database and in answers, and integers of minor units in
 * between; they never become floats.
 */

/**
 * ISO 4217 minor units that differ from 2. They are listed here because the runtime's locale data gives customary
 * digits (none for HUF or COP), and amounts rounded to those would differ from what the shop charged.
 */
const minorDigits = new Map<string, number>([
  ...split("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF", 0),
  ...split("BHD IQD JOD KWD LYD OMR TND", 3),
  ...split("CLF UYW", 4),
]);

function split(codes: string, digits: number): [string, number][] {
  return codes.split(" ").map((code) => [code, digits]);
}

/** A currency's decimal places; 2 if it is unknown. */
export const currencyDigits = (currency: string): number => minorDigits.get(currency) ?? 2;

/**
 * Digits allowed in money fields of external payloads, before and after the point. With quantities below 2^31 a line is
 * below 10^25, so that the sum of a billion lines fits the 34 digits before the point of the columnar copies'
 * `DECIMAL(38, 4)`.
 */
export const moneyDigits = { whole: 15, fraction: 10 } as const;

const decimal = /^(-?)([0-9]+)(?:\.([0-9]+))?$/;

/** Converts a decimal string to minor units; extra digits are rounded half away from zero. */
export function minorUnits(amount: string, currency: string): bigint {
  const match = decimal.exec(amount);
  if (!match) throw new RangeError("a money amount is a decimal string");
  const [, sign = "", whole = "0", fraction = ""] = match;
  const digits = currencyDigits(currency);
  const truncated = BigInt(whole + fraction.slice(0, digits).padEnd(digits, "0"));
  const rounded = (fraction[digits] ?? "0") >= "5" ? truncated + 1n : truncated;
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

/** Currencies of the commerce platform that the runtime's list lacks: of places without a code of ISO 4217, and former ones. */
const ofThePlatform = "BYR JEP KID LTL LVL STD VED VEF".split(" ");

const currencies = new Set([...Intl.supportedValuesOf("currency"), ...ofThePlatform]);

/** Whether a store can have it [api.currencies]: the one list for commands, messages and screens. */
export const isCurrency = (text: string): boolean => currencies.has(text);
