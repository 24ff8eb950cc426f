import type { Freshness } from "../../contract/analytics-shapes.ts";
import { isoTime } from "../platform/clock.ts";
import { addDays, dayIn } from "../platform/time-zones.ts";
import type { DayRange } from "./selection.ts";

/** How recent an answer's figures are [analytics.freshness, analytics.pending]. */

/**
 * The freshness of figures that were just made.
 *
 * @param asOf calendar ms up to which all changes are included
 * @param softTtlMs calendar ms after which they are made again
 */
export function freshnessAt(range: DayRange, asOf: number, softTtlMs: number): Freshness {
  const today = dayIn(asOf, range.timezone);
  return {
    as_of: isoTime(asOf),
    closed_days_through: addDays(today, -1),
    next_refresh_at: isoTime(asOf + softTtlMs),
    pending: false,
    stale: false,
    today_live: range.from <= today && today <= range.to,
  };
}

/** The freshness of an answer without figures, while the store's columnar copy is loaded for the first time. */
export const pendingFreshness = (range: DayRange, now: number): Freshness => ({
  as_of: null,
  closed_days_through: addDays(dayIn(now, range.timezone), -1),
  next_refresh_at: null,
  pending: true,
  stale: false,
  today_live: false,
});
