/**
 * Date arithmetic on days as the API writes them, `YYYY-MM-DD`. There is no clock and no time zone: a day is a date.
 */

const dayMs = 86_400_000;

const timeOf = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

export function isDay(text: unknown): text is string {
  if (typeof text !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = timeOf(text);
  return !Number.isNaN(time) && dayOf(time) === text;
}

export const plusDays = (day: string, days: number): string => dayOf(timeOf(day) + days * dayMs);

/** Includes both ends. */
export const daysIn = (from: string, to: string): number => Math.round((timeOf(to) - timeOf(from)) / dayMs) + 1;

export interface Days {
  from: string;
  to: string;
}

/** The range of the same length that ends just before this one begins. */
export function rangeBefore({ from, to }: Days): Days {
  return { from: plusDays(from, -daysIn(from, to)), to: plusDays(from, -1) };
}

const firstOfMonth = (day: string): string => `${day.slice(0, 8)}01`;

export const presets = [
  { name: "today", label: "Today" },
  { name: "yesterday", label: "Yesterday" },
  { name: "7d", label: "Last 7 days" },
  { name: "30d", label: "Last 30 days" },
  { name: "90d", label: "Last 90 days" },
  { name: "month", label: "This month" },
  { name: "last-month", label: "Last month" },
  { name: "year", label: "This year" },
  { name: "365d", label: "Last 365 days" },
] as const;
export type PresetName = (typeof presets)[number]["name"];

/** The days that a preset stands for; `today` is included [dashboard-figures.days]. */
export function presetRange(name: PresetName, today: string): Days {
  const lastDays = (days: number) => ({ from: plusDays(today, 1 - days), to: today });
  const lastMonthEnds = plusDays(firstOfMonth(today), -1);
  const ranges: Record<PresetName, Days> = {
    today: { from: today, to: today },
    yesterday: { from: plusDays(today, -1), to: plusDays(today, -1) },
    "7d": lastDays(7),
    "30d": lastDays(30),
    "90d": lastDays(90),
    month: { from: firstOfMonth(today), to: today },
    "last-month": { from: firstOfMonth(lastMonthEnds), to: lastMonthEnds },
    year: { from: `${today.slice(0, 4)}-01-01`, to: today },
    "365d": lastDays(365),
  };
  return ranges[name];
}

/** The first preset that stands for these days. */
export function presetOf({ from, to }: Days, today: string): PresetName | null {
  const found = presets.find(({ name }) => {
    const range = presetRange(name, today);
    return range.from === from && range.to === to;
  });
  return found?.name ?? null;
}

/** The most days that the API answers for at once. */
export const rangeDaysAtMost = 366;

/** Clamps a range to one that the API accepts: no day after today, ends in order, and within the length limit. */
export function clampRange(range: Days, today: string): Days {
  const [first, last] = range.from <= range.to ? [range.from, range.to] : [range.to, range.from];
  const to = last > today ? today : last;
  const from = first > to ? to : first;
  const earliest = plusDays(to, 1 - rangeDaysAtMost);
  return { from: from < earliest ? earliest : from, to };
}
