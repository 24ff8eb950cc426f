import { isoTime } from "../../platform/clock.ts";
import { parseId } from "../../platform/ids.ts";
import { addDays, type DayRun, dayRuns, joinedRuns } from "../../platform/time-zones.ts";
import type { StoredFilters } from "./deps.ts";

/** What an export's own filters ask of a session. */
export interface Span {
  /** its start is not before it */
  start: Date | null;
  /** its start is before it */
  end: Date | null;
  /**
   * A `tstzmultirange`: times between both that are no time of the days asked for, nearly always none. Where clocks go
   * back over midnight, the first minutes of the day after the last come before the last one's end.
   */
  apart: string;
  /** UUID */
  quizId: string | null;
}

export const zoneOf = ({ tz }: Pick<StoredFilters, "tz">): string => tz ?? "UTC";

/** Days are those of the filters' zone, days of 23 and 25 hours included. */
export function filteredSpan(filters: Omit<StoredFilters, "search">): Span {
  const { from, to, quiz_id } = filters;
  const zone = zoneOf(filters);
  const quizId = quiz_id === null ? null : parseId("quiz", quiz_id);
  if (quiz_id !== null && quizId === null) throw new Error("an export of what is no quiz");
  // days are out of order only beside each other, and a zone leaves out one at most
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
