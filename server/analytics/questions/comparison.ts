import type { ComparisonAnswer, ComparisonRow } from "../../../contract/analytics-answers.ts";
import type { FiguresOf } from "../../../contract/analytics-shapes.ts";
import type { comparisonSorts, directions } from "../../../contract/analytics-values.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { raw, type StoreRunner, sql } from "../../platform/database/sql.ts";
import { foldText } from "../../platform/fold-text.ts";
import { formatId } from "../../platform/ids.ts";
import { minorUnits } from "../../platform/money.ts";
import { presentQuizzes } from "../../quizzes/public.ts";
import type { Selection } from "../selection.ts";
import { within } from "./days.ts";
import { countsAsMoney, moneyAndRefunds, moneyRate, rate, sumOf, timeToComplete } from "./figures.ts";
import { narrowed, ofScope, type Scope, scopeOf } from "./scope.ts";
import { type SplitCounts, splitCounts } from "./split.ts";
import { compareNames, compareTexts } from "./texts.ts";

export interface ComparisonPage {
  /** part of the name, case-insensitive; null for all quizzes */
  q: string | null;
  sort: (typeof comparisonSorts)[number];
  dir: (typeof directions)[number];
  limit: number;
  offset: number;
}

/**
 * Compares all quizzes of the store that are not deleted [figures.comparison-rows, figures.comparison-paging]. Rows
 * without a value come last in both directions; equal ones are ordered by name, then id [figures.comparison-order].
 */
export async function comparison(
  query: CopyQuery,
  db: StoreRunner,
  selection: Selection,
  { q, sort, dir, limit, offset }: ComparisonPage,
): Promise<FiguresOf<ComparisonAnswer>> {
  const { store } = selection;
  const scope = await scopeOf(query, selection);
  const [taken, bought, storeRevenue, quizzes] = await Promise.all([
    readSessions(query, selection, scope),
    readOrders(query, selection, scope),
    readStoreRevenue(query, selection),
    presentQuizzes(db),
  ]);
  const sessions = new Map(taken.map((row) => [row.id, row]));
  const orders = new Map(bought.map((row) => [row.id, row]));
  const part = q === null ? "" : foldText(q);
  const rows = quizzes
    .filter(({ name }) => foldText(name).includes(part))
    .map((quiz) => compared(quiz, sessions.get(quiz.id), orders.get(quiz.id), storeRevenue, store.currency))
    .sort(order(sort, dir));
  const data = rows.slice(offset, offset + limit).map(({ row }) => row);
  return { data, total: rows.length, has_more: offset + data.length < rows.length, limit, offset, sort, dir };
}

interface SessionsRow extends SplitCounts {
  /** UUID of the quiz */
  id: string;
  opt_ins: number;
  mean: number | null;
  median: number | null;
}

/** A session with both kinds of opt-in counts once, on the day of the first [figures.opt-in-once]. */
function readSessions(query: CopyQuery, { range }: Selection, scope: Scope): Promise<SessionsRow[]> {
  const completed = sql`FILTER (WHERE ${within(range, "s.completed")})`;
  return query(sql<SessionsRow>`
    SELECT CAST(q.id AS VARCHAR) AS id, c.* EXCLUDE (quiz) FROM (
      SELECT s.quiz, ${splitCounts(range)},
        count(CASE WHEN ${within(range, "least(s.email_at, s.phone_at)")} THEN 1 END) AS opt_ins,
        avg(${timeToComplete}) ${completed} AS mean, median(${timeToComplete}) ${completed} AS median
      FROM sessions AS s WHERE ${ofScope(scope)} GROUP BY s.quiz) AS c
    JOIN quizzes AS q USING (quiz)`);
}

interface OrdersRow {
  id: string;
  orders: number;
  revenue: string | null;
  refunded: string | null;
}

function readOrders(query: CopyQuery, { range, store }: Selection, scope: Scope): Promise<OrdersRow[]> {
  return query(sql<OrdersRow>`
    SELECT CAST(q.id AS VARCHAR) AS id, c.* EXCLUDE (quiz) FROM (
      SELECT o.quiz, count(*) AS orders, ${sumOf("o.total", countsAsMoney(store, "o"))} AS revenue,
        ${sumOf("o.refunded", countsAsMoney(store, "o"))} AS refunded
      FROM orders AS o ${narrowed(scope)}
      WHERE o.session IS NOT NULL AND ${within(range, "o.created")} GROUP BY o.quiz) AS c
    JOIN quizzes AS q USING (quiz)`);
}

/** Revenue of all orders, with or without a quiz and regardless of filters [figures.attributed-share]. */
async function readStoreRevenue(query: CopyQuery, { range }: Selection): Promise<string | null> {
  const [row] = await query(
    sql<{
      revenue: string | null;
    }>`SELECT ${sumOf("o.total", raw("o.in_currency"))} AS revenue FROM orders AS o WHERE ${within(range, "o.created")}`,
  );
  return row?.revenue ?? null;
}

interface Compared {
  row: ComparisonRow;
  optIns: number;
}

function compared(
  quiz: { id: string; name: string; status: "draft" | "published" },
  sessions: SessionsRow | undefined,
  orders: OrdersRow | undefined,
  storeRevenue: string | null,
  currency: string,
): Compared {
  const starts = sessions?.starts ?? 0;
  const completions = sessions?.completions ?? 0;
  const revenue = orders?.revenue ?? null;
  return {
    optIns: sessions?.opt_ins ?? 0,
    row: {
      quiz_id: formatId("quiz", quiz.id),
      name: quiz.name,
      status: quiz.status,
      views: sessions?.views ?? 0,
      starts,
      completions,
      email_opt_ins: sessions?.email_opt_ins ?? 0,
      phone_opt_ins: sessions?.phone_opt_ins ?? 0,
      orders: orders?.orders ?? 0,
      completion_rate: rate(completions, starts),
      attributed_share: moneyRate(revenue, storeRevenue, currency),
      avg_time_to_complete_ms: sessions?.mean ?? null,
      median_time_to_complete_ms: sessions?.median ?? null,
      ...moneyAndRefunds(orders ?? {}, currency),
    },
  };
}

function order(sort: ComparisonPage["sort"], dir: ComparisonPage["dir"]): (a: Compared, b: Compared) => number {
  const sign = dir === "asc" ? 1 : -1;
  const byName = (a: Compared, b: Compared) => compareNames(a.row.name, b.row.name);
  const byId = (a: Compared, b: Compared) => compareTexts(a.row.quiz_id, b.row.quiz_id);
  if (sort === "name") return (a, b) => sign * byName(a, b) || byId(a, b);
  return (a, b) => compareFigures(figureOf(a, sort), figureOf(b, sort), sign) || byName(a, b) || byId(a, b);
}

function figureOf({ row, optIns }: Compared, sort: Exclude<ComparisonPage["sort"], "name">): number | bigint | null {
  if (sort === "opt_ins") return optIns;
  if (sort === "share") return row.attributed_share;
  if (sort === "revenue") return row.revenue && minorUnits(row.revenue.amount, row.revenue.currency);
  return row[sort];
}

function compareFigures(a: number | bigint | null, b: number | bigint | null, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a < b ? -sign : a > b ? sign : 0;
}
