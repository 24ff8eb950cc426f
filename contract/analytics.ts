import { type Static, type TObject, Type } from "typebox";
import {
  answersAnswer,
  breakdownAnswer,
  comparisonAnswer,
  funnelAnswer,
  overviewAnswer,
  pathsAnswer,
  productsAnswer,
  summaryAnswer,
  trafficAnswer,
} from "./analytics-answers.ts";
import {
  answersExample,
  breakdownExample,
  comparisonExample,
  funnelExample,
  overviewExample,
  pathsExample,
  productsExample,
  storeBreakdownExample,
  storeOverviewExample,
  storeProductsExample,
  summaryExample,
  trafficExample,
} from "./analytics-examples.ts";
import { byFilter, filters, splitNames } from "./analytics-filters.ts";
import {
  buckets,
  cohorts,
  comparisonSorts,
  directions,
  periods,
  productSorts,
  trafficDimensions,
} from "./analytics-values.ts";
import { date, id, oneOf } from "./common.ts";
import { operation } from "./operation.ts";

/**
 * The questions that can be asked about a store and about one quiz
 * [analytics.questions, analytics.parameters, analytics.parameter-values].
 */

/** [analytics.range-limits] */
export const maxRangeDays = 366;

const tz = Type.Optional(
  Type.String({
    maxLength: 64,
    default: "UTC",
    description:
      "IANA name of the zone whose days are counted, a zone or a link, as it is written there; any other text is refused",
  }),
);

const commonQuery = {
  from: Type.Optional(date(`First day, in \`tz\`; 29 days before \`to\` when left out. At most ${maxRangeDays} days`)),
  to: Type.Optional(date("Last day, included, in `tz`; today when left out, and never later")),
  tz,
  // plain strings, which the route checks, because their refusal carries `filter` and `value` [analytics.filter-values]
  ...byFilter((name) => Type.Optional(Type.String({ description: filters[name].description }))),
};

const limit = (standard: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: standard, description: "Rows at most" }));

const optional = <const T extends readonly string[]>(values: T, standard: T[number], description: string) =>
  Type.Optional({ ...oneOf(values, description), default: standard });

const productsQuery = Type.Object({
  ...commonQuery,
  limit: limit(50),
  sort: optional(productSorts, "revenue", "Numbers descending, title ascending"),
  bucket: Type.Optional(oneOf(buckets, "The figures cover this bucket only")),
});

const breakdownQuery = Type.Object({
  ...commonQuery,
  by: oneOf(splitNames, "What to split by; `outcome`: the result with which sessions finished"),
});

const shared = { method: "GET", tag: "Analytics", scope: "analytics:read", cost: "analytics" } as const;
const quiz = { params: Type.Object({ quiz_id: id("quiz") }) };
const counted =
  "Each thing is counted on the day it happened, in `tz`. Freshness says up to which moment the figures reach.";

export type CommonQuery = Static<TObject<typeof commonQuery>>;

export const getSummary = operation({
  ...shared,
  id: "getAnalyticsSummary",
  path: "/v1/analytics/summary",
  summary: "Sum up the store's last days beside those before",
  description: "Of all quizzes: the last 7 or 30 days, today included, and as many days before them.",
  query: Type.Object({ period: optional(periods, "7d", "How many days"), tz }),
  answer: { status: 200, shape: summaryAnswer, example: summaryExample },
});

export const compareQuizzes = operation({
  ...shared,
  id: "compareQuizzes",
  path: "/v1/analytics/quizzes",
  summary: "Compare the store's quizzes",
  description: "Every quiz that is not deleted. Rows without a value come last; equal ones by name, then id.",
  query: Type.Object({
    ...commonQuery,
    q: Type.Optional(Type.String({ maxLength: 200, description: "Part of the name; case is ignored" })),
    limit: limit(25),
    offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: "Rows to leave out" })),
    sort: optional(comparisonSorts, "name", "share is the attributed share; opt_ins are sessions with either kind"),
    dir: optional(directions, "asc", "Direction of the sort"),
  }),
  answer: { status: 200, shape: comparisonAnswer, example: comparisonExample },
});

export const getStoreOverview = operation({
  ...shared,
  id: "getStoreAnalyticsOverview",
  path: "/v1/analytics/overview",
  summary: "Read the store's figures day by day",
  description: `All quizzes together. ${counted}`,
  query: Type.Object(commonQuery),
  answer: { status: 200, shape: overviewAnswer, example: storeOverviewExample },
});

export const getStoreBreakdown = operation({
  ...shared,
  id: "getStoreAnalyticsBreakdown",
  path: "/v1/analytics/breakdown",
  summary: "Split the store's figures by a dimension",
  description: `All quizzes together. ${counted}`,
  query: breakdownQuery,
  answer: { status: 200, shape: breakdownAnswer, example: storeBreakdownExample },
});

export const getStoreProducts = operation({
  ...shared,
  id: "getStoreAnalyticsProducts",
  path: "/v1/analytics/products",
  summary: "Read what the store's quizzes showed and sold",
  description: "All quizzes together. Orders count inside the store's order window.",
  query: productsQuery,
  answer: { status: 200, shape: productsAnswer, example: storeProductsExample },
});

export const getQuizOverview = operation({
  ...shared,
  ...quiz,
  id: "getQuizAnalyticsOverview",
  path: "/v1/quizzes/{quiz_id}/analytics/overview",
  summary: "Read a quiz's figures day by day",
  description: counted,
  query: Type.Object(commonQuery),
  answer: { status: 200, shape: overviewAnswer, example: overviewExample },
});

export const getQuizAnswers = operation({
  ...shared,
  ...quiz,
  id: "getQuizAnalyticsAnswers",
  path: "/v1/quizzes/{quiz_id}/analytics/answers",
  summary: "Read what was answered, and what became of it",
  description:
    "Of the sessions that answered the question in the range, by their last answer. What became of them counts whenever it happened.",
  query: Type.Object({
    ...commonQuery,
    component_key: Type.Optional(
      Type.String({ maxLength: 200, description: "The question; the quiz's first when left out" }),
    ),
  }),
  answer: { status: 200, shape: answersAnswer, example: answersExample },
});

export const getQuizFunnel = operation({
  ...shared,
  ...quiz,
  id: "getQuizAnalyticsFunnel",
  path: "/v1/quizzes/{quiz_id}/analytics/funnel",
  summary: "Follow the sessions from page to page until they leave",
  description:
    "The cohort is the sessions that answered their first question inside the range, each followed to its end: starts = completions + sessions_dropped of all pages + in_progress.",
  query: Type.Object(commonQuery),
  answer: { status: 200, shape: funnelAnswer, example: funnelExample },
});

export const getQuizBreakdown = operation({
  ...shared,
  ...quiz,
  id: "getQuizAnalyticsBreakdown",
  path: "/v1/quizzes/{quiz_id}/analytics/breakdown",
  summary: "Split a quiz's figures by a dimension",
  description: counted,
  query: breakdownQuery,
  answer: { status: 200, shape: breakdownAnswer, example: breakdownExample },
});

export const getQuizPaths = operation({
  ...shared,
  ...quiz,
  id: "getQuizAnalyticsPaths",
  path: "/v1/quizzes/{quiz_id}/analytics/paths",
  summary: "Read the ways that sessions took between pages",
  description:
    "The cohort is the funnel's; moves after the finish count nowhere. Edges past the 60 largest are summed up in other_paths.",
  query: Type.Object({
    ...commonQuery,
    cohort: optional(cohorts, "all", "finished: completed; left: ended otherwise; all: those in progress too"),
  }),
  answer: { status: 200, shape: pathsAnswer, example: pathsExample },
});

export const getQuizProducts = operation({
  ...shared,
  ...quiz,
  id: "getQuizAnalyticsProducts",
  path: "/v1/quizzes/{quiz_id}/analytics/products",
  summary: "Read what a quiz showed and sold",
  description: "Orders count inside the store's order window.",
  query: productsQuery,
  answer: { status: 200, shape: productsAnswer, example: productsExample },
});

export const getQuizTraffic = operation({
  ...shared,
  ...quiz,
  id: "getQuizAnalyticsTraffic",
  path: "/v1/quizzes/{quiz_id}/analytics/traffic",
  summary: "Read where a quiz's sessions came from",
  description: counted,
  query: Type.Object({
    ...commonQuery,
    by: optional(trafficDimensions, "referrer_host", "What to split by"),
    limit: limit(25),
  }),
  answer: { status: 200, shape: trafficAnswer, example: trafficExample },
});

export const analyticsOperations = [
  getSummary,
  compareQuizzes,
  getStoreOverview,
  getStoreBreakdown,
  getStoreProducts,
  getQuizOverview,
  getQuizAnswers,
  getQuizFunnel,
  getQuizBreakdown,
  getQuizPaths,
  getQuizProducts,
  getQuizTraffic,
] as const;
