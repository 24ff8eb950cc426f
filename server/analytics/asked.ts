import type { StoreFacts } from "../platform/caller.ts";

/** What an analytics route was asked, read and checked: what every question's SQL is made from (4.3). */

/** 2.8; null: not asked for */
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
  /** every day of the range, in order, those without data too */
  days: readonly string[];
  /**
   * First moment of each day in the zone, in ms, and at the end that of the day after the last: one longer than `days`.
   * Days of 23 and 25 hours come out right.
   */
  bounds: readonly number[];
}

export interface Asked {
  store: StoreFacts;
  /** UUID; null: the whole store */
  quizId: string | null;
  range: DayRange;
  filters: Filters;
}
