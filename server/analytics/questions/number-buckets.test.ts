import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { expect, it } from "vitest";
import { bucketOf, bucketSql, bucketsAtMost, endOf, type Width, widthFor } from "./number-buckets.ts";

const spread = (...numbers: number[]) => ({
  min: Math.min(...numbers),
  max: Math.max(...numbers),
  whole: numbers.every(Number.isInteger),
});
const widthOf = (...numbers: number[]) => endOf(1, widthFor(spread(...numbers)));

it("takes the finest width of 1, 2 or 5 x 10^k that ten aligned buckets cover [answers.bucket-width]", () => {
  expect(widthOf(18, 64)).toBe(5);
  expect(widthOf(0, 100)).toBe(20);
  expect(widthOf(1, 100)).toBe(20);
  expect(widthOf(0, 99)).toBe(10);
  expect(widthOf(0, 0.9)).toBe(0.1);
  expect(widthOf(0, 1, 0.5)).toBe(0.2);
  expect(widthOf(-1_000, 1_000)).toBe(500);
});

it("splits whole numbers no finer than one by one [answers.bucket-width]", () => {
  expect(widthOf(1, 5)).toBe(1);
  expect(widthOf(7)).toBe(1);
  expect(widthOf(7.5)).toBe(1);
});

it("puts a number into the bucket that begins at it, in spite of binary fractions [answers.number-buckets]", () => {
  const tenths = { mantissa: 1, exponent: -1 };
  for (let tenth = -30; tenth <= 30; tenth++) expect(bucketOf(tenth / 10, tenths)).toBe(tenth);
  expect(bucketOf(0.1 + 0.2, tenths)).toBe(3);
  expect(endOf(3, tenths)).toBe(0.3);
});

const number = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 1_000),
  fc.double({ min: -1e12, max: 1e12, noNaN: true }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 5e-324, -5e-324, 1e-305, 1e12, 1e16, 1e16 + 2, 1e300, Number.MAX_VALUE, -Number.MAX_VALUE),
);
const numbersOf = fc.array(number, { minLength: 1, maxLength: 20 });

it("finds as fine a width as exact arithmetic over every width does, whatever the doubles [answers.bucket-width]", () => {
  const check = (numbers: number[]) => {
    const width = widthFor(spread(...numbers));
    expect([numbers, width]).toEqual([numbers, plainWidth(numbers)]);
    for (const one of numbers)
      expect([one, width, bucketOf(one, width) + 0]).toEqual([one, width, plainPlace(one, width)]);
  };
  for (const numbers of [[0, 5e-324], [1e300], [1e16], [1e16, 1e16 + 2], [-Number.MAX_VALUE, Number.MAX_VALUE]])
    check(numbers);
  fc.assert(fc.property(numbersOf, check), { numRuns: 300 });
}, 60_000);

it("gives buckets ends that differ, and holds each number between its own, whatever the doubles [answers.number-buckets, answers.bucket-width]", () => {
  fc.assert(
    fc.property(numbersOf, (numbers) => {
      const { min, max } = spread(...numbers);
      const width = widthFor(spread(...numbers));
      const first = bucketOf(min, width);
      const ends = Array.from({ length: bucketOf(max, width) - first + 2 }, (_, index) => endOf(first + index, width));
      expect(ends.length).toBeLessThanOrEqual(bucketsAtMost + 1);
      expect(ends.every(Number.isFinite)).toBe(true);
      expect(new Set(ends.map(String)).size).toBe(ends.length);
      expect(ends).toEqual(ends.toSorted((a, b) => a - b));
      for (const one of numbers) {
        const [low = Number.NaN, high = Number.NaN] = ends.slice(bucketOf(one, width) - first);
        // what misses an end by less than binary fractions do belongs to it
        const missed = Math.max((high - low) * 2e-9, Math.abs(one) * 2 ** -50);
        expect(one).toBeGreaterThanOrEqual(low - missed);
        // beyond the doubles there is no end
        if (high === Number.MAX_VALUE) expect(one).toBeLessThanOrEqual(high);
        else expect(one).toBeLessThan(high);
      }
    }),
    { numRuns: 2_000 },
  );
});

it("covers any numbers with at most ten buckets, and SQL agrees on each [answers.number-buckets]", async () => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  await fc.assert(
    fc.asyncProperty(numbersOf, async (numbers) => {
      const { min, max, whole } = spread(...numbers);
      const width = widthFor({ min, max, whole });
      expect(bucketOf(max, width) - bucketOf(min, width)).toBeLessThan(bucketsAtMost);
      const values = numbers.map((value) => `(CAST('${value}' AS DOUBLE))`).join(", ");
      const sql = `SELECT ${bucketSql("n", width).sql} AS bucket FROM (VALUES ${values}) AS v (n)`;
      const found = (await connection.runAndReadAll(sql)).getRowObjectsJS().map(({ bucket }) => Number(bucket) + 0);
      expect(found).toEqual(numbers.map((value) => bucketOf(value, width) + 0));
    }),
    { numRuns: 200 },
  );
  instance.closeSync();
});

/* The same by whole numbers alone, in units of 10^-scale, trying every width from the finest. */

const scale = 400;
const power = (exponent: number): bigint => 10n ** BigInt(scale + exponent);

function exactly(value: number): bigint {
  const [digits = "", exponent = ""] = value.toExponential().split("e");
  const [whole = "", fraction = ""] = digits.split(".");
  return BigInt(whole + fraction) * power(Number(exponent) - fraction.length);
}

const magnitude = (value: bigint): bigint => (value < 0n ? -value : value);
const floored = (value: bigint, by: bigint): bigint => (value - (((value % by) + by) % by)) / by;

function plainPlace(value: number, { mantissa, exponent }: Width): number {
  const [units, unit] = [exactly(value), power(exponent)];
  const nearest = floored(2n * units + unit, 2n * unit);
  const missed = magnitude(units - nearest * unit);
  const close = missed * 10n ** 9n <= unit || missed * 2n ** 51n <= magnitude(units);
  return Number(floored(close ? nearest * unit : units, unit * BigInt(mantissa)));
}

function plainWidth(numbers: readonly number[]): Width {
  const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
  const largest = numbers
    .map(exactly)
    .map(magnitude)
    .reduce((a, b) => (a > b ? a : b));
  for (let exponent = -300; ; exponent++) {
    if (numbers.every(Number.isInteger) && exponent < 0) continue;
    // one number alone is a matter of whole ones; ends of more than thirteen digits are not told apart
    if (min === max && exponent < 0) continue;
    if (largest >= power(exponent + 13)) continue;
    for (const mantissa of [1, 2, 5]) {
      if (plainPlace(max, { mantissa, exponent }) - plainPlace(min, { mantissa, exponent }) < bucketsAtMost)
        return { mantissa, exponent };
    }
  }
}
