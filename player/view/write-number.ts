/** Formats a number in the locale, for reading. */
export const writeNumber = (value: number, locale: string, useGrouping = true): string =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 9, useGrouping }).format(value);
