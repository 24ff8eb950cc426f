import type { MoneyByBucket } from "../../../contract/analytics-shapes.ts";
import type { Bucket } from "../../../contract/analytics-values.ts";
import { buckets } from "../../../contract/analytics-values.ts";
import type { Money } from "../../../contract/common.ts";
import type { Store } from "../../platform/caller.ts";
import { joined, raw, type Statement, sql } from "../../platform/database/sql.ts";
import { minorUnits, moneyFromMinor } from "../../platform/money.ts";
import { dayMs } from "./days.ts";
import { whole } from "./scope.ts";

/** Rates, money, and conditions on orders that several questions share. */

/** null if the denominator is zero [figures.rates] */
export const rate = (part: number, of: number): number | null => (of === 0 ? null : part / of);

/**
 * Completed minus started, but never negative: an answer may arrive after the finish of its own session
 * [figures.time-to-complete].
 */
export const timeToComplete = raw("greatest(s.completed - s.started, 0)");

/**
 * Converts a sum from SQL (decimal text, NULL over no rows). No money is zero rather than null [figures.zero-money].
 */
export const money = (sum: string | null, currency: string): Money =>
  moneyFromMinor(minorUnits(sum ?? "0", currency), currency);

/** Revenue with what was paid back of it, and what is left [figures.refunds]. */
export function moneyAndRefunds(
  { revenue = null, refunded = null }: { revenue?: string | null; refunded?: string | null },
  currency: string,
): { revenue: Money; refunded: Money; net_revenue: Money } {
  const units = (sum: string | null) => minorUnits(sum ?? "0", currency);
  return {
    revenue: money(revenue, currency),
    refunded: money(refunded, currency),
    net_revenue: moneyFromMinor(units(revenue) - units(refunded), currency),
  };
}

/** A sum divided equally, rounded half away from zero; null if divided by zero. */
export function moneyEach(sum: string | null, among: number, currency: string): Money | null {
  if (among === 0) return null;
  const units = minorUnits(sum ?? "0", currency);
  const count = BigInt(among);
  const size = units < 0n ? -units : units;
  const each = (2n * size + count) / (2n * count);
  return moneyFromMinor(units < 0n ? -each : each, currency);
}

/** The ratio of two sums of money; null if the second is zero. */
export function moneyRate(part: string | null, of: string | null, currency: string): number | null {
  return rate(Number(minorUnits(part ?? "0", currency)), Number(minorUnits(of ?? "0", currency)));
}

/** Orders, or order lines, within the store's window after their session's start [figures.order-window]. */
export const insideWindow = ({ allowances }: Store, alias: string): Statement =>
  sql`${raw(alias)}.after_start_ms <= ${whole(allowances.order_window_days * dayMs)}`;

/** Orders or lines that count as revenue: those in another currency do not [figures.revenue]. */
export const countsAsMoney = (store: Store, alias: string): Statement =>
  sql`${insideWindow(store, alias)} AND ${raw(alias)}.in_currency`;

/** An exact sum as text, since floating-point numbers cannot represent money exactly. */
export const sumOf = (amount: string, condition: Statement): Statement =>
  sql`CAST(sum(${raw(amount)}) FILTER (WHERE ${condition}) AS VARCHAR)`;

export type BucketSums = Record<Bucket, string | null>;

/** Revenue of `lines` as `l` by bucket; each sum is named after its bucket. */
export const bucketSums = (store: Store): Statement =>
  joined(
    buckets.map((bucket) => {
      // a literal, since a statement with parameters is planned twice
      const isCounted = sql`l.bucket = ${raw(`'${bucket}'`)} AND ${countsAsMoney(store, "l")}`;
      return sql`${sumOf("l.amount", isCounted)} AS ${raw(bucket)}`;
    }),
  );

export const moneyByBucket = (sums: Partial<BucketSums> | undefined, currency: string): MoneyByBucket => ({
  added_from_quiz: money(sums?.added_from_quiz ?? null, currency),
  shown_bought_later: money(sums?.shown_bought_later ?? null, currency),
  bought_not_shown: money(sums?.bought_not_shown ?? null, currency),
});
