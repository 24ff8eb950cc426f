/** The model's sums, means and money: amounts are exact, in units of 10^-10. */

const places = 10;

export type Exact = bigint;

export function exact(decimal: string): Exact {
  const negative = decimal.startsWith("-");
  const [whole = "0", fraction = ""] = decimal.replace("-", "").split(".");
  const units = BigInt(whole + fraction.padEnd(places, "0"));
  return negative ? -units : units;
}

export const total = (amounts: readonly Exact[]): Exact => amounts.reduce((sum, amount) => sum + amount, 0n);

const digitsOf = (currency: string): number => {
  if (["JPY", "KRW", "CLP"].includes(currency)) return 0;
  return ["KWD", "BHD", "TND"].includes(currency) ? 3 : 2;
};

/** Rounds half away from zero. */
function divided(amount: bigint, by: bigint): bigint {
  const magnitude = amount < 0n ? -amount : amount;
  const quotient = (2n * magnitude + by) / (2n * by);
  return amount < 0n ? -quotient : quotient;
}

export interface Money {
  amount: string;
  currency: string;
}

/** `amount / count`, with the currency's number of digits. */
export function money(amount: Exact, currency: string, count = 1): Money {
  const digits = digitsOf(currency);
  const minor = divided(amount, 10n ** BigInt(places - digits) * BigInt(count));
  const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const fraction = digits === 0 ? "" : `.${text.slice(-digits)}`;
  return { amount: `${minor < 0n ? "-" : ""}${whole}${fraction}`, currency };
}

/** null if the denominator is zero [figures.rates] */
export const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

export const exactRatio = (part: Exact, whole: Exact): number | null =>
  whole === 0n ? null : Number(part) / Number(whole);

export const mean = (samples: readonly number[]): number | null =>
  samples.length === 0 ? null : samples.reduce((sum, sample) => sum + sample, 0) / samples.length;

/** The mean of the two middle values if their number is even [figures.averages]. */
export function median(samples: readonly number[]): number | null {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  return sorted.length === 0 ? null : mean(middle);
}

/** 100 x (current - previous) / previous, null if previous is 0 [figures.change-percent] */
export const change = (current: number, previous: number): number | null =>
  previous === 0 ? null : (100 * (current - previous)) / previous;
