import { type Static, Type } from "typebox";
import { splitNames } from "./analytics-filters.ts";
import { answer, dayRange, marker, milliseconds, moneyByBucket, share } from "./analytics-shapes.ts";
import {
  buckets,
  cohorts,
  comparisonSorts,
  directions,
  periods,
  productSorts,
  trafficDimensions,
} from "./analytics-values.ts";
import { count, date, dateTime, described, id, money, nullable, oneOf } from "./common.ts";

/**
 * The answers of the analytics routes; their meaning is in docs/rules/figures.md, funnel.md, paths.md, answers.md,
 * products.md.
 */

const starts = count("Sessions that answered their first question");
const completions = count("Sessions that finished");
const emailOptIns = count("Sessions that left an email that its checkbox does not deny");
const phoneOptIns = count("Sessions that left a phone that its checkbox does not deny");

const dailyCounts = {
  views: count("Sessions that opened the quiz"),
  unique_viewers_approx: count("Distinct visitors among them; of the whole range in totals, never a sum of days"),
  starts,
  completions,
  email_opt_ins: emailOptIns,
  phone_opt_ins: phoneOptIns,
  consent_denied: count("Sessions that left a contact with the box unticked"),
  orders: count("Linked orders, up to 90 days after the session's start"),
  orders_inside_window: count("Those within the store's order window"),
};

/** Beside revenue [figures.refunds]. */
const refunds = {
  refunded: nullable(described("What was paid back of those orders so far, on the order's own day", money)),
  net_revenue: nullable(described("revenue - refunded", money)),
};

const completionTimes = {
  avg_time_to_complete_ms: milliseconds("Mean from first answer to finish"),
  median_time_to_complete_ms: milliseconds("Median of the same"),
};

const seriesPoint = Type.Object(
  {
    day: date(),
    ...dailyCounts,
    ...completionTimes,
    revenue: nullable(described("Totals of the orders inside the window", money)),
    ...refunds,
    revenue_by_bucket: nullable(moneyByBucket),
  },
  { title: "SeriesPoint" },
);
export type SeriesPoint = Static<typeof seriesPoint>;

const overviewTotals = Type.Object(
  {
    ...dailyCounts,
    start_rate: share("starts / views"),
    completion_rate: share("completions / starts"),
    ...completionTimes,
    avg_quiz_to_checkout_ms: milliseconds("Mean from finish to order, of orders within a day of the session's end"),
    median_quiz_to_checkout_ms: milliseconds("Median of the same"),
    avg_came_back_to_buy_ms: milliseconds("Mean from finish to order, of later orders"),
    median_came_back_to_buy_ms: milliseconds("Median of the same"),
    aov: nullable(
      described("revenue / those orders inside the window that are in the store's currency; null without any", money),
    ),
    revenue: nullable(described("Totals of the orders inside the window", money)),
    ...refunds,
    revenue_by_bucket: moneyByBucket,
  },
  { title: "OverviewTotals" },
);
export type OverviewTotals = Static<typeof overviewTotals>;

const quizOrStore = nullable(id("quiz", "null: the whole store"));

export const overviewAnswer = answer("AnalyticsOverview", {
  quiz_id: quizOrStore,
  data_start: nullable(date("Day of the first session")),
  live_since: nullable(dateTime("The first publish")),
  live_since_approximate: Type.Boolean({ description: "Told from imported sessions that are older" }),
  markers: Type.Array(marker, { description: "Publishes inside the range; empty for the whole store" }),
  series: Type.Array(seriesPoint, { description: "Every day of the range, those without data too" }),
  totals: overviewTotals,
});
export type OverviewAnswer = Static<typeof overviewAnswer>;

const question = Type.Object(
  {
    component_key: Type.String(),
    page_key: Type.String(),
    question: Type.String(),
    page_title: nullable(Type.String()),
    kind: oneOf(["choice", "number"], "Image questions are `choice`"),
  },
  { title: "AnalyticsQuestion" },
);
export type AnalyticsQuestion = Static<typeof question>;

/** What became of the sessions with an answer, whenever that happened [answers.outcomes]. */
const outcomes = {
  completed: completions,
  buyers: count("Sessions with an order inside the window"),
  answer_orders: count("Their orders inside the window"),
  opted_in: count("Sessions that left an email or phone that its checkbox does not deny"),
  completion_rate: share("completed / sessions of this row"),
  buyer_rate: share("buyers / sessions of this row"),
  opt_in_rate: share("opted_in / sessions of this row"),
  answer_revenue: nullable(described("Of those orders", money)),
};

const optionRow = Type.Object(
  {
    option_id: Type.String(),
    label: Type.String(),
    kind: oneOf(["choice", "image"]),
    image_url: nullable(Type.String()),
    removed: Type.Boolean({ description: "Not in the quiz's present version" }),
    chose: count("Sessions whose last answer holds it"),
    chose_share: share("chose / answered"),
    ...outcomes,
  },
  { title: "OptionRow" },
);
export type OptionRow = Static<typeof optionRow>;

const bucketRow = Type.Object(
  {
    label: Type.String(),
    low: Type.Number({ description: "Included" }),
    high: Type.Number({ description: "Not included" }),
    answered: count("Sessions whose last answer falls in it"),
    answered_share: share("answered / all that answered"),
    ...outcomes,
  },
  { title: "BucketRow" },
);
export type BucketRow = Static<typeof bucketRow>;

const numericSummary = Type.Object(
  { count: count(), min: Type.Number(), max: Type.Number(), mean: Type.Number(), median: Type.Number() },
  { title: "NumericSummary" },
);

export const answersAnswer = answer("AnalyticsAnswers", {
  quiz_id: id("quiz"),
  currency: nullable(Type.String({ description: "ISO 4217 code of the money below" })),
  questions: Type.Array(question, { description: "Those that can be asked about, in the quiz's order" }),
  question: nullable(question),
  answered: count("Sessions that answered the question in the range"),
  options: Type.Array(optionRow, { description: "Present options in their order, then removed ones that have counts" }),
  buckets: Type.Array(bucketRow, { description: "Of a number question, at most ten" }),
  summary: nullable(described("Of a number question with answers", numericSummary)),
});
export type AnswersAnswer = Static<typeof answersAnswer>;

const funnelPage = Type.Object(
  {
    page_key: Type.String(),
    title: Type.String(),
    removed: Type.Boolean({ description: "Not in the quiz's present version" }),
    sessions_reached: count("Opened it at least once"),
    sessions_reached_by_jump: count("First arrived by a jump rule"),
    sessions_continued: count("Reached, less dropped, less those still on it"),
    sessions_dropped: count("Ended here without completing"),
    sessions_skipped: count("Left it with the skip button"),
    sessions_went_back: count("Left it with the back button"),
    avg_time_on_page_ms: milliseconds("Mean of the sessions' time on it"),
    dropped_share_of_starts: share("sessions_dropped / starts"),
  },
  { title: "FunnelPage" },
);
export type FunnelPage = Static<typeof funnelPage>;

export const funnelAnswer = answer("AnalyticsFunnel", {
  quiz_id: id("quiz"),
  views: count("Sessions that opened the quiz inside the range, and the cohort"),
  not_started: count("views less starts"),
  starts: count("The cohort: sessions that answered their first question inside the range"),
  completions: count("Of the cohort, whenever they finished"),
  in_progress: count("Of the cohort, neither completed nor ended"),
  pages: Type.Array(funnelPage),
});
export type FunnelAnswer = Static<typeof funnelAnswer>;

const splitCounts = { starts, completions, email_opt_ins: emailOptIns, phone_opt_ins: phoneOptIns };

const breakdownRow = Type.Object(
  {
    value: Type.String(),
    name: Type.Optional(
      Type.String({ description: "Of an outcome: the name of its dimension, else the title of its page; `No result`" }),
    ),
    views: count(),
    unique_viewers_approx: count("Distinct visitors"),
    ...splitCounts,
  },
  { title: "BreakdownRow" },
);

export const breakdownAnswer = answer("AnalyticsBreakdown", {
  quiz_id: quizOrStore,
  by: oneOf(splitNames),
  rows: Type.Array(breakdownRow, {
    description:
      "Most views first, then by value; no country or region is `unknown`. An outcome is the id of its dimension, else `page:` and the key of its result page, else `none`",
  }),
});
export type BreakdownAnswer = Static<typeof breakdownAnswer>;

const pageNode = Type.Object(
  {
    page_key: Type.String(),
    title: Type.String(),
    removed: Type.Boolean({ description: "Not in the quiz's present version" }),
    entries: count("Arrivals = exits + finished_here + still_here + moves out"),
    entries_by_jump: count(),
    exits_closed: count("Closed the quiz here"),
    exits_restarted: count("Began anew from here, in a session of its own"),
    exits_timed_out: count("Idle for 30 minutes here"),
    finished_here: count(),
    still_here: count(),
    median_time_on_page_ms: Type.Optional(milliseconds("Median of the sessions' time on it")),
  },
  { title: "PageNode" },
);
export type PageNode = Static<typeof pageNode>;

const pageEdge = Type.Object(
  {
    from_page_key: Type.String(),
    to_page_key: Type.String(),
    cause: oneOf(["next", "jump", "skip", "back", "restart"]),
    moves: count(),
    sessions_moved: count("Sessions that moved so at least once"),
    jump_rule_key: Type.Optional(Type.String({ description: "Of a jump" })),
  },
  { title: "PageEdge" },
);
export type PageEdge = Static<typeof pageEdge>;

const pathRule = Type.Object(
  {
    jump_rule_key: Type.String(),
    source_page_key: Type.String(),
    fired: count("Moves that it caused"),
    source_entries: count("Arrivals at its source page"),
  },
  { title: "PathRule" },
);
export type PathRule = Static<typeof pathRule>;

const visibilitySkip = Type.Object(
  { page_key: Type.String(), title: Type.String(), removed: Type.Boolean(), times_hidden: count() },
  { title: "VisibilitySkip" },
);

export const pathsAnswer = answer("AnalyticsPaths", {
  quiz_id: id("quiz"),
  cohort: oneOf(cohorts),
  sessions: count("Of the cohort"),
  data_start: nullable(date("Day of the quiz's first session")),
  nodes: Type.Array(pageNode),
  edges: Type.Array(pageEdge, { description: "The 60 with the most moves" }),
  other_paths: Type.Object({ moves: count(), routes: count("Edges that are not listed") }),
  rules: Type.Array(pathRule),
  visibility_skips: Type.Array(visibilitySkip, { description: "Pages that moves passed over because hidden" }),
});
export type PathsAnswer = Static<typeof pathsAnswer>;

const productRow = Type.Object(
  {
    product_id: Type.String({ description: "The commerce platform's global id" }),
    title: Type.String(),
    quiz_name: Type.String({ description: "The quiz that showed it most" }),
    had_variants: Type.Boolean(),
    in_store: Type.Boolean({ description: "In the catalog, not deleted, and not draft, archived or unpublished" }),
    times_shown: count("Sessions that were shown it"),
    units: count(),
    orders_approx: count("Distinct orders"),
    line_revenue: money,
    refunded: described("What was paid back for its lines so far, on the order's own day", money),
    net_revenue: described("line_revenue - refunded", money),
    revenue_by_bucket: moneyByBucket,
    shown_on: Type.Object(
      {
        block_key: nullable(Type.String()),
        page_key: nullable(Type.String()),
        page_title: nullable(Type.String()),
      },
      { description: "Where it was shown most; nulls when it never was" },
    ),
  },
  { title: "ProductRow" },
);
export type ProductRow = Static<typeof productRow>;

export const productsAnswer = answer("AnalyticsProducts", {
  quiz_id: quizOrStore,
  bucket: nullable(oneOf(buckets, "The bucket that the figures cover; null: all")),
  sort: oneOf(productSorts),
  total_products: count("Before the limit"),
  orders_matched_by_email: count("Orders linked by nothing but an email"),
  line_revenue: nullable(money),
  refunded: nullable(described("What was paid back for these lines so far, on the order's own day", money)),
  net_revenue: nullable(described("line_revenue - refunded", money)),
  totals_by_bucket: moneyByBucket,
  rows: Type.Array(productRow),
});
export type ProductsAnswer = Static<typeof productsAnswer>;

const trafficRow = Type.Object(
  { value: Type.String(), views: count(), unique_viewers: count("Distinct visitors"), ...splitCounts },
  { title: "TrafficRow" },
);

export const trafficAnswer = answer("AnalyticsTraffic", {
  quiz_id: id("quiz"),
  by: oneOf(trafficDimensions),
  rows: Type.Array(trafficRow, {
    description: "Most views first, then by value; no referrer is `direct`, nothing else `none`",
  }),
  other: described("All sources past the limit together; its value is `other`", trafficRow),
});
export type TrafficAnswer = Static<typeof trafficAnswer>;

const delta = share("100 x (current - previous) / previous");
const comparedCount = (description: string) =>
  Type.Object(
    { current: count(), previous: count(), delta_pct: delta, sparkline: Type.Array(count()) },
    { title: "ComparedCount", description },
  );

const comparedMoney = (description: string) =>
  Type.Object(
    { current: nullable(money), previous: nullable(money), delta_pct: delta, sparkline: Type.Array(money) },
    { title: "ComparedMoney", description },
  );

export const summaryAnswer = answer("AnalyticsSummary", {
  period: oneOf(periods),
  previous_range: dayRange,
  views: comparedCount("Sessions that opened a quiz"),
  starts: comparedCount("Sessions that answered their first question"),
  completions: comparedCount("Sessions that finished"),
  opt_ins: comparedCount("Sessions that left an email or phone that its checkbox does not deny"),
  orders: comparedCount("Linked orders"),
  revenue: comparedMoney("Of the orders inside the window"),
  refunded: comparedMoney("What was paid back of those orders so far, on the order's own day"),
  net_revenue: comparedMoney("revenue - refunded"),
});
export type SummaryAnswer = Static<typeof summaryAnswer>;

const comparisonRow = Type.Object(
  {
    quiz_id: id("quiz"),
    name: Type.String(),
    status: oneOf(["draft", "published"]),
    views: count(),
    starts,
    completions,
    email_opt_ins: emailOptIns,
    phone_opt_ins: phoneOptIns,
    orders: count("Linked orders"),
    completion_rate: share("completions / starts"),
    attributed_share: share("The quiz's revenue / the store's whole revenue in the range"),
    ...completionTimes,
    revenue: nullable(described("Totals of the orders inside the window", money)),
    ...refunds,
  },
  { title: "ComparisonRow" },
);
export type ComparisonRow = Static<typeof comparisonRow>;

export const comparisonAnswer = answer("AnalyticsComparison", {
  data: Type.Array(comparisonRow),
  total: count("Quizzes that match"),
  has_more: Type.Boolean(),
  limit: Type.Integer(),
  offset: Type.Integer(),
  sort: oneOf(comparisonSorts),
  dir: oneOf(directions),
});
export type ComparisonAnswer = Static<typeof comparisonAnswer>;
