import type {
  AnalyticsAnswers,
  AnalyticsBreakdown,
  AnalyticsComparison,
  AnalyticsFunnel,
  AnalyticsOverview,
  AnalyticsSummary,
  AnalyticsTraffic,
  BucketRow,
  ComparisonRow,
  FunnelPage,
  OptionRow,
  OverviewTotals,
  SeriesPoint,
} from "../../client/src/index.ts";
import { byFilter, filters } from "../../contract/analytics-filters.ts";
import { type Cell, type CellKind, type ColumnOf, type FigureTable, field, tableOf } from "./figure-table.ts";
import { allSeries } from "./series.ts";

/** Turns each question's answer into a table with every figure of the answer [dashboard-figures.agree]. */

const series: ColumnOf<SeriesPoint>[] = [
  field("day", "Day", "day"),
  ...allSeries.map(({ name, label, kind, of }) => ({ key: name, label, kind, of })),
];

export const seriesTable = (answer: Pick<AnalyticsOverview, "series">): FigureTable =>
  tableOf(series, answer.series, ({ day }) => day);

/** Rows are keyed by position, because the days of another period have other dates. */
export const seriesTableByPlace = (answer: Pick<AnalyticsOverview, "series">): FigureTable =>
  tableOf(series, answer.series, (point) => String(answer.series.indexOf(point)));

export interface TotalOf {
  key: string;
  label: string;
  kind: CellKind;
  of: (totals: OverviewTotals) => Cell;
}

const total = (key: Exclude<keyof OverviewTotals, "revenue_by_bucket">, label: string, kind: CellKind): TotalOf => ({
  key,
  label,
  kind,
  of: (totals) => totals[key],
});

const overviewTotals: readonly TotalOf[] = [
  ...allSeries.map(({ name, label, kind, of }): TotalOf => ({ key: name, label, kind, of })),
  total("start_rate", "Start rate", "share"),
  total("completion_rate", "Completion rate", "share"),
  total("aov", "Average order", "money"),
  total("avg_quiz_to_checkout_ms", "Mean time from quiz to checkout", "duration"),
  total("median_quiz_to_checkout_ms", "Median time from quiz to checkout", "duration"),
  total("avg_came_back_to_buy_ms", "Mean time until they came back to buy", "duration"),
  total("median_came_back_to_buy_ms", "Median time until they came back to buy", "duration"),
];

/** The most important figures; the others are below the chart. */
const first: ReadonlySet<string> = new Set([
  "views",
  "unique_viewers_approx",
  "starts",
  "start_rate",
  "completions",
  "completion_rate",
  "orders",
  "revenue",
  "net_revenue",
  "aov",
  "median_time_to_complete_ms",
]);

export const firstTotals = overviewTotals.filter(({ key }) => first.has(key));
export const otherTotals = overviewTotals.filter(({ key }) => !first.has(key));

/** A single row, because its figures are of different kinds. */
export const totalsTable = (
  answer: Pick<AnalyticsOverview, "totals">,
  totals: readonly TotalOf[] = overviewTotals,
): FigureTable => tableOf<OverviewTotals>(totals, [answer.totals], () => "totals");

const funnelPages: ColumnOf<FunnelPage>[] = [
  field("page_key", "Page key", "text"),
  field("title", "Page", "text"),
  field("removed", "Removed", "flag"),
  field("sessions_reached", "Reached", "count"),
  field("sessions_reached_by_jump", "Reached by a jump", "count"),
  field("sessions_continued", "Continued", "count"),
  field("sessions_dropped", "Lost", "count"),
  field("dropped_share_of_starts", "Lost, of all starts", "share"),
  field("sessions_skipped", "Skipped", "count"),
  field("sessions_went_back", "Went back", "count"),
  field("avg_time_on_page_ms", "Mean time on page", "duration"),
];

export const funnelTable = (answer: Pick<AnalyticsFunnel, "pages">): FigureTable =>
  tableOf(funnelPages, answer.pages, ({ page_key }) => page_key);

const outcomes = <Row extends OptionRow | BucketRow>(): ColumnOf<Row>[] => [
  { key: "completed", label: "Completed", kind: "count", of: (row) => row.completed },
  { key: "completion_rate", label: "Completion rate", kind: "share", of: (row) => row.completion_rate },
  { key: "buyers", label: "Buyers", kind: "count", of: (row) => row.buyers },
  { key: "buyer_rate", label: "Buyer rate", kind: "share", of: (row) => row.buyer_rate },
  { key: "answer_orders", label: "Orders", kind: "count", of: (row) => row.answer_orders },
  { key: "answer_revenue", label: "Revenue", kind: "money", of: (row) => row.answer_revenue },
  { key: "opted_in", label: "Opted in", kind: "count", of: (row) => row.opted_in },
  { key: "opt_in_rate", label: "Opt-in rate", kind: "share", of: (row) => row.opt_in_rate },
];

const options: ColumnOf<OptionRow>[] = [
  field("option_id", "Option id", "text"),
  field("label", "Option", "text"),
  field("removed", "Removed", "flag"),
  field("chose", "Chose it", "count"),
  field("chose_share", "Share", "share"),
  ...outcomes<OptionRow>(),
];

const buckets: ColumnOf<BucketRow>[] = [
  field("label", "Answer", "text"),
  field("low", "From", "number"),
  field("high", "Below", "number"),
  field("answered", "Answered", "count"),
  field("answered_share", "Share", "share"),
  ...outcomes<BucketRow>(),
];

/** The buckets of a number question, the options of any other. */
export const answersTable = (answer: Pick<AnalyticsAnswers, "question" | "options" | "buckets">): FigureTable =>
  answer.question?.kind === "number"
    ? tableOf(buckets, answer.buckets, ({ low, high }) => `${low} ${high}`)
    : tableOf(options, answer.options, ({ option_id }) => option_id);

export const valueLabels: Readonly<Record<string, string>> = {
  ...byFilter((name) => filters[name].label),
  outcome: "Result",
  referrer_host: "Referrer",
  utm_source: "UTM source",
  utm_medium: "UTM medium",
  utm_campaign: "UTM campaign",
  utm_content: "UTM content",
  utm_term: "UTM term",
  page_url: "Page of the shop",
  placement: "Placement",
};

type BreakdownRow = AnalyticsBreakdown["rows"][number];
type TrafficRow = AnalyticsTraffic["rows"][number];

const split = <Row extends BreakdownRow | TrafficRow>(): ColumnOf<Row>[] => [
  { key: "starts", label: "Starts", kind: "count", of: (row) => row.starts },
  { key: "completions", label: "Completions", kind: "count", of: (row) => row.completions },
  { key: "email_opt_ins", label: "Email opt-ins", kind: "count", of: (row) => row.email_opt_ins },
  { key: "phone_opt_ins", label: "Phone opt-ins", kind: "count", of: (row) => row.phone_opt_ins },
];

const nameOf = ({ name }: BreakdownRow): string => name ?? "";

export const breakdownTable = ({ by, rows }: Pick<AnalyticsBreakdown, "by" | "rows">): FigureTable =>
  tableOf<BreakdownRow>(
    [
      field("value", valueLabels[by] ?? by, "text"),
      ...(by === "outcome" ? [{ key: "name", label: "Name", kind: "text", of: nameOf } as const] : []),
      field("views", "Views", "count"),
      field("unique_viewers_approx", "Unique viewers", "count"),
      ...split<BreakdownRow>(),
    ],
    rows,
    ({ value }) => value,
  );

/** Sources that are not listed are summed in a row of their own, so that the column totals are complete. */
export const trafficTable = ({ by, rows, other }: Pick<AnalyticsTraffic, "by" | "rows" | "other">): FigureTable =>
  tableOf<TrafficRow>(
    [
      field("value", valueLabels[by] ?? by, "text"),
      field("views", "Views", "count"),
      field("unique_viewers", "Unique viewers", "count"),
      ...split<TrafficRow>(),
    ],
    [...rows, other],
    // a source may itself be called `other`
    (row) => (row === other ? "\u0000other" : row.value),
  );

const comparison: ColumnOf<ComparisonRow>[] = [
  field("quiz_id", "Quiz id", "text"),
  field("name", "Quiz", "text"),
  field("status", "Status", "text"),
  field("views", "Views", "count"),
  field("starts", "Starts", "count"),
  field("completions", "Completions", "count"),
  field("completion_rate", "Completion rate", "share"),
  field("email_opt_ins", "Email opt-ins", "count"),
  field("phone_opt_ins", "Phone opt-ins", "count"),
  field("orders", "Orders", "count"),
  field("revenue", "Revenue", "money"),
  field("refunded", "Refunded", "money"),
  field("net_revenue", "Revenue less refunds", "money"),
  field("attributed_share", "Share of shop revenue", "share"),
  field("avg_time_to_complete_ms", "Mean time to complete", "duration"),
  field("median_time_to_complete_ms", "Median time to complete", "duration"),
];

export const comparisonTable = (answer: Pick<AnalyticsComparison, "data">): FigureTable =>
  tableOf(comparison, answer.data, ({ quiz_id }) => quiz_id);

const summaryCounts = ["views", "starts", "completions", "opt_ins", "orders"] as const;
const summaryMoney = ["revenue", "refunded", "net_revenue"] as const;
export const summaryNames = [...summaryCounts, ...summaryMoney];
export type SummaryName = (typeof summaryNames)[number];

export const summaryKind = (name: SummaryName): "count" | "money" =>
  summaryMoney.some((money) => money === name) ? "money" : "count";

export const summaryLabels: Readonly<Record<SummaryName, string>> = {
  views: "Views",
  starts: "Starts",
  completions: "Completions",
  opt_ins: "Opt-ins",
  orders: "Orders",
  revenue: "Revenue",
  refunded: "Refunded",
  net_revenue: "Revenue less refunds",
};

/** One table per kind: counts, and money. */
export const summaryTable = (answer: Pick<AnalyticsSummary, SummaryName>): FigureTable =>
  tableOf<SummaryName>(
    [
      { key: "figure", label: "Figure", kind: "text", of: (name) => summaryLabels[name] },
      { key: "current", label: "Now", kind: "count", of: (name) => answer[name].current },
      { key: "previous", label: "Before", kind: "count", of: (name) => answer[name].previous },
      { key: "delta_pct", label: "Change", kind: "percent", of: (name) => answer[name].delta_pct },
    ],
    summaryNames,
    (name) => name,
  );
