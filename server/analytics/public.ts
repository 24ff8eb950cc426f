import type { SeriesPoint } from "../../contract/analytics-answers.ts";
import type { CopyQuery } from "../columnar-copy/public.ts";
import type { Store } from "../platform/caller.ts";
import { firstOpening } from "./questions/life.ts";
import { dailySeries } from "./questions/overview.ts";
import { scopeOf } from "./questions/scope.ts";
import { Ranges } from "./range.ts";
import { noFilters } from "./read-selection.ts";
import type { DayRange } from "./selection.ts";

/** The part of analytics that other slices may use. */

/** A range of days. */
export type Days = DayRange;

/** @param from, to `YYYY-MM-DD`, inclusive; may be further apart than a request allows [analytics.range-limits] */
export const daysBetween = (from: string, to: string, timezone: string): Days => new Ranges().of(from, to, timezone);

/**
 * A quiz's daily figures as in its overview, including days without data.
 *
 * @param quizId UUID
 */
export const quizDays = (query: CopyQuery, store: Store, quizId: string, range: Days): Promise<SeriesPoint[]> =>
  dailySeries(query, { store, quizId, range, filters: noFilters });

/** When the quiz was first opened, in ms; null if never. */
export const firstOpened = async (query: CopyQuery, quizId: string): Promise<number | null> =>
  firstOpening(query, await scopeOf(query, { quizId, filters: noFilters }));
