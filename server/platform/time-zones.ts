import { Temporal } from "temporal-polyfill";
import { ianaNames } from "./time-zone-names.ts";

/** Plus zones newer than our list that the runtime knows. */
const names = new Set([...ianaNames, ...Intl.supportedValuesOf("timeZone")]);

const zones = new Map<string, boolean>();

/** Whether the text is an IANA name in its official spelling [time.zones]: no offsets, no POSIX strings. */
export function isTimeZone(text: string): boolean {
  if (!names.has(text)) return false;
  // remembered: making a formatter takes longer than anything else that a shopper's request needs
  const known = zones.get(text) ?? hasRules(text);
  zones.set(text, known);
  return known;
}

/** The only name unknown to the runtime, `Factory`, means "not configured" and has the rules of UTC. */
const rulesOf = (timeZone: string): string => (timeZone === "Factory" ? "UTC" : timeZone);

/** Whether the runtime can calculate with the zone: an old runtime lacks the newest zones. */
export function hasRules(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: rulesOf(timeZone) });
    return true;
  } catch {
    return false;
  }
}

const localTime = (at: number, timeZone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(rulesOf(timeZone));

/**
 * The first moments (in milliseconds) of the calendar month that contains `at`, and of the next, in the zone. If clocks
 * go back into the last day of the previous month, the month that has begun continues.
 */
export function monthAround(at: number, timeZone: string): { start: number; end: number } {
  const first = localTime(at, timeZone).toPlainDate().with({ day: 1 });
  const startIn = (months: number) => first.add({ months }).toZonedDateTime(rulesOf(timeZone)).epochMilliseconds;
  const end = startIn(1);
  return at < end ? { start: startIn(0), end } : { start: end, end: startIn(2) };
}

/** The day, `YYYY-MM-DD`, that a moment (in milliseconds) falls in, in the zone. */
export const dayIn = (at: number, timeZone: string): string => localTime(at, timeZone).toPlainDate().toString();

/** A period with one local date: from `start` to before `end`, in ms. */
export interface DayRun {
  /** number of days after the first requested one */
  index: number;
  start: number;
  end: number;
}

const dayMs = 86_400_000;
/** Days since 1970: the order of days does not depend on a zone, only their beginning does. */
export const dayNumber = (day: string): number => Date.parse(`${day}T00:00:00Z`) / dayMs;
const [firstDay, lastDay] = [dayNumber("0000-01-01"), dayNumber("9999-12-31")];

/** `YYYY-MM-DD` that many days later or earlier, limited to days that can be written so. */
export function addDays(day: string, days: number): string {
  const number = Math.min(Math.max(dayNumber(day) + days, firstDay), lastDay);
  return new Date(number * dayMs).toISOString().slice(0, 10);
}

/**
 * The periods in which the days from one to another, both included, are a zone's local dates: in chronological order,
 * nearly always one period per day [time.days]. A day has none if the zone skipped it by crossing the date line, and
 * two if clocks went back over midnight: in St. John's, until 2011, from 00:01 to 23:01 of the previous day.
 */
export function dayRuns(from: string, to: string, timeZone: string): DayRun[] {
  const [first, last] = [dayNumber(from), dayNumber(to)];
  const runs: DayRun[] = [];
  // no zone is more than a day from UTC; between two clock changes all days have 24 hours
  const stop = (last + 2) * dayMs;
  for (let at = (first - 1) * dayMs; at < stop; ) {
    const here = localTime(at, timeZone);
    const offset = here.offsetNanoseconds / 1_000_000;
    const change = Math.min(here.getTimeZoneTransition("next")?.epochMilliseconds ?? stop, stop);
    const lastHere = Math.min(last, Math.floor((change - 1 + offset) / dayMs));
    for (let day = Math.max(first, Math.floor((at + offset) / dayMs)); day <= lastHere; day++) {
      const [start, end] = [Math.max(at, day * dayMs - offset), Math.min(change, (day + 1) * dayMs - offset)];
      const before = runs.at(-1);
      if (before?.index === day - first && before.end === start) before.end = end;
      else runs.push({ index: day - first, start, end });
    }
    at = change;
  }
  return runs;
}

/** The same periods, with adjacent ones merged. */
export function joinedRuns(runs: readonly DayRun[]): { start: number; end: number }[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of runs) {
    const before = joined.at(-1);
    if (before?.end === start) before.end = end;
    else joined.push({ start, end });
  }
  return joined;
}

/** Whether the text is `YYYY-MM-DD` of an existing day. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}
