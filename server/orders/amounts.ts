/** Exact sums of decimal strings, which no float touches. */

const digits = 10;

/** In units of 10^-10; the text is plain digits with at most 10 after the point. */
function unitsOf(decimal: string): bigint {
  const negative = decimal.startsWith("-");
  const [whole = "0", fraction = ""] = (negative ? decimal.slice(1) : decimal).split(".");
  const units = BigInt(whole + fraction.padEnd(digits, "0"));
  return negative ? -units : units;
}

function decimalOfUnits(units: bigint): string {
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, "0");
  const fraction = text.slice(-digits).replace(/0{1,8}$/, "");
  return `${units < 0n ? "-" : ""}${text.slice(0, -digits)}.${fraction}`;
}

/** What a line came to: price x quantity - discounts [orders.line-amount]; two decimals at least. */
export function lineAmount(price: string, quantity: number, discounts: readonly string[]): string {
  const off = discounts.reduce((sum, discount) => sum + unitsOf(discount), 0n);
  return decimalOfUnits(unitsOf(price) * BigInt(quantity) - off);
}
