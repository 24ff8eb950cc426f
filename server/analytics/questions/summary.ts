import type { SummaryAnswer } from "../../../contract/analytics-answers.ts";
import type { Money } from "../../../contract/common.ts";
import type { CopyQuery } from "../../columnar-copy/public.ts";
import type { StoreRunner } from "../../platform/database/sql.ts";
import { minorUnits } from "../../platform/money.ts";
import { dayRuns } from "../../platform/time-zones.ts";
import type { DayRange, Selection } from "../selection.ts";
import { countDays, type Day, type OrdersRow, readOrders } from "./daily.ts";
import { moneyAndRefunds } from "./figures.ts";
import { scopeOf } from "./scope.ts";

/**
 * The store's most recent days compared with as many days before them [figures.summary]: each count on the day it
 * happened; revenue from orders within the window. A session opts in once, with its first email or phone whose checkbox
 * does not deny it [figures.opt-in-once].
 *
 * @param previous the days directly before those of the selection
 */
export async function summary(
  query: CopyQuery,
  _db: StoreRunner,
  selection: Selection,
  previous: DayRange,
): Promise<Omit<SummaryAnswer, "period" | "range" | "previous_range" | "filters" | "freshness">> {
  const { store, range } = selection;
  const scope = await scopeOf(query, selection);
  const [counts, ...orders] = await Promise.all([
    countDays(query, bothOf(previous, range), scope, momentOf),
    readOrders(query, selection, scope),
    readOrders(query, { store, range: previous }, scope),
  ]);
  const [now, before] = [byDay(orders[0]), byDay(orders[1])];
  const compared = (figure: keyof typeof momentOf) => {
    const { days } = counts[figure];
    return compare(dailyOf(days.slice(previous.days.length)), dailyOf(days.slice(0, previous.days.length)));
  };
  return {
    views: compared("views"),
    starts: compared("starts"),
    completions: compared("completions"),
    opt_ins: compared("opt_ins"),
    orders: compare(ordersOf(now, range), ordersOf(before, previous)),
    ...compareMoney(now, before, range, store.currency),
  };
}

const momentOf = {
  views: "s.opened",
  starts: "s.started",
  completions: "s.completed",
  // the earlier of the two; NULL only if both are
  opt_ins: "least(s.email_at, s.phone_at)",
};

/** Both ranges as one, so that each figure takes a single scan. */
const bothOf = (previous: DayRange, range: DayRange): DayRange => ({
  ...range,
  from: previous.from,
  days: [...previous.days, ...range.days],
  runs: dayRuns(previous.from, range.to, range.timezone),
});

type ByDay = ReadonlyMap<Day, OrdersRow>;
const byDay = (rows: readonly OrdersRow[]): ByDay => new Map(rows.map((row) => [row.day, row]));

interface Daily {
  days: number[];
  total: number;
}

const dailyOf = (days: number[]): Daily => ({ days, total: days.reduce((sum, count) => sum + count, 0) });

const ordersOf = (orders: ByDay, { days }: DayRange): Daily => ({
  days: days.map((_, index) => orders.get(index)?.orders ?? 0),
  total: orders.get(null)?.orders ?? 0,
});

const compare = (now: Daily, before: Daily): SummaryAnswer["orders"] => ({
  current: now.total,
  previous: before.total,
  delta_pct: deltaPct(now.total, before.total),
  sparkline: now.days,
});

/** 100 x (current - previous) / previous; null if previous is zero [figures.change-percent] */
const deltaPct = (current: number, previous: number): number | null =>
  previous === 0 ? null : (100 * (current - previous)) / previous;

type ComparedMoney = SummaryAnswer["revenue"];

/** Revenue, what was paid back of it, and what is left [figures.refunds]. */
function compareMoney(now: ByDay, before: ByDay, { days }: DayRange, currency: string) {
  const compared = (figure: keyof ReturnType<typeof moneyAndRefunds>): ComparedMoney => {
    const of = (rows: ByDay, day: Day): Money => moneyAndRefunds(rows.get(day) ?? {}, currency)[figure];
    const [current, previous] = [of(now, null), of(before, null)];
    const units = ({ amount }: Money) => Number(minorUnits(amount, currency));
    return {
      current,
      previous,
      delta_pct: deltaPct(units(current), units(previous)),
      sparkline: days.map((_, index) => of(now, index)),
    };
  };
  return { revenue: compared("revenue"), refunded: compared("refunded"), net_revenue: compared("net_revenue") };
}
