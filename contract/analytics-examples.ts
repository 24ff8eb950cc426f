import type {
  AnswersAnswer,
  BreakdownAnswer,
  ComparisonAnswer,
  FunnelAnswer,
  OverviewAnswer,
  PathsAnswer,
  ProductsAnswer,
  SummaryAnswer,
  TrafficAnswer,
} from "./analytics-answers.ts";
import { byFilter } from "./analytics-filters.ts";

/** A quiz of a small shop over two days: consistent examples for all analytics routes. */

const quizId = "quiz_0198f2c4a1b07c3e9d5f6a7b8c9d0e1f";
const usd = (amount: string) => ({ amount, currency: "USD" });

const common = {
  range: { days: 2, start: "2026-09-13", end: "2026-09-14", timezone: "America/New_York" },
  filters: { ...byFilter(() => null), device: "mobile" },
  freshness: {
    as_of: "2026-09-14T18:30:00.000Z",
    closed_days_through: "2026-09-13",
    next_refresh_at: "2026-09-14T18:31:00.000Z",
    pending: false,
    stale: false,
    today_live: true,
  },
};

const byBucket = {
  added_from_quiz: usd("64.00"),
  shown_bought_later: usd("0.00"),
  bought_not_shown: usd("18.50"),
};
const paidBack = { refunded: usd("18.50"), net_revenue: usd("64.00") };
const sold = { revenue: usd("82.50"), ...paidBack };
const nothing = { added_from_quiz: usd("0.00"), shown_bought_later: usd("0.00"), bought_not_shown: usd("0.00") };

export const overviewExample: OverviewAnswer = {
  quiz_id: quizId,
  ...common,
  data_start: "2026-09-01",
  live_since: "2026-09-01T08:00:00.000Z",
  live_since_approximate: false,
  markers: [{ approximate: false, day: "2026-09-13", published_at: "2026-09-13T15:04:00.000Z", version_number: 3 }],
  series: [
    {
      day: "2026-09-13",
      views: 40,
      unique_viewers_approx: 36,
      starts: 30,
      completions: 20,
      email_opt_ins: 8,
      phone_opt_ins: 1,
      consent_denied: 2,
      orders: 2,
      orders_inside_window: 2,
      avg_time_to_complete_ms: 95_500,
      median_time_to_complete_ms: 88_000,
      ...sold,
      revenue_by_bucket: byBucket,
    },
    {
      day: "2026-09-14",
      views: 10,
      unique_viewers_approx: 10,
      starts: 0,
      completions: 0,
      email_opt_ins: 0,
      phone_opt_ins: 0,
      consent_denied: 0,
      orders: 0,
      orders_inside_window: 0,
      avg_time_to_complete_ms: null,
      median_time_to_complete_ms: null,
      revenue: usd("0.00"),
      refunded: usd("0.00"),
      net_revenue: usd("0.00"),
      revenue_by_bucket: nothing,
    },
  ],
  totals: {
    views: 50,
    unique_viewers_approx: 44,
    starts: 30,
    completions: 20,
    email_opt_ins: 8,
    phone_opt_ins: 1,
    consent_denied: 2,
    orders: 2,
    orders_inside_window: 2,
    start_rate: 0.6,
    completion_rate: 0.6666666666666666,
    avg_time_to_complete_ms: 95_500,
    median_time_to_complete_ms: 88_000,
    avg_quiz_to_checkout_ms: 540_000,
    median_quiz_to_checkout_ms: 540_000,
    avg_came_back_to_buy_ms: null,
    median_came_back_to_buy_ms: null,
    aov: usd("41.25"),
    ...sold,
    revenue_by_bucket: byBucket,
  },
};

export const storeOverviewExample: OverviewAnswer = { ...overviewExample, quiz_id: null, markers: [] };

const question = {
  component_key: "skin_type",
  page_key: "skin",
  question: "How does your skin feel by noon?",
  page_title: "Your skin",
  kind: "choice" as const,
};

export const answersExample: AnswersAnswer = {
  quiz_id: quizId,
  ...common,
  currency: "USD",
  questions: [question],
  question,
  answered: 30,
  options: [
    {
      option_id: "dry",
      label: "Tight and dry",
      kind: "choice",
      image_url: null,
      removed: false,
      chose: 12,
      chose_share: 0.4,
      completed: 9,
      buyers: 2,
      answer_orders: 2,
      opted_in: 4,
      completion_rate: 0.75,
      buyer_rate: 0.16666666666666666,
      opt_in_rate: 0.3333333333333333,
      answer_revenue: usd("82.50"),
    },
  ],
  buckets: [],
  summary: null,
};

export const funnelExample: FunnelAnswer = {
  quiz_id: quizId,
  ...common,
  views: 50,
  not_started: 20,
  starts: 30,
  completions: 20,
  in_progress: 1,
  pages: [
    {
      page_key: "skin",
      title: "Your skin",
      removed: false,
      sessions_reached: 30,
      sessions_reached_by_jump: 0,
      sessions_continued: 20,
      sessions_dropped: 9,
      sessions_skipped: 0,
      sessions_went_back: 3,
      avg_time_on_page_ms: 12_400,
      dropped_share_of_starts: 0.3,
    },
  ],
};

export const breakdownExample: BreakdownAnswer = {
  quiz_id: quizId,
  by: "country",
  ...common,
  rows: [
    {
      value: "US",
      views: 50,
      unique_viewers_approx: 44,
      starts: 30,
      completions: 20,
      email_opt_ins: 8,
      phone_opt_ins: 1,
    },
  ],
};

export const storeBreakdownExample: BreakdownAnswer = { ...breakdownExample, quiz_id: null };

export const pathsExample: PathsAnswer = {
  quiz_id: quizId,
  ...common,
  cohort: "all",
  sessions: 30,
  data_start: "2026-09-01",
  nodes: [
    {
      page_key: "skin",
      title: "Your skin",
      removed: false,
      entries: 33,
      entries_by_jump: 0,
      exits_closed: 6,
      exits_restarted: 0,
      exits_timed_out: 3,
      finished_here: 0,
      still_here: 1,
      median_time_on_page_ms: 11_000,
    },
  ],
  edges: [
    { from_page_key: "skin", to_page_key: "budget", cause: "next", moves: 18, sessions_moved: 17 },
    {
      from_page_key: "skin",
      to_page_key: "result",
      cause: "jump",
      moves: 5,
      sessions_moved: 5,
      jump_rule_key: "sensitive_first",
    },
  ],
  other_paths: { moves: 0, routes: 0 },
  rules: [{ jump_rule_key: "sensitive_first", source_page_key: "skin", fired: 5, source_entries: 33 }],
  visibility_skips: [{ page_key: "allergies", title: "Allergies", removed: false, times_hidden: 12 }],
};

export const productsExample: ProductsAnswer = {
  quiz_id: quizId,
  ...common,
  bucket: null,
  sort: "revenue",
  total_products: 1,
  orders_matched_by_email: 1,
  line_revenue: usd("82.50"),
  ...paidBack,
  totals_by_bucket: byBucket,
  rows: [
    {
      product_id: "gid://shopify/Product/8123",
      title: "Oat Milk Cleanser",
      quiz_name: "Find your routine",
      had_variants: false,
      in_store: true,
      times_shown: 14,
      units: 3,
      orders_approx: 2,
      line_revenue: usd("82.50"),
      ...paidBack,
      revenue_by_bucket: byBucket,
      shown_on: { block_key: "routine", page_key: "result", page_title: "Your routine" },
    },
  ],
};

export const storeProductsExample: ProductsAnswer = { ...productsExample, quiz_id: null };

const source = { starts: 20, completions: 14, email_opt_ins: 6, phone_opt_ins: 1 };

export const trafficExample: TrafficAnswer = {
  quiz_id: quizId,
  by: "referrer_host",
  ...common,
  rows: [{ value: "direct", views: 31, unique_viewers: 28, ...source }],
  other: {
    value: "other",
    views: 19,
    unique_viewers: 16,
    starts: 10,
    completions: 6,
    email_opt_ins: 2,
    phone_opt_ins: 0,
  },
};

const compared = (current: number, previous: number, delta: number | null, sparkline: number[]) => ({
  current,
  previous,
  delta_pct: delta,
  sparkline,
});

const comparedMoney = (current: string, sparkline: string[]) => ({
  current: usd(current),
  previous: usd("0.00"),
  delta_pct: null,
  sparkline: sparkline.map(usd),
});

export const summaryExample: SummaryAnswer = {
  period: "7d",
  range: { days: 7, start: "2026-09-08", end: "2026-09-14", timezone: "America/New_York" },
  previous_range: { days: 7, start: "2026-09-01", end: "2026-09-07", timezone: "America/New_York" },
  filters: { ...common.filters, device: null },
  freshness: common.freshness,
  views: compared(120, 96, 25, [10, 12, 14, 16, 18, 40, 10]),
  starts: compared(66, 60, 10, [5, 6, 7, 8, 10, 30, 0]),
  completions: compared(44, 44, 0, [4, 4, 4, 4, 8, 20, 0]),
  opt_ins: compared(21, 14, 50, [2, 2, 2, 2, 4, 9, 0]),
  orders: compared(5, 4, 25, [0, 1, 0, 1, 1, 2, 0]),
  revenue: comparedMoney("198.00", ["0.00", "30.00", "0.00", "41.00", "44.50", "82.50", "0.00"]),
  refunded: comparedMoney("18.50", ["0.00", "0.00", "0.00", "0.00", "0.00", "18.50", "0.00"]),
  net_revenue: comparedMoney("179.50", ["0.00", "30.00", "0.00", "41.00", "44.50", "64.00", "0.00"]),
};

export const comparisonExample: ComparisonAnswer = {
  data: [
    {
      quiz_id: quizId,
      name: "Find your routine",
      status: "published",
      views: 50,
      starts: 30,
      completions: 20,
      email_opt_ins: 8,
      phone_opt_ins: 1,
      orders: 2,
      completion_rate: 0.6666666666666666,
      attributed_share: 0.125,
      avg_time_to_complete_ms: 95_500,
      median_time_to_complete_ms: 88_000,
      ...sold,
    },
  ],
  total: 1,
  has_more: false,
  limit: 25,
  offset: 0,
  sort: "name",
  dir: "asc",
  ...common,
};
