import type { FilterName } from "../../contract/analytics-filters.ts";
import type { Store } from "../platform/caller.ts";
import type { DayRun } from "../platform/time-zones.ts";

/** A parsed and checked analytics request, from which every question's SQL is built. */

/** Values that contract/analytics-filters.ts takes; null: not filtered by it. */
export type Filters = Record<FilterName, string | null>;

export interface DayRange {
  /** `YYYY-MM-DD`, both inclusive */
  from: string;
  to: string;
  /** IANA name */
  timezone: string;
  /** every day of the range, in order, including those without data [figures.every-day] */
  days: readonly string[];
  /** when the zone's date is each day, in chronological order; nearly always one run of 23 to 25 hours per day */
  runs: readonly DayRun[];
}

export interface Selection {
  store: Store;
  /** UUID; null: the whole store */
  quizId: string | null;
  range: DayRange;
  filters: Filters;
  /** whether the caller may see people; otherwise contacts in texts of shoppers are masked [api.masked-contacts] */
  contacts?: boolean;
}
