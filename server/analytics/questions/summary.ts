import type { SummaryAnswer } from "../../../contract/analytics-answers.ts";
import type { Money } from "../../../contract/common.ts";
import type { FactsQuery } from "../../facts/public.ts";
import type { Runner } from "../../platform/database/statements.ts";
import { minorUnits } from "../../platform/money.ts";
import type { Asked, DayRange } from "../asked.ts";
import { countDays, type OrdersRow, readOrders } from "./daily.ts";
import { money } from "./figures.ts";
import { type Scope, scopeOf } from "./scope.ts";

/**
 * The store's last days beside as many before them (2.9): each thing on the day it happened; revenue of the orders inside the
 * window (D2, D6). A session opts in once, with its first email or phone that its checkbox does not deny (D4).
 *
 * @param previous the days right before those of `asked`
 */
export async function summary(
  query: FactsQuery,
  _db: Runner,
  asked: Asked,
  previous: DayRange,
): Promise<Omit<SummaryAnswer, "period" | "range" | "previous_range" | "filters" | "freshness">> {
  const { store, range } = asked;
  const scope = await scopeOf(query, asked);
  const now = await readPeriod(query, asked, scope);
  const before = await readPeriod(query, { ...asked, range: previous }, scope);
  const compared = (figure: keyof typeof momentOf) => compare(now.counts[figure], before.counts[figure]);
  return {
    views: compared("views"),
    starts: compared("starts"),
    completions: compared("completions"),
    opt_ins: compared("opt_ins"),
    orders: compare(ordersOf(now.orders, range), ordersOf(before.orders, previous)),
    revenue: compareRevenue(now.orders, before.orders, range, store.currency),
  };
}

const momentOf = {
  views: "s.opened",
  starts: "s.started",
  completions: "s.completed",
  // the earlier of the two; NULL only when both are
  opt_ins: "least(s.email_at, s.phone_at)",
};

async function readPeriod(query: FactsQuery, asked: Asked, scope: Scope) {
  return {
    counts: await countDays(query, asked.range, scope, momentOf),
    orders: new Map((await readOrders(query, asked, scope)).map((row) => [row.day, row])),
  };
}

interface Daily {
  days: number[];
  total: number;
}

const ordersOf = (orders: ReadonlyMap<number | null, OrdersRow>, { days }: DayRange): Daily => ({
  days: days.map((_, index) => orders.get(index)?.orders ?? 0),
  total: orders.get(null)?.orders ?? 0,
});

const compare = (now: Daily, before: Daily): SummaryAnswer["orders"] => ({
  current: now.total,
  previous: before.total,
  delta_pct: deltaPct(now.total, before.total),
  sparkline: now.days,
});

/** 100 x (current - previous) / previous; null when that would divide by zero (D2) */
const deltaPct = (current: number, previous: number): number | null =>
  previous === 0 ? null : (100 * (current - previous)) / previous;

function compareRevenue(
  now: ReadonlyMap<number | null, OrdersRow>,
  before: ReadonlyMap<number | null, OrdersRow>,
  { days }: DayRange,
  currency: string,
): SummaryAnswer["revenue"] {
  const revenue = (rows: typeof now, day: number | null): Money => money(rows.get(day)?.revenue ?? null, currency);
  const current = revenue(now, null);
  const previous = revenue(before, null);
  const units = ({ amount }: Money) => Number(minorUnits(amount, currency));
  return {
    current,
    previous,
    delta_pct: deltaPct(units(current), units(previous)),
    sparkline: days.map((_, index) => revenue(now, index)),
  };
}
