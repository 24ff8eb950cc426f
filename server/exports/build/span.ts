import { parseId } from "../../platform/ids.ts";
import { dayBounds } from "../../platform/time-zones.ts";
import type { StoredFilters } from "./tools.ts";

/** What an export's own filters ask of a session. */
export interface Span {
  /** its start is not before it */
  start: Date | null;
  /** its start is before it */
  end: Date | null;
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
  return {
    start: from === null ? null : new Date(dayBounds(from, zone).start),
    end: to === null ? null : new Date(dayBounds(to, zone).end),
    quizId,
  };
}
