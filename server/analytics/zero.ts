import type {
  AnswersAnswer,
  BreakdownAnswer,
  ComparisonAnswer,
  FunnelAnswer,
  OverviewAnswer,
  PathsAnswer,
  ProductsAnswer,
  TrafficAnswer,
} from "../../contract/analytics-answers.ts";
import type { SplitName } from "../../contract/analytics-filters.ts";
import type { FiguresOf, MoneyByBucket } from "../../contract/analytics-shapes.ts";
import type { TrafficDimension } from "../../contract/analytics-values.ts";
import { formatId } from "../platform/ids.ts";
import { zeroMoney } from "../platform/money.ts";
import type { SummaryFigures } from "./all-questions.ts";
import type { ComparisonPage } from "./questions/comparison.ts";
import type { QuizSelection } from "./questions/definition.ts";
import type { Cohort } from "./questions/paths.ts";
import type { ProductsPage } from "./questions/products.ts";
import type { Selection } from "./selection.ts";

/** Every answer without data, for stores whose columnar copy is still being loaded [analytics.pending]. */

const quizIdOf = ({ quizId }: QuizSelection): string => formatId("quiz", quizId);
const quizIdOrNull = ({ quizId }: Selection): string | null => (quizId === null ? null : formatId("quiz", quizId));

const noRevenue = ({ store }: Selection): MoneyByBucket => ({
  added_from_quiz: zeroMoney(store.currency),
  shown_bought_later: zeroMoney(store.currency),
  bought_not_shown: zeroMoney(store.currency),
});

const noCounts = {
  views: 0,
  unique_viewers_approx: 0,
  starts: 0,
  completions: 0,
  email_opt_ins: 0,
  phone_opt_ins: 0,
  consent_denied: 0,
  orders: 0,
  orders_inside_window: 0,
  avg_time_to_complete_ms: null,
  median_time_to_complete_ms: null,
};

export const zeroOverview = (selection: Selection): FiguresOf<OverviewAnswer> => {
  const none = zeroMoney(selection.store.currency);
  const money = { revenue: none, refunded: none, net_revenue: none, revenue_by_bucket: noRevenue(selection) };
  return {
    quiz_id: quizIdOrNull(selection),
    data_start: null,
    live_since: null,
    live_since_approximate: false,
    markers: [],
    series: selection.range.days.map((day) => ({ day, ...noCounts, ...money })),
    totals: {
      ...noCounts,
      start_rate: null,
      completion_rate: null,
      avg_quiz_to_checkout_ms: null,
      median_quiz_to_checkout_ms: null,
      avg_came_back_to_buy_ms: null,
      median_came_back_to_buy_ms: null,
      aov: null,
      ...money,
    },
  };
};

/** The lists are empty: the quiz's questions come from the database, but are sent only together with figures. */
export const zeroAnswers = (selection: QuizSelection): FiguresOf<AnswersAnswer> => ({
  quiz_id: quizIdOf(selection),
  currency: selection.store.currency,
  questions: [],
  question: null,
  answered: 0,
  options: [],
  buckets: [],
  summary: null,
});

export const zeroFunnel = (selection: QuizSelection): FiguresOf<FunnelAnswer> => ({
  quiz_id: quizIdOf(selection),
  views: 0,
  not_started: 0,
  starts: 0,
  completions: 0,
  in_progress: 0,
  pages: [],
});

export const zeroBreakdown = (selection: Selection, by: SplitName): FiguresOf<BreakdownAnswer> => ({
  quiz_id: quizIdOrNull(selection),
  by,
  rows: [],
});

export const zeroPaths = (selection: QuizSelection, cohort: Cohort): FiguresOf<PathsAnswer> => ({
  quiz_id: quizIdOf(selection),
  cohort,
  sessions: 0,
  data_start: null,
  nodes: [],
  edges: [],
  other_paths: { moves: 0, routes: 0 },
  rules: [],
  visibility_skips: [],
});

export const zeroProducts = (selection: Selection, { bucket, sort }: ProductsPage): FiguresOf<ProductsAnswer> => ({
  quiz_id: quizIdOrNull(selection),
  bucket,
  sort,
  total_products: 0,
  orders_matched_by_email: 0,
  line_revenue: zeroMoney(selection.store.currency),
  refunded: zeroMoney(selection.store.currency),
  net_revenue: zeroMoney(selection.store.currency),
  totals_by_bucket: noRevenue(selection),
  rows: [],
});

export const zeroTraffic = (selection: QuizSelection, by: TrafficDimension): FiguresOf<TrafficAnswer> => ({
  quiz_id: quizIdOf(selection),
  by,
  rows: [],
  other: {
    value: "other",
    views: 0,
    unique_viewers: 0,
    starts: 0,
    completions: 0,
    email_opt_ins: 0,
    phone_opt_ins: 0,
  },
});

export const zeroSummary = ({ range, store }: Selection): SummaryFigures => {
  const none = { current: 0, previous: 0, delta_pct: null, sparkline: range.days.map(() => 0) };
  const money = zeroMoney(store.currency);
  const noMoney = { current: money, previous: money, delta_pct: null, sparkline: range.days.map(() => money) };
  return {
    views: none,
    starts: none,
    completions: none,
    opt_ins: none,
    orders: none,
    revenue: noMoney,
    refunded: noMoney,
    net_revenue: noMoney,
  };
};

export const zeroComparison = ({ limit, offset, sort, dir }: ComparisonPage): FiguresOf<ComparisonAnswer> => ({
  data: [],
  total: 0,
  has_more: false,
  limit,
  offset,
  sort,
  dir,
});
