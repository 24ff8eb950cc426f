import type { CommonQuery } from "../../contract/analytics.ts";
import { maxRangeDays } from "../../contract/analytics.ts";
import { byFilter, filterMessage, filterNames, isFilterValue } from "../../contract/analytics-filters.ts";
import type { FieldError, ProblemBody } from "../../contract/errors.ts";
import type { Store } from "../platform/caller.ts";
import { invalid, invalidFields } from "../platform/problems.ts";
import { addDays, dayIn, isTimeZone } from "../platform/time-zones.ts";
import { type Ranges, readDays } from "./range.ts";
import type { Filters, Selection } from "./selection.ts";

/** Converts query parameters into a selection, or throws 422 [analytics.range-limits, analytics.filter-values]. */

export const noFilters: Filters = byFilter(() => null);

/**
 * Throws 422 naming every refused parameter. The problem has `max_days` if the range is too long, and `filter` and
 * `value` of the first refused filter.
 *
 * @param quizId UUID; null for the whole store
 * @param now ms
 */
export function readSelection(
  ranges: Ranges,
  store: Store,
  quizId: string | null,
  query: CommonQuery,
  now: number,
): Selection {
  const errors: FieldError[] = [];
  let extra: Partial<ProblemBody> = {};
  const days = readDays(query, now);
  if ("errors" in days) {
    errors.push(...days.errors);
    if (days.tooLong) extra = { max_days: maxRangeDays };
  }
  const refused = filterNames.filter((name) => query[name] !== undefined && !isFilterValue(name, query[name]));
  for (const name of refused) errors.push({ field: `query.${name}`, message: filterMessage(name) });
  const [first] = refused;
  if (first) extra = { ...extra, filter: first, value: query[first] ?? "" };
  if ("errors" in days || refused.length > 0) throw invalidFields(errors, extra);
  const filters = byFilter((name) => query[name] ?? null);
  return { store, quizId, range: ranges.of(days.from, days.to, days.timezone), filters };
}

/** The most recent days, including today, for the summary [figures.summary]. */
export function readPeriod(
  ranges: Ranges,
  store: Store,
  query: { period?: "7d" | "30d"; tz?: string },
  now: number,
): Selection {
  const { period = "7d", tz = "UTC" } = query;
  if (!isTimeZone(tz)) throw invalid("query.tz", "is not the name of a timezone");
  const today = dayIn(now, tz);
  const days = period === "7d" ? 7 : 30;
  return { store, quizId: null, range: ranges.of(addDays(today, 1 - days), today, tz), filters: noFilters };
}
