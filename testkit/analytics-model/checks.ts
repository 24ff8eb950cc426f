import type { SplitName } from "../../contract/analytics-filters.ts";
import type { Body } from "../app.ts";
import { type Answered, answers, answersInRange, bucketRow } from "./answers.ts";
import { noFilters, type Question, type Scope, scopeOf, type World } from "./asked.ts";
import { differences, presentFirst, sortedBy, unordered } from "./compare.ts";
import { dayOf, plusDays } from "./days.ts";
import { type Cohort, funnel, paths } from "./funnel.ts";
import { questionsOfQuiz } from "./labels.ts";
import type { Bucket } from "./orders.ts";
import { comparison, overview, sortedRows, summary } from "./overview.ts";
import { type ProductRow, products, sortKey } from "./products.ts";
import { breakdown, type TrafficBy, traffic } from "./splits.ts";

/** A request to the API, and the differences between its answer and the model's; empty if there are none. */
export interface Check {
  path: string;
  differences(body: Body): string[];
}

type OfQuiz = Question & { quiz: number };

function pathOf(world: World, asked: Question, route: string, more: Record<string, string> = {}): string {
  const { from, to, tz, filters } = asked;
  const applied = Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== null);
  const query = new URLSearchParams([...Object.entries({ from, to, tz, ...more }), ...applied]);
  const quiz = asked.quiz === null ? "" : `quizzes/${world.history.quizzes[asked.quiz]?.id}/`;
  return `/v1/${quiz}analytics/${route}?${query}`;
}

/** for an answer computed just now [analytics.freshness] */
function freshness(world: World, { to, tz }: Question, body: Body): string[] {
  const today = dayOf(world.history.now, tz);
  const expected = { pending: false, stale: false, today_live: to === today, closed_days_through: plusDays(today, -1) };
  return differences(body.freshness, expected, ".freshness");
}

export function overviewCheck(world: World, asked: Question): Check {
  return {
    path: pathOf(world, asked, "overview"),
    differences(body) {
      const { live_since, live_since_approximate, ...expected } = overview(world, asked);
      const since = asked.quiz === null ? {} : { live_since, live_since_approximate };
      return [...differences(body, { ...expected, ...since }), ...freshness(world, asked, body)];
    },
  };
}

export function funnelCheck(world: World, asked: OfQuiz): Check {
  return {
    path: pathOf(world, asked, "funnel"),
    differences(body) {
      const { pages, ...expected } = funnel(world, asked);
      return [...differences(body, expected), ...presentFirst(body.pages, pages, ["page_key"], ".pages")];
    },
  };
}

const edgeKeys = ["from_page_key", "to_page_key", "cause", "jump_rule_key"];
const listedEdges = 60;

export function pathsCheck(world: World, asked: OfQuiz, cohort: Cohort): Check {
  return {
    path: pathOf(world, asked, "paths", { cohort }),
    differences(body) {
      const { nodes, edges, rules, visibility_skips, ...expected } = paths(world, asked, cohort);
      // the order of edges with equal moves, and so which of them are listed, is not promised
      const keyOf = (edge: Record<string, unknown>) => JSON.stringify(edgeKeys.map((key) => edge[key] ?? null));
      const listed = new Set((body.edges as Record<string, unknown>[]).map(keyOf));
      const inBody = edges.filter((edge) => listed.has(keyOf({ ...edge })));
      const rest = edges.slice(listedEdges);
      const other = { moves: rest.reduce((sum, edge) => sum + edge.moves, 0), routes: rest.length };
      return [
        ...differences(body, { ...expected, other_paths: other }),
        ...presentFirst(body.nodes, nodes, ["page_key"], ".nodes"),
        ...differences(body.edges.length, Math.min(edges.length, listedEdges), ".edges.length"),
        ...unordered(
          body.edges,
          inBody.map((edge) => ({ ...edge })),
          edgeKeys,
          ".edges",
        ),
        ...differences(
          body.edges.map((edge: Body) => edge.moves),
          edges.slice(0, listedEdges).map((edge) => edge.moves),
          ".edges by moves",
        ),
        ...unordered(body.rules, rules, ["jump_rule_key"], ".rules"),
        ...unordered(body.visibility_skips, visibility_skips, ["page_key"], ".visibility_skips"),
      ];
    },
  };
}

export function breakdownCheck(world: World, asked: Question, by: SplitName): Check {
  return {
    path: pathOf(world, asked, "breakdown", { by }),
    differences: (body) => differences(body, breakdown(world, asked, by)),
  };
}

export function trafficCheck(world: World, asked: OfQuiz, by: TrafficBy, limit: number): Check {
  return {
    path: pathOf(world, asked, "traffic", { by, limit: String(limit) }),
    differences: (body) => differences(body, traffic(world, asked, by, limit)),
  };
}

/** @param component_key null: the route's default, the first question */
export function answersCheck(world: World, asked: OfQuiz, component_key: string | null): Check {
  return {
    path: pathOf(world, asked, "answers", component_key === null ? {} : { component_key }),
    differences(body) {
      const scope = scopeOf(world, asked);
      const { options, ...expected } = answers(world, asked, component_key);
      const { question } = expected;
      return [
        ...differences(body, expected),
        ...presentFirst(body.options, options, ["option_id"], ".options"),
        ...bucketDifferences(scope, question ? answersInRange(scope, question.component_key) : [], body),
      ];
    },
  };
}

/** Any choice of at most 10 buckets of the allowed widths is accepted, as long as each is counted correctly. */
function bucketDifferences(scope: Scope, all: readonly Answered[], body: Body) {
  const rows: { low: number; high: number }[] = body.buckets;
  if (body.summary === null) return differences(rows, [], ".buckets");
  const { min, max } = body.summary;
  const width = (rows[0]?.high ?? 0) - (rows[0]?.low ?? 0);
  const mantissa = width / 10 ** Math.floor(Math.log10(width) + 1e-9);
  const near = (a: number, b: number) => Math.abs(a - b) < 1e-9 * Math.max(1, Math.abs(a));
  const forms: [string, boolean][] = [
    ["at most ten", rows.length >= 1 && rows.length <= 10],
    ["width 1, 2 or 5 times a power of ten", [1, 2, 5].some((wanted) => near(mantissa, wanted))],
    ["aligned", rows.every(({ low }) => near(low / width, Math.round(low / width)))],
    ["of one width", rows.every(({ low, high }) => near(high - low, width))],
    ["without gaps", rows.every(({ low }, index) => index === 0 || near(low, rows[index - 1]?.high ?? Number.NaN))],
    ["around the least", (rows[0]?.low ?? 0) <= min && min < (rows[0]?.high ?? 0)],
    ["around the greatest", (rows.at(-1)?.low ?? 0) <= max && max < (rows.at(-1)?.high ?? 0)],
  ];
  return [
    ...forms
      .filter(([, holds]) => !holds)
      .map(([form]) => `.buckets: not ${form}: ${JSON.stringify(rows)}`.slice(0, 300)),
    ...differences(
      rows,
      rows.map(({ low, high }) => bucketRow(scope, all, low, high)),
      ".buckets",
    ),
  ];
}

export const questionKeys = ({ history }: World, quiz: number): (string | null)[] => {
  const asked = history.quizzes[quiz];
  return asked ? [null, ...questionsOfQuiz(asked).map(({ component }) => component.component_key)] : [null];
};

interface ProductsAsked {
  sort: string;
  bucket: Bucket | null;
  limit: number;
}

export function productsCheck(world: World, asked: Question, { sort, bucket, limit }: ProductsAsked): Check {
  const more = { sort, limit: String(limit), ...(bucket === null ? {} : { bucket }) };
  return {
    path: pathOf(world, asked, "products", more),
    differences(body) {
      const { rows, ...expected } = products(world, asked, bucket);
      const direction = sort === "title" ? "asc" : "desc";
      const keys = (body.rows as Body[]).map((row) => sortKey(row, sort));
      const all = rows.map((row) => sortKey({ ...row, title: row.titles[0] ?? "" }, sort));
      const best = all.toSorted((a, b) => (a === b ? 0 : a < b === (direction === "asc") ? -1 : 1));
      return [
        ...differences(body, { ...expected, sort }),
        ...sortedBy(keys, direction, ".rows"),
        ...differences(body.rows.length, Math.min(limit, rows.length), ".rows.length"),
        // the position of a product without any title is not promised
        ...(sort === "title" ? [] : differences(keys, best.slice(0, limit), `.rows by ${sort}`)),
        ...(body.rows as Body[]).flatMap((row, index) =>
          productDifferences(
            row,
            rows.find((other) => other.product_id === row.product_id),
            `.rows[${index}]`,
          ),
        ),
      ];
    },
  };
}

function productDifferences(row: Body, expected: ProductRow | undefined, path: string): string[] {
  if (expected === undefined) return [`${path}: ${row.product_id} is not expected`];
  const { titles, places, ...figures } = expected;
  const place = JSON.stringify([row.quiz_name, row.shown_on.block_key, row.shown_on.page_key, row.shown_on.page_title]);
  const allowed = places.map(({ quiz_name, shown_on: { block_key, page_key, page_title } }) =>
    JSON.stringify([quiz_name, block_key, page_key, page_title]),
  );
  return [
    ...differences(row, figures, path),
    ...(titles.length === 0 || titles.includes(row.title) ? [] : [`${path}.title: ${row.title} is not ${titles}`]),
    ...(allowed.includes(place) ? [] : [`${path}: shown on ${place}, not ${allowed.join(" or ")}`]),
  ];
}

export function summaryCheck(world: World, tz: string, period: "7d" | "30d"): Check {
  const length = period === "7d" ? 7 : 30;
  const to = dayOf(world.history.now, tz);
  const asked = { quiz: null, from: plusDays(to, 1 - length), to, tz, filters: noFilters };
  const previous = { ...asked, from: plusDays(to, 1 - 2 * length), to: plusDays(to, -length) };
  return {
    path: `/v1/analytics/summary?${new URLSearchParams({ tz, period })}`,
    differences: (body) => [
      ...differences(body, { period, ...summary(world, asked, previous) }),
      ...freshness(world, asked, body),
    ],
  };
}

interface ComparisonAsked {
  q: string;
  sort: string;
  dir: "asc" | "desc";
  limit: number;
  offset: number;
}

export function comparisonCheck(world: World, asked: Omit<Question, "quiz">, given: ComparisonAsked): Check {
  const { q, sort, dir, limit, offset } = given;
  const paging = { sort, dir, limit: String(limit), offset: String(offset), ...(q === "" ? {} : { q }) };
  return {
    path: pathOf(world, { ...asked, quiz: null }, "quizzes", paging),
    differences(body) {
      const { rows, currency: _, ...expected } = comparison(world, asked, q);
      const data = sortedRows(rows, sort, dir).slice(offset, offset + limit);
      const has_more = offset + limit < rows.length;
      return differences(body, { ...expected, sort, dir, limit, offset, has_more, data: data.map(({ row }) => row) });
    },
  };
}
