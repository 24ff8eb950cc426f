/** Formats numbers, money and times in the browser's language and the store's zone [dashboard.formats]. Pure. */

export interface MoneyText {
  amount: string;
  currency: string;
}

/** The first language that Intl supports: browsers on servers report names such as en-US@posix, which it refuses. */
export function usableLocale(languages: readonly string[]): string {
  for (const language of languages) {
    try {
      const [found] = Intl.getCanonicalLocales(language);
      if (found !== undefined) return found;
    } catch {
      // try the next one
    }
  }
  return "en-US";
}

/** Shown for an unknown value. */
export const nothing = "–";

const cached = <Options, Made>(make: (locale: string, options: Options) => Made) => {
  const made = new Map<string, Made>();
  return (locale: string, options: Options): Made => {
    const key = `${locale} ${JSON.stringify(options)}`;
    const known = made.get(key) ?? make(locale, options);
    made.set(key, known);
    return known;
  };
};
export const numbers = cached((locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));
export const times = cached((locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options));
const relatives = cached(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
);

export const formatNumber = (value: number, locale: string): string => numbers(locale, {}).format(value);

/** 1.2K, where space is short. */
export const formatCompact = (value: number, locale: string): string =>
  numbers(locale, { notation: "compact", maximumFractionDigits: 1 }).format(value);

/** Formats a rate between 0 and 1; null: a rate of nothing. */
export const formatPercent = (rate: number | null, locale: string): string =>
  rate === null ? nothing : numbers(locale, { style: "percent", maximumFractionDigits: 1 }).format(rate);

/** Exact: amounts are decimal texts, which a float could not hold. */
export function formatMoney(money: MoneyText | null, locale: string): string {
  if (money === null) return nothing;
  const { amount, currency } = money;
  if (!/^-?\d+(\.\d+)?$/.test(amount)) return `${amount} ${currency}`;
  const digits = amount.split(".")[1]?.length ?? 0;
  try {
    const written = {
      style: "currency",
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    } as const;
    // Intl formats a decimal text without loss, which its type does not declare yet
    return numbers(locale, written).format(amount as Intl.StringNumericLiteral);
  } catch {
    return `${amount} ${currency}`;
  }
}

/** 3 min 20 s; the two largest units. */
export function formatDuration(seconds: number | null, locale: string): string {
  if (seconds === null) return nothing;
  const whole = Math.round(seconds);
  const parts: [number, string][] = [
    [Math.floor(whole / 86_400), "day"],
    [Math.floor(whole / 3_600) % 24, "hour"],
    [Math.floor(whole / 60) % 60, "minute"],
    [whole % 60, "second"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first < 0) return unit(0, "second", locale);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, name]) => unit(count, name, locale))
    .join(" ");
}

const unit = (count: number, name: string, locale: string): string =>
  numbers(locale, { style: "unit", unit: name, unitDisplay: "short" }).format(count);

/** A moment as a day and time in the zone. */
export const formatDateTime = (moment: string | null, zone: string, locale: string): string =>
  moment === null
    ? nothing
    : times(locale, { dateStyle: "medium", timeStyle: "short", timeZone: zone }).format(new Date(moment));

/** A moment as a day in the zone. */
export const formatDate = (moment: string | null, zone: string, locale: string): string =>
  moment === null ? nothing : times(locale, { dateStyle: "medium", timeZone: zone }).format(new Date(moment));

/** A calendar day such as 2026-03-10, which has no zone. */
export const formatDay = (day: string, locale: string): string => formatDate(`${day}T12:00:00Z`, "UTC", locale);

/** Two calendar days: 1 - 7 Mar 2026. */
export function formatRange(from: string, to: string, locale: string): string {
  const format = times(locale, { dateStyle: "medium", timeZone: "UTC" });
  return format.formatRange(new Date(`${from}T12:00:00Z`), new Date(`${to}T12:00:00Z`));
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** 3 hours ago; in 2 days. */
export function formatRelative(moment: string, now: number, locale: string): string {
  const seconds = (Date.parse(moment) - now) / 1_000;
  const format = relatives(locale, { numeric: "auto" });
  const [name, length] = units.find(([, unitSeconds]) => Math.abs(seconds) >= unitSeconds) ?? (["second", 1] as const);
  return format.format(Math.trunc(seconds / length), name);
}

/** Bytes as people count them: 1.2 MB. */
export function formatBytes(bytes: number | null, locale: string): string {
  if (bytes === null) return nothing;
  const names = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const step = Math.min(bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3), names.length - 1);
  const value = bytes / 1_000 ** step;
  return numbers(locale, {
    style: "unit",
    unit: names[step] ?? "byte",
    unitDisplay: "short",
    maximumFractionDigits: 1,
  }).format(value);
}
