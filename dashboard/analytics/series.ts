import type { AnalyticsOverview, OverviewTotals, SeriesPoint } from "../../client/src/index.ts";
import type { Bucket } from "../../contract/analytics-values.ts";
import { plusDays } from "./days.ts";
import type { Cell, CellKind } from "./figure-table.ts";
import { numberIn } from "./figure-table.ts";

/** The daily figures that the overview's chart can draw. */

type PlainName = Exclude<keyof SeriesPoint, "day" | "revenue_by_bucket">;
export type SeriesName = PlainName | `revenue_${Bucket}`;

export interface Series {
  name: SeriesName;
  label: string;
  kind: "count" | "money" | "duration";
  /** a theme colour with enough contrast on both light and dark backgrounds */
  color: string;
  of: (point: SeriesPoint | OverviewTotals) => Cell;
}

const plain = (name: PlainName, label: string, kind: Series["kind"], color: string): Series => ({
  name,
  label,
  kind,
  color,
  of: (point) => point[name],
});

const bucket = (name: Bucket, label: string, color: string): Series => ({
  name: `revenue_${name}`,
  label,
  kind: "money",
  color,
  of: (point) => point.revenue_by_bucket?.[name] ?? null,
});

export const bucketLabels: Readonly<Record<Bucket, string>> = {
  added_from_quiz: "Added from the quiz",
  shown_bought_later: "Shown, bought later",
  bought_not_shown: "Bought, not shown",
};

export const allSeries: readonly Series[] = [
  plain("views", "Views", "count", "blue.6"),
  plain("unique_viewers_approx", "Unique viewers", "count", "cyan.7"),
  plain("starts", "Starts", "count", "teal.7"),
  plain("completions", "Completions", "count", "green.8"),
  plain("email_opt_ins", "Email opt-ins", "count", "grape.6"),
  plain("phone_opt_ins", "Phone opt-ins", "count", "violet.6"),
  plain("consent_denied", "Consent denied", "count", "gray.6"),
  plain("orders", "Orders", "count", "orange.7"),
  plain("orders_inside_window", "Orders inside the window", "count", "red.7"),
  plain("revenue", "Revenue", "money", "indigo.6"),
  plain("refunded", "Refunded", "money", "red.7"),
  plain("net_revenue", "Revenue less refunds", "money", "violet.6"),
  bucket("added_from_quiz", `Revenue: ${bucketLabels.added_from_quiz.toLowerCase()}`, "blue.6"),
  bucket("shown_bought_later", `Revenue: ${bucketLabels.shown_bought_later.toLowerCase()}`, "teal.7"),
  bucket("bought_not_shown", `Revenue: ${bucketLabels.bought_not_shown.toLowerCase()}`, "gray.6"),
  plain("avg_time_to_complete_ms", "Mean time to complete", "duration", "pink.7"),
  plain("median_time_to_complete_ms", "Median time to complete", "duration", "lime.8"),
];

export const standardSeries: readonly SeriesName[] = ["views", "starts", "completions"];

export const seriesNamed = (names: readonly SeriesName[]): Series[] =>
  allSeries.filter(({ name }) => names.includes(name));

/** One chart per unit, because counts, money and times share no scale. */
export interface Panel {
  kind: CellKind;
  series: Series[];
}

export function panelsOf(names: readonly SeriesName[]): Panel[] {
  const chosen = seriesNamed(names);
  return (["count", "money", "duration"] as const)
    .map((kind) => ({ kind, series: chosen.filter((series) => series.kind === kind) }))
    .filter(({ series }) => series.length > 0);
}

/**
 * The data of one day in a chart: each series' figure under its name, the previous period's figure under `name_before`.
 */
export type ChartPoint = { day: string; day_before?: string } & Record<string, string | number | null | undefined>;

/** Whether the last day is today, which is incomplete. */
export function endsToday({ series, freshness }: Pick<AnalyticsOverview, "series" | "freshness">): boolean {
  const last = series.at(-1)?.day;
  return freshness.today_live && series.length > 1 && last === plusDays(freshness.closed_days_through, 1);
}

/**
 * Pairs each day with the day at the same position in the previous period. An incomplete day is separate: its figures,
 * and those of the day before, are under `name_today`, so that a line of its own connects the two.
 */
export function chartPoints(
  series: readonly Series[],
  now: Pick<AnalyticsOverview, "series" | "freshness">,
  before?: Pick<AnalyticsOverview, "series">,
): ChartPoint[] {
  const today = endsToday(now) ? now.series.length - 1 : null;
  return now.series.map((point, index) => {
    const earlier = before?.series[index];
    const figures: ChartPoint = { day: point.day };
    if (earlier) figures.day_before = earlier.day;
    for (const { name, of } of series) {
      figures[name] = index === today ? null : numberIn(of(point));
      if (today !== null && index >= today - 1) figures[`${name}_today`] = numberIn(of(point));
      if (before) figures[`${name}_before`] = earlier ? numberIn(of(earlier)) : null;
    }
    return figures;
  });
}

/** 100 x (now - before) / before, as the API calculates it; null if there is nothing to compare with. */
export function changeOf(now: Cell, before: Cell): number | null {
  const [current, previous] = [numberIn(now), numberIn(before)];
  if (current === null || previous === null || previous === 0) return null;
  return (100 * (current - previous)) / previous;
}
