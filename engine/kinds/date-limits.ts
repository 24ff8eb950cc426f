import { addDays, weekdayOf } from "../calendar.ts";
import type { DateComponent } from "../document.ts";

/** Which days and times a date question takes. */

/** `min` and `max` as documents write them. */
const relative = /^today(?:([+-])(\d{1,5})d)?$/;

/** How many days after today a bound lies; null: it is a day itself. */
export function daysFromToday(bound: string): number | null {
  const [whole, sign, days = "0"] = relative.exec(bound) ?? [];
  if (whole === undefined) return null;
  return sign === "-" ? -Number(days) : Number(days);
}

/** The day, `YYYY-MM-DD`, of a bound where it is `today`. */
export function boundOn(bound: string, today: string): string {
  const days = daysFromToday(bound);
  return days === null ? bound : addDays(today, days);
}

export type DateLimits = Pick<DateComponent, "min" | "max" | "weekdays" | "time_from" | "time_to">;

/** Why a question does not take a day and time. */
export type DateFault = "range" | "weekday" | "time";

/**
 * Why the question does not take this answer where it is `today` (`YYYY-MM-DD`); null: it does. Ends are included; a
 * time is judged where there is one.
 */
export function dateFault(
  { min, max, weekdays, time_from, time_to }: DateLimits,
  { date, time }: { date: string; time: string | null },
  today: string,
): DateFault | null {
  if (min && date < boundOn(min, today)) return "range";
  if (max && date > boundOn(max, today)) return "range";
  if (weekdays && !weekdays.includes(weekdayOf(date))) return "weekday";
  // with seconds, so that texts compare like times
  const at = time?.padEnd(8, ":00") ?? null;
  return at !== null && ((time_from && at < `${time_from}:00`) || (time_to && at > `${time_to}:00`)) ? "time" : null;
}

/** Whether it takes some days or times and not others. */
export const isLimited = ({ min, max, weekdays, time_from, time_to }: DateLimits): boolean =>
  Boolean(min || max || weekdays || time_from || time_to);

/**
 * Whether the question takes the answer on any of these days, each of which it may be today for the shopper
 * [engine.date-limits].
 */
export const isTaken = (
  limits: DateLimits,
  answer: { date: string; time: string | null },
  todays: readonly string[],
): boolean => todays.some((today) => dateFault(limits, answer, today) === null);
