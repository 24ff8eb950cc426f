/** Formats an amount in its currency; shows amount and code side by side if the browser does not know the currency. */
export function writePrice(amount: string, currency: string, locale: string): string {
  try {
    return new Intl.NumberFormat(locale, { style: "currency", currency }).format(Number(amount));
  } catch {
    return `${amount} ${currency}`;
  }
}
