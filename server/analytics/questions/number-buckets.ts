import { raw, type Statement } from "../../platform/database/sql.ts";
/**
 * Buckets of numbers [answers.number-buckets, answers.bucket-width]: at most ten, all of the width 1, 2 or 5 x 10^k and
 * aligned to it, `[low, high)`; the finest such width, but for whole numbers none below 1, and none so fine that
 * doubles of that size could not tell its ends apart. A number is compared in units of 10^k, and taken for the whole
 * multiple that it misses by no more than binary fractions miss: 0.3 belongs to the bucket that begins at 0.3. Holds
 * for every double, since numbers that were stored before they had bounds are asked about too.
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

/** Ends of buckets have so many digits at most: doubles keep 15, and what is reckoned with them still has some to round by. */
const digitsAtMost = 13;
/** The least k, and the greatest: 10^k and 10^-k are doubles of full precision. */
const [leastExponent, greatestExponent] = [-300, 308];

const exponentOf = (number: number): number => (number > 0 ? Math.floor(Math.log10(number)) : leastExponent);

export function widthFor({ min, max, whole }: Spread): Width {
  // taken apart before the difference, which may be larger than any double
  const tenth = max / bucketsAtMost - min / bucketsAtMost;
  const least = Math.max(
    // finer than a tenth of the span is too fine, whatever the alignment
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
  throw new RangeError("numbers that are none have no buckets");
}

const tolerance = 1e-9;
/** what two roundings of a double come to, the number's own and that of its units, and as much again for 10^k */
const relativeTolerance = 2 ** -51;

/** Place of the number's bucket: 0 begins at 0. */
export function bucketOf(number: number, { mantissa, exponent }: Width): number {
  const units = exponent < 0 ? number * Number(`1e${-exponent}`) : number / Number(`1e${exponent}`);
  const nearest = Math.round(units);
  const close = Math.abs(units - nearest) <= Math.max(tolerance, Math.abs(units) * relativeTolerance);
  return Math.floor((close ? nearest : units) / mantissa);
}

/** The same of a column. */
export function bucketSql(column: string, { mantissa, exponent }: Width): Statement {
  const units = exponent < 0 ? `(${column} * 1e${-exponent})` : `(${column} / 1e${exponent})`;
  const close = `abs(${units} - round(${units})) <= greatest(${tolerance}, abs(${units}) * ${relativeTolerance})`;
  return raw(`floor(CASE WHEN ${close} THEN round(${units}) ELSE ${units} END / ${mantissa})`);
}

/** Written as a decimal: 3 x 10^-1 is 0.3, and not what 3 x 0.1 comes to. No end lies beyond the doubles. */
export function endOf(bucket: number, { mantissa, exponent }: Width): number {
  const end = Number(`${bucket * mantissa}e${exponent}`);
  return Math.min(Math.max(end, -Number.MAX_VALUE), Number.MAX_VALUE);
}
