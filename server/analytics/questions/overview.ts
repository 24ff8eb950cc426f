import type { OverviewAnswer, OverviewTotals, SeriesPoint } from "../../../contract/analytics-answers.ts";
import type { FiguresOf } from "../../../contract/analytics-shapes.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import { type StoreRunner, sql } from "../../platform/database/sql.ts";
import { formatId } from "../../platform/ids.ts";
import type { Selection } from "../selection.ts";
import { countDays, type DailyCounts, type Day, type OrdersRow, readOrders } from "./daily.ts";
import { byDayAndInTotal, dayMs, within } from "./days.ts";
import {
  type BucketSums,
  bucketSums,
  moneyAndRefunds,
  moneyByBucket,
  moneyEach,
  rate,
  timeToComplete,
} from "./figures.ts";
import { readLife } from "./life.ts";
import { narrowed, ofQuiz, ofScope, type Scope, scopeOf, whole } from "./scope.ts";
import { countViewers, type Viewers } from "./viewers.ts";

/**
 * The overview of a quiz or of the whole store: each count on the day it happened [figures.own-day]. There is a row for
 * each day and one without a day for the whole range, since distinct visitors and medians cannot be summed over days.
 */
export async function overview(
  query: CopyQuery,
  db: StoreRunner,
  selection: Selection,
): Promise<FiguresOf<OverviewAnswer>> {
  const { quizId, store } = selection;
  const scope = await scopeOf(query, selection);
  const [counted, life, checkoutTimes] = await Promise.all([
    count(query, selection, scope),
    readLife(query, db, selection, scope),
    readCheckoutTimes(query, selection, scope),
  ]);
  return {
    quiz_id: quizId === null ? null : formatId("quiz", quizId),
    ...life,
    series: seriesOf(counted, selection),
    totals: {
      ...pointOf(counted, null, store.currency),
      ...totalsOf(counted, store.currency),
      ...checkoutTimes,
    },
  };
}

/** Only the daily series of the overview. */
export async function dailySeries(query: CopyQuery, selection: Selection): Promise<SeriesPoint[]> {
  return seriesOf(await count(query, selection, await scopeOf(query, selection)), selection);
}

const seriesOf = (counted: Counted, { range, store }: Selection): SeriesPoint[] =>
  range.days.map((day, index) => ({ day, ...pointOf(counted, index, store.currency) }));

async function count(query: CopyQuery, selection: Selection, scope: Scope): Promise<Counted> {
  const [viewers, completions, counts, orders, lines] = await Promise.all([
    countViewers(query, selection.range, scope),
    readCompletions(query, selection, scope),
    countDays(query, selection.range, scope, momentOf),
    readOrders(query, selection, scope),
    readLines(query, selection, scope),
  ]);
  return { viewers, counts, completions: ofDays(completions), orders: ofDays(orders), lines: ofDays(lines) };
}

/**
 * Moments that a session has at most once: views by opening, starts by first answer, opt-ins and denials by capture
 * [figures.own-day].
 */
const momentOf = {
  views: "s.opened",
  starts: "s.started",
  email_opt_ins: "s.email_at",
  phone_opt_ins: "s.phone_at",
  consent_denied: "s.denied_at",
};

type ByDay<Row> = ReadonlyMap<Day, Row>;
const ofDays = <Row extends { day: Day }>(rows: readonly Row[]): ByDay<Row> =>
  new Map(rows.map((row) => [row.day, row]));

interface Counted {
  viewers: Viewers;
  completions: ByDay<CompletionsRow>;
  counts: DailyCounts<keyof typeof momentOf>;
  orders: ByDay<OrdersRow>;
  lines: ByDay<LinesRow>;
}

interface CompletionsRow {
  day: Day;
  completions: number;
  mean: number | null;
  median: number | null;
}

function readCompletions(query: CopyQuery, { range }: Selection, scope: Scope): Promise<CompletionsRow[]> {
  const figures = sql`count(*) AS completions, avg(${timeToComplete}) AS mean, median(${timeToComplete}) AS median`;
  const sessions = sql`FROM sessions AS s WHERE ${ofScope(scope)}`;
  return query<CompletionsRow>(byDayAndInTotal(range, "s.completed", figures, sessions));
}

type LinesRow = BucketSums & { day: Day };

/** Line revenue by bucket, on the order's day [figures.revenue-by-bucket]. */
function readLines(query: CopyQuery, { range, store }: Selection, scope: Scope): Promise<LinesRow[]> {
  const lines = sql`FROM lines AS l ${narrowed(scope)} WHERE ${ofQuiz(scope, "l")}`;
  return query<LinesRow>(byDayAndInTotal(range, "l.created", bucketSums(store), lines));
}

type CheckoutTimes = Pick<
  OverviewTotals,
  "avg_quiz_to_checkout_ms" | "median_quiz_to_checkout_ms" | "avg_came_back_to_buy_ms" | "median_came_back_to_buy_ms"
>;

/**
 * Times from finish to order. Within a day of the session's end the quiz led to the checkout; after that the shopper
 * came back [figures.checkout-times]. A quiz finished after the order counts for neither. The platform's times are
 * whole seconds, so a quiz finished in the same second counts as finished before the order.
 */
async function readCheckoutTimes(query: CopyQuery, { range }: Selection, scope: Scope): Promise<CheckoutTimes> {
  const [row] = await query(sql<CheckoutTimes>`
    SELECT avg(waited) FILTER (WHERE at_once) AS avg_quiz_to_checkout_ms,
      median(waited) FILTER (WHERE at_once) AS median_quiz_to_checkout_ms,
      avg(waited) FILTER (WHERE NOT at_once) AS avg_came_back_to_buy_ms,
      median(waited) FILTER (WHERE NOT at_once) AS median_came_back_to_buy_ms
    FROM (
      SELECT greatest(o.after_completed_ms, 0) AS waited, o.after_ended_ms <= ${whole(dayMs)} AS at_once
      FROM orders AS o ${narrowed(scope)}
      WHERE ${ofQuiz(scope, "o")} AND ${within(range, "o.created")}
        AND o.created >= (o.created - o.after_completed_ms) // 1000 * 1000)`);
  if (!row) throw new Error("an aggregate without groups has a row");
  return row;
}

function pointOf(counted: Counted, day: Day, currency: string): Omit<SeriesPoint, "day"> {
  const { viewers, completions, counts, orders, lines } = counted;
  const count = (figure: keyof typeof momentOf) =>
    day === null ? counts[figure].total : (counts[figure].days[day] ?? 0);
  return {
    views: count("views"),
    unique_viewers_approx: day === null ? viewers.total : (viewers.days[day] ?? 0),
    starts: count("starts"),
    completions: completions.get(day)?.completions ?? 0,
    email_opt_ins: count("email_opt_ins"),
    phone_opt_ins: count("phone_opt_ins"),
    consent_denied: count("consent_denied"),
    orders: orders.get(day)?.orders ?? 0,
    orders_inside_window: orders.get(day)?.inside ?? 0,
    avg_time_to_complete_ms: completions.get(day)?.mean ?? null,
    median_time_to_complete_ms: completions.get(day)?.median ?? null,
    ...moneyAndRefunds(orders.get(day) ?? {}, currency),
    revenue_by_bucket: moneyByBucket(lines.get(day), currency),
  };
}

/**
 * The average order value covers the same orders as the revenue: orders in another currency are in neither
 * [figures.average-order].
 */
function totalsOf(counted: Counted, currency: string) {
  const { views, starts, completions } = pointOf(counted, null, currency);
  const orders = counted.orders.get(null);
  return {
    start_rate: rate(starts, views),
    completion_rate: rate(completions, starts),
    aov: moneyEach(orders?.revenue ?? null, orders?.paid ?? 0, currency),
    revenue_by_bucket: moneyByBucket(counted.lines.get(null), currency),
  };
}
