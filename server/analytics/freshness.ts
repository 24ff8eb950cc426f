import type { Freshness } from "../../contract/analytics-shapes.ts";
import { isoTime } from "../platform/clock.ts";
import { addDays, dayIn } from "../platform/time-zones.ts";
import type { DayRange } from "./selection.ts";

/** How far an answer's figures reach [analytics.freshness, analytics.pending]. */

/**
 * Of figures just made.
 *
 * @param asOf the calendar's ms up to which every change is counted
 * @param softTtlMs the calendar's ms after which they are made anew
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

/** Of an answer without figures, since the store's facts are being loaded for the first time. */
export const pendingFreshness = (range: DayRange, now: number): Freshness => ({
  as_of: null,
  closed_days_through: addDays(dayIn(now, range.timezone), -1),
  next_refresh_at: null,
  pending: true,
  stale: false,
  today_live: false,
});
