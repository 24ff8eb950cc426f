import type { Money } from "../../contract/common.ts";

/**
 * Exact money (A6). Amounts are decimal strings in the database and in answers, and integers of minor units in
 * between; no float touches them.
 */

const digitsByCurrency = new Map<string, number>();

/** Digits after the point of a currency (ISO 4217, as the runtime's locale data has them); 2 when it is unknown. */
export function currencyDigits(currency: string): number {
  let digits = digitsByCurrency.get(currency);
  if (digits === undefined) {
    const format = new Intl.NumberFormat("en", { style: "currency", currency });
    digits = format.resolvedOptions().maximumFractionDigits ?? 2;
    digitsByCurrency.set(currency, digits);
  }
  return digits;
}

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

export const isCurrency = (text: string): boolean => Intl.supportedValuesOf("currency").includes(text);
