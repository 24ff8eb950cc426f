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

/** Whether the text is `YYYY-MM-DD` of a day that exists. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
