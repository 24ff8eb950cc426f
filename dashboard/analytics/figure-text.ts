import { formatCompact, formatDay, formatMoney, nothing, numbers, times } from "../ui/format.ts";
import { browserLocale } from "../ui/use-format.ts";
import { type Cell, type CellKind, isMoney } from "./figure-table.ts";

/**
 * Formats figures in the browser's language [dashboard.formats]. Nothing is abbreviated: the text shows exactly what
 * was counted.
 */

export function cellText(cell: Cell, kind: CellKind, locale = browserLocale()): string {
  if (cell === null || cell === "") return nothing;
  if (isMoney(cell)) return formatMoney(cell, locale);
  if (typeof cell === "boolean") return cell ? "Yes" : "No";
  if (typeof cell === "string") return kind === "day" ? dayText(cell, locale) : cell;
  if (kind === "share")
    return numbers(locale, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(cell);
  if (kind === "percent") return changeText(cell, locale);
  if (kind === "duration") return durationText(cell, locale);
  return numbers(locale, { maximumFractionDigits: kind === "count" ? 0 : 3 }).format(cell);
}

/** For axis ticks, which are numbers. */
export const aboutMoney = (value: number, currency: string, locale = browserLocale()): string =>
  numbers(locale, { style: "currency", currency, maximumFractionDigits: 2, notation: "compact" }).format(value);

export const aboutCount = (value: number, locale = browserLocale()): string => formatCompact(value, locale);

export function changeText(percent: number, locale = browserLocale()): string {
  const digits = Math.abs(percent) < 100 ? 1 : 0;
  return numbers(locale, {
    style: "percent",
    signDisplay: "exceptZero",
    maximumFractionDigits: digits,
  }).format(percent / 100);
}

export const dayText = (day: string, locale = browserLocale()): string => formatDay(day, locale);

export const shortDay = (day: string, locale = browserLocale()): string =>
  times(locale, { month: "short", day: "numeric", timeZone: "UTC" }).format(new Date(`${day}T12:00:00Z`));

/** The two largest units, never rounded up into the next. */
export function durationText(milliseconds: number, locale = browserLocale()): string {
  const unit = (value: number, name: string, digits = 0) =>
    numbers(locale, { style: "unit", unit: name, unitDisplay: "narrow", maximumFractionDigits: digits }).format(value);
  if (milliseconds < 60_000) return unit(Math.floor(milliseconds / 100) / 10, "second", 1);
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 60) return `${unit(minutes, "minute")} ${unit(Math.floor((milliseconds % 60_000) / 1000), "second")}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${unit(hours, "hour")} ${unit(minutes % 60, "minute")}`;
  return `${unit(Math.floor(hours / 24), "day")} ${unit(hours % 24, "hour")}`;
}

/** The change of a share, in percentage points. */
export const pointsText = (points: number, locale = browserLocale()): string =>
  `${numbers(locale, { signDisplay: "exceptZero", maximumFractionDigits: 1 }).format(points)} pts`;
