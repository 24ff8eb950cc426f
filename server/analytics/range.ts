import { type CommonQuery, maxRangeDays } from "../../contract/analytics.ts";
import type { DayRangeBody } from "../../contract/analytics-shapes.ts";
import type { FieldError } from "../../contract/errors.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";
import { addDays, dayIn, dayNumber, dayRuns, isTimeZone } from "../platform/time-zones.ts";
import type { DayRange } from "./selection.ts";

/** The days that a question covers [analytics.range, analytics.range-limits]. */

/** how many days before `to` the range begins if `from` is missing */
const defaultDaysBefore = 29;
const cachedAtMost = 200;

/**
 * Caches ranges by time zone and days: computing their days takes milliseconds, and a page of charts requests the same
 * ones repeatedly.
 */
export class Ranges {
  readonly #known = new LeastRecentlyUsed<DayRange>(cachedAtMost);

  of(from: string, to: string, timezone: string): DayRange {
    const key = `${from} ${to} ${timezone}`;
    const known = this.#known.get(key);
    if (known) return known;
    const days = Array.from({ length: dayNumber(to) - dayNumber(from) + 1 }, (_, at) => addDays(from, at));
    const range = { from, to, timezone, days, runs: dayRuns(from, to, timezone) };
    this.#known.set(key, range);
    return range;
  }

  /** The same number of days, directly before the range. */
  before(range: DayRange): DayRange {
    return this.of(addDays(range.from, -range.days.length), addDays(range.from, -1), range.timezone);
  }
}

export type ReadDays = { from: string; to: string; timezone: string } | { errors: FieldError[]; tooLong: boolean };

const refused = (field: string, message: string, tooLong = false): ReadDays => ({
  errors: [{ field, message }],
  tooLong,
});

/**
 * The requested days, with defaults for missing ones.
 *
 * @param now ms; its day in the zone is the last that can be requested
 */
export function readDays({ from, to, tz = "UTC" }: Pick<CommonQuery, "from" | "to" | "tz">, now: number): ReadDays {
  if (!isTimeZone(tz)) return refused("query.tz", "is not the name of a timezone");
  const today = dayIn(now, tz);
  const last = to ?? today;
  if (last > today) return refused("query.to", `must not be after today, ${today} in ${tz}`);
  const first = from ?? addDays(last, -defaultDaysBefore);
  if (first > last) return refused("query.from", "must not be after to");
  if (dayNumber(last) - dayNumber(first) >= maxRangeDays) {
    return refused("query.from", `begins a range of more than ${maxRangeDays} days`, true);
  }
  return { from: first, to: last, timezone: tz };
}

export const rangeBody = ({ days, from, to, timezone }: DayRange): DayRangeBody => ({
  days: days.length,
  start: from,
  end: to,
  timezone,
});
