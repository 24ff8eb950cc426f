import { addDays, daysBetween, isDay, weekdayOf } from "../dates.ts";
import { bounds, type DateComponent } from "../document.ts";
import type { Fields, Problems } from "../read.ts";

/** Which days and times a date question takes. */

/** `min` and `max` as documents write them. */
const relative = /^today(?:([+-])(\d{1,5})d)?$/;
const timeOfDay = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

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

type DateLimits = Pick<DateComponent, "min" | "max" | "weekdays" | "time_from" | "time_to">;

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

/** Reads them from a document [quiz-documents.date-limits]; what is left out stays left out. */
export function readDateLimits(fields: Fields): DateLimits {
  const limits: DateLimits = {
    ...fields.ifPresent("min", readBound),
    ...fields.ifPresent("max", readBound),
    ...fields.ifPresent("weekdays", readWeekdays),
    ...fields.ifPresent("time_from", readTime),
    ...fields.ifPresent("time_to", readTime),
  };
  const span = spanOf(limits);
  if (span !== null && span < 0) fields.problems.add(fields.at("min"), "is after the latest day (max)");
  const { time_from, time_to } = limits;
  if (time_from && time_to && time_from > time_to)
    fields.problems.add(fields.at("time_from"), "is after the latest time (time_to)");
  return limits;
}

function readBound(value: unknown, path: string, problems: Problems): string {
  if (typeof value === "string") {
    const days = daysFromToday(value);
    if (days === null ? isDay(value) : Math.abs(days) <= bounds.daysFromToday) return value;
  }
  const most = `with at most ${bounds.daysFromToday} days`;
  problems.add(path, `must be a day (YYYY-MM-DD), today, today+Nd or today-Nd ${most}`);
  return "today";
}

function readWeekdays(value: unknown, path: string, problems: Problems): number[] {
  const days: unknown[] = Array.isArray(value) ? value : [];
  const known = days.filter((day): day is number => typeof day === "number" && [1, 2, 3, 4, 5, 6, 7].includes(day));
  if (known.length === 0 || known.length < days.length || new Set(known).size < known.length) {
    problems.add(path, "must be a list of different weekdays, from 1 (Monday) to 7");
  }
  return known;
}

function readTime(value: unknown, path: string, problems: Problems): string {
  if (typeof value === "string" && timeOfDay.test(value)) return value;
  problems.add(path, "must be a time, HH:MM");
  return "00:00";
}

/** Days from `min` to `max`; null: one is missing, or what lies between them depends on today. */
function spanOf({ min, max }: DateLimits): number | null {
  if (!min || !max) return null;
  const [first, last] = [daysFromToday(min), daysFromToday(max)];
  if (first !== null && last !== null) return last - first;
  if (first !== null || last !== null) return null;
  return daysBetween(min, max);
}

/**
 * Why there may be no day to choose: no weekday lies within the bounds, ever or, if they depend on today, on some days;
 * null: there always is one, as far as the document tells.
 */
export function noDayIn(limits: DateLimits): string | null {
  const { min, weekdays } = limits;
  const span = spanOf(limits);
  if (span === null || !min || !weekdays || span >= 6) return null;
  const days = Array.from({ length: span + 1 }, (_, index) => index);
  if (daysFromToday(min) === null) {
    const isOne = days.some((index) => weekdays.includes(weekdayOf(addDays(min, index))));
    return isOne ? null : "none of its days from the earliest to the latest has an allowed weekday";
  }
  const isAlways = [0, 1, 2, 3, 4, 5, 6].every((today) =>
    days.some((index) => weekdays.includes(((today + index) % 7) + 1)),
  );
  return isAlways ? null : "on some days of the week it leaves no day to choose";
}
