import type { Store } from "../platform/caller.ts";
import type { DayRun } from "../platform/time-zones.ts";

/** What an analytics route was asked, read and checked: what every question's SQL is made from. */

/** null: not asked for */
export interface Filters {
  channel: string | null;
  device: string | null;
  new_returning: "new" | "returning" | null;
  /** two capital letters, or `unknown` */
  country: string | null;
}

export interface DayRange {
  /** `YYYY-MM-DD`, both included */
  from: string;
  to: string;
  /** IANA name */
  timezone: string;
  /** every day of the range, in order, those without data too [figures.every-day] */
  days: readonly string[];
  /** when each day is the zone's date, in the order of time: nearly always one run a day, of 23 to 25 hours */
  runs: readonly DayRun[];
}

export interface Selection {
  store: Store;
  /** UUID; null: the whole store */
  quizId: string | null;
  range: DayRange;
  filters: Filters;
}
