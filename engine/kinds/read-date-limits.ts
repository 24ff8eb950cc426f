import { addDays, daysBetween, weekdayOf } from "../calendar.ts";
import { isDay } from "../dates.ts";
import { bounds } from "../document.ts";
import type { Fields, Problems } from "../read.ts";
import { type DateLimits, daysFromToday } from "./date-limits.ts";

/** The limits of a date as a document has them; apart from what they mean, which browsers load [player.size]. */

const timeOfDay = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

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
