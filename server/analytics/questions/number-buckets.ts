import { raw, type Statement } from "../../platform/database/sql.ts";
/**
 * Buckets of numbers [answers.number-buckets, answers.bucket-width]: at most ten intervals `[low, high)`, all of the
 * width 1, 2 or 5 x 10^k and aligned to it. The finest such width is chosen, but for integers none below 1, and none so
 * fine that doubles of that size could not tell its bounds apart. Numbers are compared in units of 10^k. One that
 * misses a whole multiple only by the error of binary fractions counts as that multiple: 0.3 belongs to the bucket that
 * begins at 0.3. This works for every double, since numbers stored before there were limits occur too.
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
  /** whether all numbers are integers */
  whole: boolean;
}

/**
 * Bounds of buckets have at most this many digits: doubles hold 15, which leaves some for rounding after a calculation.
 */
const digitsAtMost = 13;
/** The smallest and greatest k for which 10^k and 10^-k are doubles of full precision. */
const [leastExponent, greatestExponent] = [-300, 308];

const exponentOf = (number: number): number => (number > 0 ? Math.floor(Math.log10(number)) : leastExponent);

export function widthFor({ min, max, whole }: Spread): Width {
  // divided before subtracting, since the difference may exceed the largest double
  const tenth = max / bucketsAtMost - min / bucketsAtMost;
  const least = Math.max(
    // a width below a tenth of the span is too fine, whatever the alignment
    min === max ? 0 : exponentOf(tenth),
    whole ? 0 : leastExponent,
    exponentOf(Math.max(Math.abs(min), Math.abs(max))) - digitsAtMost + 1,
    leastExponent,
  );
  for (let exponent = least; exponent <= greatestExponent; exponent++) {
    for (const mantissa of [1, 2, 5]) {
      const width = { mantissa, exponent };
      if (bucketOf(max, width) - bucketOf(min, width) < bucketsAtMost) return width;
    }
  }
  throw new RangeError("no bucket width fits these numbers");
}

const tolerance = 1e-9;
/** twice the error of two roundings of a double (the number and its units), to allow for 10^k */
const relativeTolerance = 2 ** -51;

/** The index of the number's bucket; bucket 0 begins at 0. */
export function bucketOf(number: number, { mantissa, exponent }: Width): number {
  const units = exponent < 0 ? number * Number(`1e${-exponent}`) : number / Number(`1e${exponent}`);
  const nearest = Math.round(units);
  const close = Math.abs(units - nearest) <= Math.max(tolerance, Math.abs(units) * relativeTolerance);
  return Math.floor((close ? nearest : units) / mantissa);
}

/** The same as SQL over a column. */
export function bucketSql(column: string, { mantissa, exponent }: Width): Statement {
  const units = exponent < 0 ? `(${column} * 1e${-exponent})` : `(${column} / 1e${exponent})`;
  const close = `abs(${units} - round(${units})) <= greatest(${tolerance}, abs(${units}) * ${relativeTolerance})`;
  return raw(`floor(CASE WHEN ${close} THEN round(${units}) ELSE ${units} END / ${mantissa})`);
}

/** Parsed from a decimal: 3 x 10^-1 is 0.3, unlike 3 x 0.1. Clamped to the range of doubles. */
export function endOf(bucket: number, { mantissa, exponent }: Width): number {
  const end = Number(`${bucket * mantissa}e${exponent}`);
  return Math.min(Math.max(end, -Number.MAX_VALUE), Number.MAX_VALUE);
}
