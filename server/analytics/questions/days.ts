import { joined, raw, type Statement, sql } from "../../platform/database/sql.ts";
import { type DayRun, joinedRuns } from "../../platform/time-zones.ts";
import type { DayRange } from "../selection.ts";
import { whole } from "./scope.ts";

/** Conditions and expressions for the days of a range in SQL. */

export const dayMs = 86_400_000;

type Runs = Pick<DayRange, "runs">;

/**
 * Whether a moment (BIGINT, ms) is in the range; false for NULL. Nearly always one interval. If clocks went back over
 * midnight at the range's first or last day, a minute or an hour of it is separate.
 */
export function within({ runs }: Runs, column: string): Statement {
  const stretches = joinedRuns(runs).map(
    ({ start, end }) => sql`${raw(column)} >= ${whole(start)} AND ${raw(column)} < ${whole(end)}`,
  );
  const [first, ...others] = stretches;
  if (first === undefined) return raw("false");
  return others.length === 0 ? first : sql`(${joined(stretches, " OR ")})`;
}

/**
 * The index, from 0, of the day of a moment in the range: a division for each run of 24-hour days, and a constant for a
 * day of any other length. A join with a list of days took more than twice as long.
 */
export function dayIndex({ runs }: Runs, column: string): Statement {
  const pieces: { end: number; index: Statement }[] = [];
  for (let first = 0; first < runs.length; ) {
    const { start, end, index } = runs[first] as DayRun;
    let next = first + 1;
    if (end - start === dayMs) while (continues(runs, next)) next++;
    const run =
      end - start === dayMs
        ? sql`(${raw(column)} - ${whole(start)}) // ${whole(dayMs)} + ${whole(index)}`
        : whole(index);
    pieces.push({ end: runs[next - 1]?.end ?? end, index: run });
    first = next;
  }
  const rest = pieces.pop()?.index ?? whole(0);
  const cases = pieces.map(({ end, index }) => sql`WHEN ${raw(column)} < ${whole(end)} THEN ${index}`);
  return cases.length === 0 ? rest : sql`CASE ${joined(cases, " ")} ELSE ${rest} END`;
}

/** how many days a byte can number */
const byteDays = 256;

/**
 * The day as a column to group by, for rows of the range only. In a byte if the days fit, since DuckDB groups bytes in an
 * array, which takes two thirds of the time of a hash table.
 */
function dayGroup(range: DayRange, column: string): Statement {
  const index = dayIndex(range, column);
  return range.days.length <= byteDays ? sql`CAST(${index} AS UTINYINT)` : index;
}

/**
 * The rows of one day each, with its index as `day`.
 *
 * @param column the moment by which rows belong to days
 * @param figures the aggregates, and constants
 * @param rows FROM, and WHERE without the range
 */
export function byDay<Row>(range: DayRange, column: string, figures: Statement, rows: Statement): Statement<Row> {
  return sql<Row>`SELECT ${dayGroup(range, column)} AS day, ${figures} ${rows} AND ${within(range, column)} GROUP BY day`;
}

/**
 * The same, and a row without a day for the whole range. Two scans, since GROUPING SETS in one scan take longer, the more
 * so on a small copy.
 */
export function byDayAndInTotal<Row>(
  range: DayRange,
  column: string,
  figures: Statement,
  rows: Statement,
): Statement<Row> {
  const ofRange = sql`${rows} AND ${within(range, column)}`;
  return sql<Row>`${byDay(range, column, figures, rows)} UNION ALL SELECT NULL, ${figures} ${ofRange}`;
}

/** Whether a run is the whole next day, directly after the previous run. */
function continues(runs: readonly DayRun[], at: number): boolean {
  const [before, run] = [runs[at - 1], runs[at]];
  if (!before || !run) return false;
  return run.start === before.end && run.index === before.index + 1 && run.end - run.start === dayMs;
}
