/** The exact sum of decimal amounts of one currency; null without an amount, or for several currencies. */
export function sumOf(prices: readonly ({ amount: string; currency: string } | null)[]) {
  const [first] = prices;
  const digits = Math.max(...prices.map((price) => price?.amount.split(".")[1]?.length ?? 0));
  let sum = 0n;
  for (const price of prices) {
    if (!first || price?.currency !== first.currency) return null;
    const [whole = "", fraction = ""] = price.amount.split(".");
    sum += BigInt(whole + fraction.padEnd(digits, "0"));
  }
  const text = String(sum).padStart(digits + 1, "0");
  const amount = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return first ? { amount, currency: first.currency } : null;
}

/**
 * Formats an amount in its currency as what is charged [player.prices]: with all digits of the text, which a float may
 * not hold; those behind the point only if one is not 0 or the currency customarily has them, since browsers know of none
 * in Colombia or Hungary. Shows amount and code side by side if the browser does not know the currency.
 */
export function writePrice(amount: string, currency: string, locale: string): string {
  const [, fraction = ""] = /^-?\d+\.(\d+)$/.exec(amount) ?? [];
  try {
    const customary = new Intl.NumberFormat(locale, { style: "currency", currency });
    const few = Math.min(customary.resolvedOptions().maximumFractionDigits ?? 0, fraction.length);
    const digits = /[1-9]/.test(fraction) ? fraction.length : few;
    const written = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    // Intl formats a decimal text without loss, which its type does not declare yet
    const exact = amount as Intl.StringNumericLiteral;
    return new Intl.NumberFormat(locale, { style: "currency", currency, ...written }).format(exact);
  } catch {
    return `${amount} ${currency}`;
  }
}
