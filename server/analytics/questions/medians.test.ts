import fc from "fast-check";
import { expect, it } from "vitest";
import { type Counted, highEnd, type Interval, mediansOf } from "./medians.ts";

/** Counts of values by intervals of 2^bits, as a database would answer. */
function countBy(values: readonly number[], bits: number): Counted[] {
  const counts = Map.groupBy(values, (value) => Math.floor(value / 2 ** bits));
  return Array.from(counts, ([part, some]) => ({ low: part * 2 ** bits, bits, count: some.length }));
}

function naive(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  return ((sorted[Math.ceil(half) - 1] ?? 0) + (sorted[Math.floor(half)] ?? 0)) / 2;
}

interface Looks {
  medians: Map<string, number>;
  intervals: Interval[][];
}

async function look(given: ReadonlyMap<string, readonly number[]>, first: number, step: number): Promise<Looks> {
  const intervals: Interval[][] = [];
  const counted = new Map(Array.from(given, ([key, values]) => [key, countBy(values, first)]));
  const medians = await mediansOf(counted, async (wanted) => {
    intervals.push(Array.from(wanted.values()).flat());
    return new Map(
      Array.from(wanted, ([key, some]) => [
        key,
        some.flatMap((interval) => {
          const inside = (given.get(key) ?? []).filter((value) => value >= interval.low && value < highEnd(interval));
          return countBy(inside, Math.max(0, interval.bits - step));
        }),
      ]),
    );
  });
  return { medians, intervals };
}

it("finds the very median of every key, whatever its values are [figures.averages]", async () => {
  const value = fc.oneof(fc.nat(20), fc.nat(3_000), fc.nat(2 ** 40), fc.constant(77));
  const given = fc.dictionary(fc.string({ maxLength: 2 }), fc.array(value, { minLength: 1, maxLength: 30 }));
  await fc.assert(
    fc.asyncProperty(given, fc.nat(30), fc.integer({ min: 1, max: 9 }), async (values, first, step) => {
      const { medians } = await look(new Map(Object.entries(values)), first, step);
      const wanted = Object.entries(values).map(([key, some]) => [key, naive(some)] as const);
      expect(Object.fromEntries(medians)).toEqual(Object.fromEntries(wanted));
    }),
    { numRuns: 500 },
  );
});

it("looks only into the intervals that hold the middle values, once into each", async () => {
  const given = new Map([
    ["one", [1, 300, 301, 302, 999]],
    ["two", [10, 20, 600, 700]],
    ["none", []],
  ]);
  const { medians, intervals } = await look(given, 8, 8);
  expect(Object.fromEntries(medians)).toEqual({ one: 301, two: 310 });
  const at = (low: number) => ({ low, bits: 8 });
  expect(intervals).toEqual([[at(256), at(0), at(512)]]);
});
