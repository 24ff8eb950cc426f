import type {
  AnalyticsAnswers,
  AnalyticsBreakdown,
  AnalyticsComparison,
  AnalyticsFunnel,
  AnalyticsOverview,
  AnalyticsPaths,
  AnalyticsProducts,
  AnalyticsSummary,
  AnalyticsTraffic,
} from "../../client/src/index.ts";
import {
  type Client,
  compareQuizzes,
  getAnalyticsSummary,
  getQuizAnalyticsAnswers,
  getQuizAnalyticsBreakdown,
  getQuizAnalyticsFunnel,
  getQuizAnalyticsOverview,
  getQuizAnalyticsPaths,
  getQuizAnalyticsProducts,
  getQuizAnalyticsTraffic,
  getStoreAnalyticsBreakdown,
  getStoreAnalyticsOverview,
  getStoreAnalyticsProducts,
  type Reply,
  type UnlessUnchanged,
} from "../../client/src/index.ts";
import type { ApiCall } from "./api-call.ts";
import type { CommonQuery } from "./url-state.ts";

/**
 * The API calls behind the charts. A screen sends the same parameters that it displays, so that the displayed call is
 * the real one.
 */

export interface Question<Body> extends ApiCall {
  ask: (client: Client, options: UnlessUnchanged) => Reply<Body | null>;
}

type Query = NonNullable<ApiCall["query"]>;

/** Selects the overload of the generated functions that may answer "not modified". */
type AskStore<Body, Input> = (client: Client, input: Input, options: UnlessUnchanged) => Reply<Body | null>;

const ofQuiz =
  <Body>(operation: string, name: string, send: AskStore<Body, { path: { quiz_id: string }; query: object }>) =>
  (quizId: string, common: CommonQuery, more: Query = {}): Question<Body> => {
    const params = { quiz_id: quizId };
    const query = { ...common, ...more };
    return {
      operation,
      path: `/v1/quizzes/{quiz_id}/analytics/${name}`,
      params,
      query,
      ask: (client, options) => send(client, { path: params, query }, options),
    };
  };

const ofStore =
  <Body>(operation: string, name: string, send: AskStore<Body, { query: object }>) =>
  (common: CommonQuery | { tz: string }, more: Query = {}): Question<Body> => {
    const query = { ...common, ...more };
    return {
      operation,
      path: `/v1/analytics/${name}`,
      query,
      ask: (client, options) => send(client, { query }, options),
    };
  };

const quizOverview = ofQuiz<AnalyticsOverview>("getQuizAnalyticsOverview", "overview", getQuizAnalyticsOverview);
const quizBreakdown = ofQuiz<AnalyticsBreakdown>(
  "getQuizAnalyticsBreakdown",
  "breakdown",
  getQuizAnalyticsBreakdown as AskStore<AnalyticsBreakdown, { path: { quiz_id: string }; query: object }>,
);
const quizProducts = ofQuiz<AnalyticsProducts>("getQuizAnalyticsProducts", "products", getQuizAnalyticsProducts);
export const quizFunnel = ofQuiz<AnalyticsFunnel>("getQuizAnalyticsFunnel", "funnel", getQuizAnalyticsFunnel);
export const quizPaths = ofQuiz<AnalyticsPaths>("getQuizAnalyticsPaths", "paths", getQuizAnalyticsPaths);
export const quizAnswers = ofQuiz<AnalyticsAnswers>("getQuizAnalyticsAnswers", "answers", getQuizAnalyticsAnswers);
export const quizTraffic = ofQuiz<AnalyticsTraffic>("getQuizAnalyticsTraffic", "traffic", getQuizAnalyticsTraffic);

const storeOverview = ofStore<AnalyticsOverview>("getStoreAnalyticsOverview", "overview", getStoreAnalyticsOverview);
const storeBreakdown = ofStore<AnalyticsBreakdown>(
  "getStoreAnalyticsBreakdown",
  "breakdown",
  getStoreAnalyticsBreakdown as AskStore<AnalyticsBreakdown, { query: object }>,
);
const storeProducts = ofStore<AnalyticsProducts>("getStoreAnalyticsProducts", "products", getStoreAnalyticsProducts);
export const comparison = ofStore<AnalyticsComparison>("compareQuizzes", "quizzes", compareQuizzes);
const storeSummary = ofStore<AnalyticsSummary>("getAnalyticsSummary", "summary", getAnalyticsSummary);

export const summary = (zone: string, period: "7d" | "30d"): Question<AnalyticsSummary> =>
  storeSummary({ tz: zone }, { period });

/** For one quiz, or for the store when `quizId` is null. */
export const overviewOf = (quizId: string | null, query: CommonQuery): Question<AnalyticsOverview> =>
  quizId === null ? storeOverview(query) : quizOverview(quizId, query);

export const breakdownOf = (quizId: string | null, query: CommonQuery, by: string): Question<AnalyticsBreakdown> =>
  quizId === null ? storeBreakdown(query, { by }) : quizBreakdown(quizId, query, { by });

export const productsOf = (quizId: string | null, query: CommonQuery, more: Query): Question<AnalyticsProducts> =>
  quizId === null ? storeProducts(query, more) : quizProducts(quizId, query, more);
