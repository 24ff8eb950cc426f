import type { CopyQuery } from "../../columnar-copy/public.ts";
import type { Store } from "../../platform/caller.ts";
import { joined, raw, sql } from "../../platform/database/sql.ts";
import type { DayRange } from "../selection.ts";
import { byDay, byDayAndInTotal } from "./days.ts";
import { countsAsMoney, insideWindow, sumOf } from "./figures.ts";
import { narrowed, ofQuiz, ofScope, type Scope } from "./scope.ts";

/** Daily figures that several questions share. */

/** An index into the range's days; null for the whole range. */
export type Day = number | null;

export type DailyCounts<Figure extends string> = Record<Figure, { days: number[]; total: number }>;

/**
 * Counts sessions of the scope by the day of a moment. Each session has the moment at most once, so the range's total
 * is the sum of its days.
 *
 * @param momentOf for each figure an expression over `sessions` as `s`; NULL if the session has no such moment
 */
export async function countDays<Figure extends string>(
  query: CopyQuery,
  range: DayRange,
  scope: Scope,
  momentOf: Record<Figure, string>,
): Promise<DailyCounts<Figure>> {
  const sessions = sql`FROM sessions AS s WHERE ${ofScope(scope)}`;
  const figures = Object.keys(momentOf) as Figure[];
  const ofFigures = figures.map((figure) =>
    byDay(range, momentOf[figure], sql`${raw(`'${figure}'`)} AS figure, count(*) AS sessions`, sessions),
  );
  const none = () => ({ days: range.days.map(() => 0), total: 0 });
  const counts = Object.fromEntries(figures.map((figure) => [figure, none()])) as DailyCounts<Figure>;
  type Row = { figure: Figure; day: number; sessions: number };
  const rows = await query(sql<Row>`${joined(ofFigures, " UNION ALL ")}`);
  for (const { figure, day, sessions: count } of rows) {
    counts[figure].days[day] = count;
    counts[figure].total += count;
  }
  return counts;
}

export interface OrdersRow {
  day: Day;
  orders: number;
  /** orders within the store's window */
  inside: number;
  /** of these, orders in the store's currency */
  paid: number;
  revenue: string | null;
  /** what was paid back of it */
  refunded: string | null;
}

/** Orders of the scope's sessions, by the order's own day and in total [figures.orders, figures.order-window]. */
export function readOrders(
  query: CopyQuery,
  { range, store }: { range: DayRange; store: Store },
  scope: Scope,
): Promise<OrdersRow[]> {
  const isPaid = countsAsMoney(store, "o");
  const figures = sql`count(*) AS orders, count(*) FILTER (WHERE ${insideWindow(store, "o")}) AS inside,
    count(*) FILTER (WHERE ${isPaid}) AS paid, ${sumOf("o.total", isPaid)} AS revenue,
    ${sumOf("o.refunded", isPaid)} AS refunded`;
  const orders = sql`FROM orders AS o ${narrowed(scope)} WHERE ${ofQuiz(scope, "o")} AND o.session IS NOT NULL`;
  return query<OrdersRow>(byDayAndInTotal(range, "o.created", figures, orders));
}
