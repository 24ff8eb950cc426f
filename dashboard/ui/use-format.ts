import { useStoreOrNull } from "../app/session.ts";
import * as format from "./format.ts";

/** Formats values in the browser's language and the store's zone. */
export interface Format {
  locale: string;
  zone: string;
  number(value: number): string;
  compact(value: number): string;
  percent(rate: number | null): string;
  money(money: format.MoneyText | null): string;
  duration(seconds: number | null): string;
  dateTime(moment: string | null): string;
  date(moment: string | null): string;
  day(day: string): string;
  range(from: string, to: string): string;
  relative(moment: string): string;
  bytes(bytes: number | null): string;
}

const formatFor = (zone: string, locale: string): Format => ({
  locale,
  zone,
  number: (value) => format.formatNumber(value, locale),
  compact: (value) => format.formatCompact(value, locale),
  percent: (rate) => format.formatPercent(rate, locale),
  money: (money) => format.formatMoney(money, locale),
  duration: (seconds) => format.formatDuration(seconds, locale),
  dateTime: (moment) => format.formatDateTime(moment, zone, locale),
  date: (moment) => format.formatDate(moment, zone, locale),
  day: (day) => format.formatDay(day, locale),
  range: (from, to) => format.formatRange(from, to, locale),
  relative: (moment) => format.formatRelative(moment, Date.now(), locale),
  bytes: (bytes) => format.formatBytes(bytes, locale),
});

/** The browser's language, for formats that need no zone. */
export const browserLocale = (): string => format.usableLocale([navigator.language, ...navigator.languages]);

const made = new Map<string, Format>();

export function useFormat(): Format {
  const zone = useStoreOrNull()?.timezone ?? "UTC";
  const locale = browserLocale();
  const key = `${zone} ${locale}`;
  const known = made.get(key) ?? formatFor(zone, locale);
  made.set(key, known);
  return known;
}
