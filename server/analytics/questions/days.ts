import type { DayRange } from "../asked.ts";
import { whole } from "./scope.ts";

/** The days of a range in SQL. */

export const dayMs = 86_400_000;

type Bounds = Pick<DayRange, "bounds">;

const boundAt = ({ bounds }: Bounds, index: number): number => bounds[index] ?? 0;

export const startOf = (range: Bounds): number => boundAt(range, 0);
export const endOf = (range: Bounds): number => boundAt(range, range.bounds.length - 1);

/** Whether a moment (BIGINT, ms) lies in the range; not when it is NULL. */
export const within = (range: Bounds, column: string): string =>
  `${column} >= ${whole(startOf(range))} AND ${column} < ${whole(endOf(range))}`;

/**
 * The index, from 0, of the day that a moment of the range falls in: a division for each run of days of 24 hours, and a
 * constant for a day of any other length. A join with a list of days took more than twice as long.
 */
export function dayIndex(range: Bounds, column: string): string {
  const last = range.bounds.length - 1;
  const lengthOf = (index: number) => boundAt(range, index + 1) - boundAt(range, index);
  const pieces: { end: number; index: string }[] = [];
  for (let first = 0; first < last; ) {
    let next = first;
    while (next < last && lengthOf(next) === dayMs) next++;
    if (next > first) {
      const run = `(${column} - ${whole(boundAt(range, first))}) // ${dayMs} + ${first}`;
      pieces.push({ end: boundAt(range, next), index: run });
    } else {
      next++;
      // a zone that crossed the date line left a day out
      if (lengthOf(first) > 0) pieces.push({ end: boundAt(range, next), index: String(first) });
    }
    first = next;
  }
  const rest = pieces.pop()?.index ?? "0";
  const cases = pieces.map(({ end, index }) => `WHEN ${column} < ${whole(end)} THEN ${index}`);
  return cases.length === 0 ? rest : `CASE ${cases.join(" ")} ELSE ${rest} END`;
}
