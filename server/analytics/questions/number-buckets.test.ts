import { DuckDBInstance } from "@duckdb/node-api";
import fc from "fast-check";
import { expect, it } from "vitest";
import { bucketOf, bucketSql, bucketsAtMost, lowEnd, widthFor } from "./number-buckets.ts";

const spread = (...numbers: number[]) => ({
  min: Math.min(...numbers),
  max: Math.max(...numbers),
  whole: numbers.every(Number.isInteger),
});
const widthOf = (...numbers: number[]) => lowEnd(1, widthFor(spread(...numbers)));

it("takes the finest width of 1, 2 or 5 x 10^k that ten aligned buckets cover (decisions D14)", () => {
  expect(widthOf(18, 64)).toBe(5);
  expect(widthOf(0, 100)).toBe(20);
  expect(widthOf(1, 100)).toBe(20);
  expect(widthOf(0, 99)).toBe(10);
  expect(widthOf(0, 0.9)).toBe(0.1);
  expect(widthOf(0, 1, 0.5)).toBe(0.2);
  expect(widthOf(-1_000, 1_000)).toBe(500);
});

it("splits whole numbers no finer than one by one (decisions D14)", () => {
  expect(widthOf(1, 5)).toBe(1);
  expect(widthOf(7)).toBe(1);
  expect(widthOf(7.5)).toBe(1);
});

it("puts a number into the bucket that begins at it, in spite of binary fractions (decisions D14)", () => {
  const tenths = { mantissa: 1, exponent: -1 };
  for (let tenth = -30; tenth <= 30; tenth++) expect(bucketOf(tenth / 10, tenths)).toBe(tenth);
  expect(bucketOf(0.1 + 0.2, tenths)).toBe(3);
  expect(lowEnd(3, tenths)).toBe(0.3);
});

it("covers any numbers with at most ten buckets, and SQL agrees on each (decisions D14)", async () => {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  const number = fc.oneof(
    fc.integer({ min: -1_000_000, max: 1_000_000 }),
    fc.integer({ min: -1_000_000, max: 1_000_000 }).map((value) => value / 1_000),
    fc.double({ min: -1e12, max: 1e12, noNaN: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(number, { minLength: 1, maxLength: 20 }), async (numbers) => {
      const { min, max, whole } = spread(...numbers);
      const width = widthFor({ min, max, whole });
      expect(bucketOf(max, width) - bucketOf(min, width)).toBeLessThan(bucketsAtMost);
      const values = numbers.map((value) => `(CAST('${value}' AS DOUBLE))`).join(", ");
      const sql = `SELECT ${bucketSql("n", width)} AS bucket FROM (VALUES ${values}) AS v (n)`;
      const found = (await connection.runAndReadAll(sql)).getRowObjectsJS().map(({ bucket }) => Number(bucket) + 0);
      expect(found).toEqual(numbers.map((value) => bucketOf(value, width) + 0));
    }),
    { numRuns: 200 },
  );
  instance.closeSync();
});
