/**
 * Buckets of numbers (D14): at most ten, all of the width 1, 2 or 5 x 10^k and aligned to it, `[low, high)`; the finest such
 * width, but for whole numbers none below 1. A number is compared in units of 10^k, and taken for the whole multiple that it
 * misses by no more than binary fractions miss: 0.3 belongs to the bucket that begins at 0.3.
 */
export interface Width {
  /** 1, 2 or 5 */
  mantissa: number;
  /** k */
  exponent: number;
}

export const bucketsAtMost = 10;

export interface Spread {
  min: number;
  max: number;
  /** whether all numbers are */
  whole: boolean;
}

export function widthFor({ min, max, whole }: Spread): Width {
  const span = max - min;
  // finer than a tenth of the span is too fine, whatever the alignment
  const least = span > 0 ? Math.floor(Math.log10(span / bucketsAtMost)) : 0;
  for (let exponent = whole ? Math.max(0, least) : least; ; exponent++) {
    for (const mantissa of [1, 2, 5]) {
      const width = { mantissa, exponent };
      if (bucketOf(max, width) - bucketOf(min, width) < bucketsAtMost) return width;
    }
  }
}

const tolerance = 1e-9;

/** Place of the number's bucket: 0 begins at 0. */
export function bucketOf(number: number, { mantissa, exponent }: Width): number {
  const units = exponent < 0 ? number * 10 ** -exponent : number / 10 ** exponent;
  const nearest = Math.round(units);
  const close = Math.abs(units - nearest) <= tolerance * Math.max(1, Math.abs(units));
  return Math.floor((close ? nearest : units) / mantissa);
}

/** The same of a column. */
export function bucketSql(column: string, { mantissa, exponent }: Width): string {
  const units = exponent < 0 ? `(${column} * 1e${-exponent})` : `(${column} / 1e${exponent})`;
  const close = `abs(${units} - round(${units})) <= ${tolerance} * greatest(1, abs(${units}))`;
  return `floor(CASE WHEN ${close} THEN round(${units}) ELSE ${units} END / ${mantissa})`;
}

/** Written as a decimal: 3 x 10^-1 is 0.3, and not what 3 x 0.1 comes to. */
export const lowEnd = (bucket: number, { mantissa, exponent }: Width): number =>
  Number(`${bucket * mantissa}e${exponent}`);
