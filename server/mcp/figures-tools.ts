import { type Static, Type } from "typebox";
import {
  type Client,
  getQuizAnalyticsAnswers,
  getQuizAnalyticsFunnel,
  getQuizAnalyticsOverview,
  getQuizAnalyticsProducts,
  getQuizAnalyticsTraffic,
  getStoreAnalyticsOverview,
  getStoreAnalyticsProducts,
  type OverviewTotals,
} from "../../client/src/index.ts";
import { strict } from "../../contract/common.ts";
import { shown, type ToolContext, tool } from "./tool.ts";

/** Tools for questions about figures. */

const day = (description: string) => Type.String({ format: "date", description });
const quizId = Type.String({ description: "As list_quizzes gives it: quiz_..." });
const range = {
  from: Type.Optional(day("First day, YYYY-MM-DD; the last 30 days without a range")),
  to: Type.Optional(day("Last day, included")),
  tz: Type.Optional(Type.String({ description: "Time zone of the days, such as Europe/Berlin; UTC without one" })),
};
const filters = {
  channel: Type.Optional(Type.String({ description: "Only sessions of this channel" })),
  device: Type.Optional(Type.String({ description: "Only these devices: desktop, mobile, tablet, other" })),
  country: Type.Optional(Type.String({ description: "Only this country, ISO 3166-1 alpha-2" })),
};

const units = {
  sessions: "visits of a quiz",
  rate: "0 to 1, null where there is nothing to divide by",
  money: "decimal amount and ISO 4217 currency",
  ms: "milliseconds",
};

const dashboardOf = ({ baseUrl }: ToolContext, quiz: string, tab: string) =>
  `${baseUrl}/dashboard/quizzes/${quiz}?tab=${tab}`;

const inRange = <Given extends Partial<Record<keyof typeof range | keyof typeof filters, string>>>(given: Given) => {
  const { from, to, tz, channel, device, country } = given;
  return { from, to, tz, channel, device, country };
};

function overviewOf(client: Client, quiz: string | undefined, query: object) {
  return quiz === undefined
    ? getStoreAnalyticsOverview(client, { query })
    : getQuizAnalyticsOverview(client, { path: { quiz_id: quiz }, query });
}

const figuresInput = Type.Object({ quiz_id: Type.Optional(quizId), ...range, ...filters }, strict);

const figures = tool({
  name: "read_figures",
  title: "Figures of a quiz or of the store",
  description:
    "Views, starts, completions, contacts, orders and revenue of a range of days. Without quiz_id: of the whole store.",
  kind: "reads",
  input: figuresInput,
  async run({ quiz_id, ...given }: Static<typeof figuresInput>, context) {
    const { totals, range: days, freshness } = await overviewOf(context.client, quiz_id, inRange(given));
    const link =
      quiz_id === undefined ? `${context.baseUrl}/dashboard/analytics` : dashboardOf(context, quiz_id, "overview");
    return { data: { range: days, as_of: freshness.as_of, totals }, units, links: { dashboard: link } };
  },
});

const compareInput = Type.Object(
  {
    quiz_id: Type.Optional(quizId),
    ...filters,
    tz: range.tz,
    ...{ from: day("First day of the period"), to: day("Its last day") },
    ...{ before_from: day("First day of the period to compare with"), before_to: day("Its last day") },
  },
  strict,
);

const compared = [
  "views",
  "starts",
  "completions",
  "email_opt_ins",
  "phone_opt_ins",
  "orders",
  "start_rate",
  "completion_rate",
] as const;

function change(now: OverviewTotals, before: OverviewTotals) {
  const rows = compared.map((name) => {
    const [is, was] = [now[name], before[name]];
    const relative = is === null || was === null || was === 0 ? null : Math.round(((is - was) / was) * 1000) / 10;
    return [name, { now: is, before: was, change_percent: relative }];
  });
  return { ...Object.fromEntries(rows), revenue: { now: now.revenue, before: before.revenue } };
}

const compare = tool({
  name: "compare_periods",
  title: "Compare two periods",
  description: "The same figures of two ranges of days side by side, with the change in percent.",
  kind: "reads",
  input: compareInput,
  async run({ quiz_id, before_from, before_to, ...given }: Static<typeof compareInput>, { client }) {
    const query = inRange(given);
    const [now, before] = await Promise.all([
      overviewOf(client, quiz_id, query),
      overviewOf(client, quiz_id, { ...query, from: before_from, to: before_to }),
    ]);
    return { data: { now: now.range, before: before.range, figures: change(now.totals, before.totals) }, units };
  },
});

const funnelInput = Type.Object({ quiz_id: quizId, ...range, ...filters }, strict);

const funnel = tool({
  name: "where_shoppers_leave",
  title: "Where a quiz loses shoppers",
  description:
    "Page by page: how many sessions reached it, went on, and ended there; the pages that lose most come first in most_lost.",
  kind: "reads",
  input: funnelInput,
  async run({ quiz_id, ...given }: Static<typeof funnelInput>, context) {
    const found = await getQuizAnalyticsFunnel(context.client, { path: { quiz_id }, query: inRange(given) });
    const pages = found.pages.map((page) => ({
      ...{
        page_key: page.page_key,
        title: page.title,
        reached: page.sessions_reached,
        went_on: page.sessions_continued,
      },
      ...{ left_here: page.sessions_dropped, left_share_of_starts: page.dropped_share_of_starts },
      average_ms: page.avg_time_on_page_ms,
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

const answersInput = Type.Object(
  {
    quiz_id: quizId,
    component_key: Type.Optional(Type.String({ description: "The question; without it, the first" })),
    ...range,
    ...filters,
  },
  strict,
);

const answers = tool({
  name: "read_answers",
  title: "What shoppers answered, and what each answer sold",
  description:
    "Of one question: how many chose each option, how many of them bought, and for how much. questions lists those that can be asked for.",
  kind: "reads",
  input: answersInput,
  async run({ quiz_id, component_key, ...given }: Static<typeof answersInput>, context) {
    const query = { ...inRange(given), component_key };
    const found = await getQuizAnalyticsAnswers(context.client, { path: { quiz_id }, query });
    const options = found.options.map(({ image_url, removed, kind, ...option }) => option);
    const questions = found.questions.map(({ component_key: key, question }) => ({ component_key: key, question }));
    const { question, answered, buckets, summary } = found;
    return {
      data: shown({ range: found.range, question, answered, options, buckets, summary, questions }),
      units,
      links: { dashboard: dashboardOf(context, quiz_id, "answers") },
    };
  },
});

const productsInput = Type.Object({ quiz_id: Type.Optional(quizId), ...range, ...filters }, strict);

const products = tool({
  name: "read_products",
  title: "Products that quizzes showed and sold",
  description: "The ten products with the highest revenue: how often they were shown, units sold, revenue.",
  kind: "reads",
  input: productsInput,
  async run({ quiz_id, ...given }: Static<typeof productsInput>, { client }) {
    const query = { ...inRange(given), limit: 10 };
    const {
      rows,
      total_products,
      range: days,
    } = await (quiz_id === undefined
      ? getStoreAnalyticsProducts(client, { query })
      : getQuizAnalyticsProducts(client, { path: { quiz_id }, query }));
    const few = rows.map(({ title, product_id, times_shown, units: sold, line_revenue }) => ({
      ...{ title, product_id, times_shown, units: sold, line_revenue },
    }));
    return { data: { range: days, total_products, products: shown(few) }, units };
  },
});

const sources = ["referrer_host", "utm_source", "utm_medium", "utm_campaign", "page_url", "placement"] as const;
const trafficInput = Type.Object(
  {
    quiz_id: quizId,
    by: Type.Optional(Type.Unsafe<(typeof sources)[number]>({ type: "string", enum: [...sources] })),
    ...range,
    ...filters,
  },
  strict,
);

const traffic = tool({
  name: "read_traffic",
  title: "Where a quiz's shoppers come from",
  description: "The ten sources with most views: by referring site, campaign, page or placement.",
  kind: "reads",
  input: trafficInput,
  async run({ quiz_id, by, ...given }: Static<typeof trafficInput>, { client }) {
    const query = { ...inRange(given), by, limit: 10 };
    const found = await getQuizAnalyticsTraffic(client, { path: { quiz_id }, query });
    return {
      data: { range: found.range, by: found.by, sources: shown(found.rows) },
      units,
      typed_by_shoppers: ["data.sources[].value"],
    };
  },
});

export const figuresTools = [figures, compare, funnel, answers, products, traffic];
