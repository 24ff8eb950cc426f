import { Temporal } from "temporal-polyfill";
import { unlistedTimeZones } from "./time-zone-names.ts";

/** IANA names only (A10): no offsets, no POSIX strings; what the runtime's own list lacks, `UTC` above all, included. */
const names = new Set([...Intl.supportedValuesOf("timeZone"), ...unlistedTimeZones, "UTC"]);

export const isTimeZone = (text: string): boolean => names.has(text);

/** First moments (in milliseconds) of the calendar month that `at` falls in, and of the next, in the zone. */
export function monthAround(at: number, timeZone: string): { start: number; end: number } {
  const first = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate().with({ day: 1 });
  const start = first.toZonedDateTime(timeZone).epochMilliseconds;
  return { start, end: first.add({ months: 1 }).toZonedDateTime(timeZone).epochMilliseconds };
}

/** First moment of a day and of the day after it, in the zone: 23 and 25 hour days come out right. */
export function dayBounds(day: string, timeZone: string): { start: number; end: number } {
  const date = Temporal.PlainDate.from(day);
  return {
    start: date.toZonedDateTime(timeZone).epochMilliseconds,
    end: date.add({ days: 1 }).toZonedDateTime(timeZone).epochMilliseconds,
  };
}

/** The day, `YYYY-MM-DD`, that a moment (in milliseconds) falls in, in the zone. */
export const dayIn = (at: number, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).toPlainDate().toString();

/** First moments of each of the days, given in order and without gaps, and at the end that of the day after the last. */
export function dayStarts(days: readonly string[], timeZone: string): number[] {
  const starts = days.map((day) => Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds);
  const last = days.at(-1);
  return last === undefined ? starts : [...starts, dayBounds(last, timeZone).end];
}

/** Whether the text is `YYYY-MM-DD` of a day that exists. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
