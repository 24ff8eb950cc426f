/** Exact arithmetic of decimal strings: integers in units of 10^-10, without floating point. */
const digits = 10;

/** Takes plain digits with at most 10 after the point. */
export function unitsOf(decimal: string): bigint {
  const negative = decimal.startsWith("-");
  const [whole = "0", fraction = ""] = (negative ? decimal.slice(1) : decimal).split(".");
  const units = BigInt(whole + fraction.padEnd(digits, "0"));
  return negative ? -units : units;
}

/** With at least two decimals. */
export function decimalOfUnits(units: bigint): string {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, "0");
  const fraction = text.slice(-digits).replace(/0{1,8}$/, "");
  return `${units < 0n ? "-" : ""}${text.slice(0, -digits)}.${fraction}`;
}

/** units x part / of, rounded half up; takes no negative parts. */
export const shareOf = (units: bigint, part: bigint, of: bigint): bigint => (2n * units * part + of) / (2n * of);

export const sumOf = (amounts: readonly string[]): bigint => amounts.reduce((sum, each) => sum + unitsOf(each), 0n);
