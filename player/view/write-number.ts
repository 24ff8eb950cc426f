/** As the locale writes it, for reading. */
export const writeNumber = (value: number, locale: string): string =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 9 }).format(value);
