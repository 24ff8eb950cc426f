import { isoTime } from "../../platform/clock.ts";
import { parseId } from "../../platform/ids.ts";
import { addDays, type DayRun, dayRuns, joinedRuns } from "../../platform/time-zones.ts";
import type { StoredFilters } from "./deps.ts";

/** The conditions that an export's own filters set on a session. */
export interface Span {
  /** inclusive lower bound of the session's start */
  start: Date | null;
  /** exclusive upper bound of the session's start */
  end: Date | null;
  /**
   * A `tstzmultirange` of times between `start` and `end` that belong to other days; nearly always empty. If clocks go
   * back over midnight, the first minutes of the day after the last come before the end of the last.
   */
  apart: string;
  /** UUID */
  quizId: string | null;
}

export const zoneOf = ({ tz }: Pick<StoredFilters, "tz">): string => tz ?? "UTC";

/** Days are those of the filters' time zone, including days of 23 and 25 hours. */
export function filteredSpan(filters: Omit<StoredFilters, "search">): Span {
  const { from, to, quiz_id } = filters;
  const zone = zoneOf(filters);
  const quizId = quiz_id === null ? null : parseId("quiz", quiz_id);
  if (quiz_id !== null && quizId === null) throw new Error("the quiz_id of an export is not the id of a quiz");
  // only adjacent days can overlap, and a zone skips one day at most, so a few days at each end suffice
  const first = from === null ? [] : joinedRuns(dayRuns(from, addDays(from, fewDays), zone));
  const last = to === null ? [] : joinedRuns(dayRuns(addDays(to, -fewDays), to, zone));
  const [start, end] = [first[0]?.start, last.at(-1)?.end];
  return {
    start: start === undefined ? null : new Date(start),
    end: end === undefined ? null : new Date(end),
    apart: `{${[...gapsIn(first), ...gapsIn(last)].join(",")}}`,
    quizId,
  };
}

const fewDays = 3;

const gapsIn = (stretches: readonly Pick<DayRun, "start" | "end">[]): string[] =>
  stretches.slice(1).map(({ start }, before) => {
    const ended = stretches[before]?.end ?? start;
    return `[${isoTime(ended)},${isoTime(start)})`;
  });
