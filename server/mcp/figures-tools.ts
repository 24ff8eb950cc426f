import { type Static, Type } from "typebox";
import {
  type Client,
  getQuizAnalyticsAnswers,
  getQuizAnalyticsBreakdown,
  getQuizAnalyticsFunnel,
  getQuizAnalyticsOverview,
  getQuizAnalyticsProducts,
  getQuizAnalyticsTraffic,
  getStoreAnalyticsBreakdown,
  getStoreAnalyticsOverview,
  getStoreAnalyticsProducts,
  type OverviewTotals,
} from "../../client/src/index.ts";
import { byFilter, type FilterName, filters } from "../../contract/analytics-filters.ts";
import { oneOf, strict } from "../../contract/common.ts";
import { few, refused, shown, type ToolContext, tool } from "./tool.ts";

/** Tools for questions about figures. */

const day = (description: string) => Type.String({ format: "date", description });
const quizId = Type.String({ description: "As list_quizzes gives it: quiz_..." });
const range = {
  from: Type.Optional(day("First day, YYYY-MM-DD; the last 30 days without a range")),
  to: Type.Optional(day("Last day, included")),
  tz: Type.Optional(Type.String({ description: "Time zone of the days, such as Europe/Berlin; UTC without one" })),
};
const narrowing = byFilter((name) => Type.Optional(Type.String({ description: filters[name].description })));

const units = {
  sessions: "sessions of a quiz",
  rate: "0 to 1, null where there is nothing to divide by",
  money: "decimal amount and ISO 4217 currency",
  ms: "milliseconds",
};

const dashboardOf = ({ baseUrl }: ToolContext, quiz: string, tab: string) =>
  `${baseUrl}/dashboard/quizzes/${quiz}?tab=${tab}`;

type Asked = Partial<Record<keyof typeof range | FilterName, string>>;

function inRange(input: Asked) {
  const { from, to, tz } = input;
  return { from, to, tz, ...byFilter((name) => input[name]) };
}

function overviewOf(client: Client, quiz: string | undefined, query: object) {
  return quiz === undefined
    ? getStoreAnalyticsOverview(client, { query })
    : getQuizAnalyticsOverview(client, { path: { quiz_id: quiz }, query });
}

const figuresInput = Type.Object(
  {
    quiz_id: Type.Optional(quizId),
    ...range,
    before_from: Type.Optional(day("First day of the period to compare with; without it, as many days just before")),
    before_to: Type.Optional(day("Its last day")),
    ...narrowing,
  },
  strict,
);

const compared = [
  ...["views", "starts", "completions", "email_opt_ins", "phone_opt_ins", "orders"],
  ...["start_rate", "completion_rate", "median_time_to_complete_ms"],
] as const satisfies readonly (keyof OverviewTotals)[];

function beside(now: OverviewTotals, before: OverviewTotals) {
  const rows = compared.map((name) => {
    const [is, was] = [now[name], before[name]];
    const relative = is === null || was === null || was === 0 ? null : Math.round(((is - was) / was) * 1000) / 10;
    return [name, { now: few(is), before: few(was), change_percent: relative }];
  });
  const money = (["revenue", "refunded", "net_revenue"] as const).map((name) => [
    name,
    { now: now[name], before: before[name] },
  ]);
  return Object.fromEntries([...rows, ...money]);
}

/** The same number of days, immediately before the range [mcp.compare]. */
function daysBefore({ start, end }: { start: string; end: string }): { from: string; to: string } {
  const dayMs = 86_400_000;
  const [first, last] = [Date.parse(start), Date.parse(end)];
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  return { from: date(2 * first - last - dayMs), to: date(first - dayMs) };
}

const figures = tool({
  name: "read_figures",
  title: "Figures, and two periods compared",
  description:
    "Views, starts, completions, contacts, orders and revenue of a range of days beside those of another, with the change in percent. Without quiz_id: of the whole store.",
  kind: "reads",
  input: figuresInput,
  async run({ quiz_id, before_from, before_to, ...input }: Static<typeof figuresInput>, context) {
    const query = inRange(input);
    const now = await overviewOf(context.client, quiz_id, query);
    const earlier =
      before_from === undefined && before_to === undefined
        ? daysBefore(now.range)
        : { from: before_from, to: before_to };
    const before = await overviewOf(context.client, quiz_id, { ...query, ...earlier });
    const link =
      quiz_id === undefined ? `${context.baseUrl}/dashboard/analytics` : dashboardOf(context, quiz_id, "overview");
    const { range: days, freshness, totals } = now;
    const data = { now: days, before: before.range, as_of: freshness.as_of, figures: beside(totals, before.totals) };
    return { data, units, links: { dashboard: link } };
  },
});

const funnelInput = Type.Object({ quiz_id: quizId, ...range, ...narrowing }, strict);

const funnel = tool({
  name: "where_shoppers_leave",
  title: "Where a quiz loses shoppers",
  description:
    "Page by page: how many sessions reached it, went on, and ended there; the pages that lose most come first in most_lost.",
  kind: "reads",
  input: funnelInput,
  async run({ quiz_id, ...input }: Static<typeof funnelInput>, context) {
    const found = await getQuizAnalyticsFunnel(context.client, { path: { quiz_id }, query: inRange(input) });
    const pages = found.pages.map((page) => ({
      ...{
        page_key: page.page_key,
        title: page.title,
        reached: page.sessions_reached,
        went_on: page.sessions_continued,
      },
      ...{ left_here: page.sessions_dropped, left_share_of_starts: few(page.dropped_share_of_starts) },
      average_ms: few(page.avg_time_on_page_ms),
    }));
    const most_lost = [...pages]
      .sort((a, b) => b.left_here - a.left_here)
      .slice(0, 3)
      .map(({ page_key }) => page_key);
    const { views, not_started, starts, completions, in_progress } = found;
    return {
      data: {
        range: found.range,
        views,
        not_started,
        starts,
        completions,
        in_progress,
        most_lost,
        pages: shown(pages),
      },
      units,
      links: { dashboard: dashboardOf(context, quiz_id, "funnel") },
    };
  },
});

const sources = ["referrer_host", "utm_source", "utm_medium", "utm_campaign", "page_url", "placement"] as const;
const breakdownInput = Type.Object(
  {
    of: oneOf(
      ["answers", "products", "sources", "outcomes"],
      "Options of one question, products, where shoppers came from, or the results they reached",
    ),
    quiz_id: Type.Optional(Type.String({ description: "Products and outcomes are of the whole store without one" })),
    component_key: Type.Optional(Type.String({ description: "Of answers: the question; the first without one" })),
    by: Type.Optional(oneOf(sources, "Of sources: what tells them apart; the referring site without it")),
    ...range,
    ...narrowing,
  },
  strict,
);

type Breakdown = Static<typeof breakdownInput>;

/** For a question: how many chose each option, and the outcomes. */
async function answersOf(client: Client, quiz_id: string, { component_key, ...input }: Breakdown) {
  const query = { ...inRange(input), component_key };
  const found = await getQuizAnalyticsAnswers(client, { path: { quiz_id }, query });
  const options = found.options.map(({ image_url, removed, kind, ...option }) => option);
  const questions = found.questions.map(({ component_key: key, question }) => ({ component_key: key, question }));
  const { question, answered, buckets, summary } = found;
  return {
    data: shown({ range: found.range, question, answered, options, buckets, summary, questions }),
    ...{ units, texts_of_others: [] },
  };
}

async function productsOf(client: Client, quiz_id: string | undefined, input: Breakdown) {
  const query = { ...inRange(input), limit: 10 };
  const found = await (quiz_id === undefined
    ? getStoreAnalyticsProducts(client, { query })
    : getQuizAnalyticsProducts(client, { path: { quiz_id }, query }));
  const products = found.rows.map(({ title, product_id, times_shown, units: sold, ...row }) => ({
    ...{ title, product_id, times_shown, sold },
    ...{ line_revenue: row.line_revenue, refunded: row.refunded, net_revenue: row.net_revenue },
  }));
  return {
    data: shown({ range: found.range, total_products: found.total_products, products }),
    units: { ...units, sold: "pieces" },
    texts_of_others: ["data.products[].title"],
  };
}

async function sourcesOf(client: Client, quiz_id: string, { by, ...input }: Breakdown) {
  const query = { ...inRange(input), by, limit: 10 };
  const found = await getQuizAnalyticsTraffic(client, { path: { quiz_id }, query });
  const data = shown({ range: found.range, by: found.by, sources: found.rows });
  return { data, units, texts_of_others: ["data.sources[].value"] };
}

async function outcomesOf(client: Client, quiz_id: string | undefined, input: Breakdown) {
  const query = { ...inRange(input), by: "outcome" } as const;
  const found = await (quiz_id === undefined
    ? getStoreAnalyticsBreakdown(client, { query })
    : getQuizAnalyticsBreakdown(client, { path: { quiz_id }, query }));
  const outcomes = found.rows.slice(0, 10).map(({ unique_viewers_approx, ...row }) => row);
  return {
    data: shown({ range: found.range, total_outcomes: found.rows.length, outcomes }),
    units,
    texts_of_others: [],
  };
}

const breakdown = tool({
  name: "read_breakdown",
  title: "Answers, products, sources or outcomes",
  description:
    "Of answers: how many chose each option of a question, how many of them bought, and for how much. Of products: the ten that earned most, how often shown, how many sold. Of sources: the ten with most views. Of outcomes: the ten results with most views, and how many sessions ended with each result (`none`: without one).",
  kind: "reads",
  input: breakdownInput,
  async run({ quiz_id, ...input }: Breakdown, context) {
    const { client, baseUrl } = context;
    if (input.of === "products") {
      const link = quiz_id === undefined ? `${baseUrl}/dashboard/analytics` : dashboardOf(context, quiz_id, "products");
      return { ...(await productsOf(client, quiz_id, input)), links: { dashboard: link } };
    }
    if (input.of === "outcomes") {
      const tab = "breakdown&by=outcome";
      const link =
        quiz_id === undefined ? `${baseUrl}/dashboard/analytics?tab=${tab}` : dashboardOf(context, quiz_id, tab);
      return { ...(await outcomesOf(client, quiz_id, input)), links: { dashboard: link } };
    }
    if (quiz_id === undefined) return refused(`${input.of} are of one quiz: give quiz_id, as list_quizzes has it`);
    const [answered, tab] =
      input.of === "answers"
        ? [await answersOf(client, quiz_id, input), "answers"]
        : [await sourcesOf(client, quiz_id, input), "traffic"];
    return { ...answered, links: { dashboard: dashboardOf(context, quiz_id, tab) } };
  },
});

export const figuresTools = [figures, funnel, breakdown];
