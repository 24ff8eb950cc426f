import type { Bucket, productSorts } from "../../../contract/analytics-values.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { joined, raw, type Statement, sql } from "../../platform/database/sql.ts";
import type { Selection } from "../selection.ts";
import { within } from "./days.ts";
import { type BucketSums, bucketSums, insideWindow, sumOf } from "./figures.ts";
import { narrowed, ofQuiz, type Scope, whole } from "./scope.ts";

/** Reads products that were shown or sold from the copy [products.rows, products.sold]. */

export interface Part {
  selection: Selection;
  scope: Scope;
  page: {
    sort: (typeof productSorts)[number];
    limit: number;
    /** null: the figures cover all buckets [products.bucket] */
    bucket: Bucket | null;
  };
}

export interface FoundProduct extends BucketSums {
  product_id: string;
  times_shown: number;
  units: number;
  orders: number;
  revenue: string | null;
  refunded: string | null;
  /** title of the newest line in the range; null if none was sold */
  line_title: string | null;
  /** UUID of the quiz that showed it most; if never shown, the quiz of its newest order [products.shown-on] */
  quiz_id: string;
  /** where it was shown most; null if it was not shown */
  page_key: string | null;
  block_key: string | null;
  /** the total number of products, regardless of the limit */
  all_products: number;
}

const figureOf: Record<Exclude<(typeof productSorts)[number], "title">, string> = {
  revenue: "coalesce(sold.revenue, 0)",
  units: "coalesce(sold.units, 0)",
  orders: "coalesce(sold.orders, 0)",
  times_shown: "coalesce(seen.times_shown, 0)",
};

/** The lines of the range that the figures cover, as `l`. */
function coveredLines({ selection, scope, page }: Part): Statement {
  const bucket = page.bucket === null ? raw("true") : sql`l.bucket = ${page.bucket}`;
  return sql`FROM lines AS l ${narrowed(scope)}
        WHERE ${ofQuiz(scope, "l")} AND ${within(selection.range, "l.created")} AND ${insideWindow(selection.store, "l")} AND ${bucket}`;
}

/**
 * One row per product: those of the page, or all products if sorted by title, since titles come from the catalog. The
 * place that showed a product most is the one with the most sessions; ties go to the most recent, then to the highest
 * keys.
 */
export function readProducts(query: CopyQuery, part: Part): Promise<FoundProduct[]> {
  const { selection, scope, page } = part;
  const limit = page.sort === "title" ? raw("") : sql`LIMIT ${whole(page.limit)}`;
  const order = raw(page.sort === "title" ? "p.product_id" : `${figureOf[page.sort]} DESC, p.product_id`);
  const { times_shown: timesShown, units, orders } = figureOf;
  return query(sql<FoundProduct>`
    WITH sold AS MATERIALIZED (
        SELECT l.product, sum(l.units) AS units, count(DISTINCT l.order_id) AS orders,
          sum(l.amount) FILTER (WHERE l.in_currency) AS revenue,
          sum(l.refunded) FILTER (WHERE l.in_currency) AS refunded,
          ${bucketSums(selection.store)},
          arg_max({title: l.title, quiz: l.quiz}, {a: l.created, b: l.order_id, c: l.title}) AS newest
        ${coveredLines(part)} AND l.product IS NOT NULL
        GROUP BY l.product),
      places AS (
        SELECT h.product, h.block, count(*) AS sessions, count(*) FILTER (WHERE h.first) AS first_shown, max(h.shown_at) AS latest
        FROM shown AS h ${narrowed(scope)}
        WHERE ${ofQuiz(scope, "h")} AND ${within(selection.range, "h.shown_at")}
        GROUP BY ALL),
      seen AS MATERIALIZED (
        SELECT w.product, sum(w.first_shown) AS times_shown,
          arg_max({quiz: b.quiz, page_key: b.page_key, block_key: b.block_key},
            {a: w.sessions, b: w.latest, c: z.id, d: b.page_key, e: b.block_key}) AS most
        FROM places AS w JOIN blocks AS b USING (block) JOIN quizzes AS z ON z.quiz = b.quiz
        GROUP BY w.product HAVING sum(w.first_shown) > 0)
    SELECT p.product_id, ${raw(timesShown)} AS times_shown, ${raw(units)} AS units, ${raw(orders)} AS orders,
      CAST(sold.revenue AS VARCHAR) AS revenue, CAST(sold.refunded AS VARCHAR) AS refunded, sold.added_from_quiz, sold.shown_bought_later, sold.bought_not_shown,
      sold.newest.title AS line_title, CAST(z.id AS VARCHAR) AS quiz_id, seen.most.page_key AS page_key,
      seen.most.block_key AS block_key, (SELECT count(*) FROM sold FULL JOIN seen USING (product)) AS all_products
    FROM sold FULL JOIN seen USING (product) JOIN products AS p USING (product)
    JOIN quizzes AS z ON z.quiz = coalesce(seen.most.quiz, sold.newest.quiz)
    ORDER BY ${order} ${limit}`);
}

/** Totals over all lines, regardless of the limit, so that they agree with the overview of the same range. */
export type LineTotals = BucketSums & { revenue: string | null; refunded: string | null };

export async function readLineTotals(query: CopyQuery, part: Part): Promise<LineTotals | undefined> {
  const [totals] = await query(sql<LineTotals>`
    SELECT ${sumOf("l.amount", raw("l.in_currency"))} AS revenue,
      ${sumOf("l.refunded", raw("l.in_currency"))} AS refunded,
      ${bucketSums(part.selection.store)}
    ${coveredLines(part)}`);
  return totals;
}

/** Orders behind the figures that are linked to their session only by an email [products.email-orders]. */
export async function readMatchedByEmail(query: CopyQuery, part: Part): Promise<number> {
  const { selection, scope, page } = part;
  const bucket = page.bucket === null ? raw("true") : sql`o.id IN (SELECT l.order_id ${coveredLines(part)})`;
  const [row] = await query(sql<{ orders: number }>`
    SELECT count(*) AS orders FROM orders AS o ${narrowed(scope)}
    WHERE ${ofQuiz(scope, "o")} AND o.tier = 'email' AND ${within(selection.range, "o.created")}
      AND ${insideWindow(selection.store, "o")} AND ${bucket}`);
  return row?.orders ?? 0;
}

/** Titles from the newest line of any time, for products named neither in the catalog nor by a line of the range. */
export async function readOldTitles(query: CopyQuery, productIds: readonly string[]): Promise<Map<string, string>> {
  if (productIds.length === 0) return new Map();
  const ids = joined(productIds.map((id) => sql`${id}`));
  const rows = await query(sql<{ product_id: string; title: string }>`
    SELECT p.product_id, arg_max(l.title, {a: l.created, b: l.order_id, c: l.title}) AS title
    FROM lines AS l JOIN products AS p USING (product) WHERE p.product_id IN (${ids}) GROUP BY p.product_id`);
  return new Map(rows.map(({ product_id, title }) => [product_id, title]));
}
