import { echo, onDay, type Question, type Scope, scopeOf, type World } from "./asked.ts";
import { dayOf, daysBetween } from "./days.ts";
import { change, exact, exactRatio, mean, median, money, ratio, total } from "./numbers.ts";
import { type Bucket, buckets } from "./orders.ts";
import type { WebhookSession } from "./sessions.ts";

/** Overview, summary and comparison: each thing counts on the day on which it happened [figures.own-day]. */

export const visitorsOf = (sessions: readonly WebhookSession[]): number =>
  new Set(sessions.map((session) => session.given.visitor)).size;

/** The earlier of the two opt-ins [figures.opt-in-once]. */
export function optedInAt({ emailAt, phoneAt }: WebhookSession): number | null {
  if (emailAt === null || phoneAt === null) return emailAt ?? phoneAt;
  return Math.min(emailAt, phoneAt);
}

export const completionTimes = (sessions: readonly WebhookSession[]): number[] =>
  sessions.flatMap(({ completed, started }) => {
    return completed === null || started === null ? [] : [Math.max(0, completed - started)];
  });

export function sessionCounts({ sessions, inRange }: Scope) {
  return {
    views: sessions.filter((session) => inRange(session.opened)).length,
    unique_viewers_approx: visitorsOf(sessions.filter((session) => inRange(session.opened))),
    starts: sessions.filter((session) => inRange(session.started)).length,
    completions: sessions.filter((session) => inRange(session.completed)).length,
    email_opt_ins: sessions.filter((session) => inRange(session.emailAt)).length,
    phone_opt_ins: sessions.filter((session) => inRange(session.phoneAt)).length,
  };
}

/** Orders inside the window, which count as revenue [figures.revenue]. */
export const moneyOrders = (orders: Scope["orders"]): Scope["orders"] =>
  orders.filter((order) => order.insideWindow && order.inCurrency);

export const revenueOf = (orders: Scope["orders"]): bigint => total(moneyOrders(orders).map((order) => order.total));

/** What was paid back of those, and what is left; each is rounded by itself [figures.refunds]. */
export function refundsOf(orders: Scope["orders"], currency: string) {
  const refunded = money(total(moneyOrders(orders).map((order) => order.refunded)), currency);
  const left = exact(money(revenueOf(orders), currency).amount) - exact(refunded.amount);
  return { refunded, net_revenue: money(left, currency) };
}

export const bucketAmount = (orders: Scope["orders"], bucket: Bucket): bigint =>
  total(
    moneyOrders(orders).flatMap(({ lines }) => lines.flatMap((line) => (line.bucket === bucket ? [line.amount] : []))),
  );

const byBucket = (orders: Scope["orders"], currency: string) =>
  Object.fromEntries(buckets.map((bucket) => [bucket, money(bucketAmount(orders, bucket), currency)]));

function figures(scope: Scope) {
  const { inRange, sessions, world } = scope;
  const orders = scope.orders.filter((order) => inRange(order.createdAt));
  const times = completionTimes(sessions.filter((session) => inRange(session.completed)));
  const { currency } = world.history;
  return {
    ...sessionCounts(scope),
    consent_denied: sessions.filter((session) => inRange(session.deniedAt)).length,
    orders: orders.length,
    orders_inside_window: orders.filter((order) => order.insideWindow).length,
    avg_time_to_complete_ms: mean(times),
    median_time_to_complete_ms: median(times),
    revenue: money(revenueOf(orders), currency),
    ...refundsOf(orders, currency),
    revenue_by_bucket: byBucket(orders, currency),
  };
}

const dayMs = 86_400_000;

/**
 * Time from completion to order, split by whether the order came within 24 hours of the session's end
 * [figures.checkout-times]. A session completed after the order did not lead to the checkout; order times are whole
 * seconds.
 */
function buyingTimes({ orders, inRange }: Scope) {
  const samples = orders.flatMap(({ createdAt, session: { completed, ended } }) => {
    if (completed === null || ended === null || !inRange(createdAt)) return [];
    if (createdAt < Math.floor(completed / 1000) * 1000) return [];
    return [{ ms: Math.max(0, createdAt - completed), soon: createdAt - ended <= dayMs }];
  });
  const soon = samples.filter((sample) => sample.soon).map((sample) => sample.ms);
  const later = samples.filter((sample) => !sample.soon).map((sample) => sample.ms);
  return {
    avg_quiz_to_checkout_ms: mean(soon),
    median_quiz_to_checkout_ms: median(soon),
    avg_came_back_to_buy_ms: mean(later),
    median_came_back_to_buy_ms: median(later),
  };
}

export function overview(world: World, asked: Question) {
  const scope = scopeOf(world, asked);
  const days = daysBetween(asked.from, asked.to);
  const totals = figures(scope);
  const paid = scope.orders.filter((order) => scope.inRange(order.createdAt));
  const { currency } = world.history;
  const counted = moneyOrders(paid).length;
  return {
    quiz_id: quizId(world, asked),
    ...echo(scope, days.length),
    data_start: dataStart(world, asked),
    ...publishing(world, asked, scope),
    series: days.map((day) => ({ day, ...figures(onDay(scope, day)) })),
    totals: {
      ...totals,
      start_rate: ratio(totals.starts, totals.views),
      completion_rate: ratio(totals.completions, totals.starts),
      ...buyingTimes(scope),
      aov: counted === 0 ? null : money(revenueOf(paid), currency, counted),
    },
  };
}

export const quizId = ({ history }: World, { quiz }: Question): string | null =>
  quiz === null ? null : (history.quizzes[quiz]?.id ?? "");

/** Day of the first session, regardless of the range and the filters [figures.data-start]. */
export function dataStart({ sessions }: World, { quiz, tz }: Question): string | null {
  const own = sessions.filter((session) => quiz === null || session.given.quiz === quiz);
  return own.length === 0 ? null : dayOf(Math.min(...own.map((session) => session.opened)), tz);
}

const iso = (at: number): string => new Date(at).toISOString();

function publishing({ history, sessions }: World, { quiz, tz }: Question, { inRange }: Scope) {
  if (quiz === null) return { live_since: null, live_since_approximate: false, markers: [] };
  const publishes = history.quizzes[quiz]?.publishedAt ?? [];
  const first = publishes[0] ?? Number.POSITIVE_INFINITY;
  const oldest = Math.min(...sessions.filter(({ given }) => given.quiz === quiz).map((session) => session.opened));
  const approximate = history.imported && oldest < first;
  const markers = publishes.map((at, index) => ({
    approximate: false,
    at,
    version_number: (index + 1) as number | null,
  }));
  if (approximate) markers.unshift({ approximate: true, at: oldest, version_number: null });
  return {
    live_since: approximate || publishes.length > 0 ? iso(approximate ? oldest : first) : null,
    live_since_approximate: approximate,
    markers: markers
      .filter((marker) => inRange(marker.at))
      .map(({ at, ...marker }) => ({ ...marker, day: dayOf(at, tz), published_at: iso(at) })),
  };
}

/** @param asked its range is the current period; the previous one has the same length and ends the day before */
export function summary(world: World, asked: Question, previous: Question) {
  const scopes = { current: scopeOf(world, asked), previous: scopeOf(world, previous) };
  const days = daysBetween(asked.from, asked.to);
  const series = days.map((day) => onDay(scopes.current, day));
  const { currency } = world.history;
  const counted = (count: (scope: Scope) => number) => {
    const [current, before] = [count(scopes.current), count(scopes.previous)];
    return { current, previous: before, delta_pct: change(current, before), sparkline: series.map(count) };
  };
  const placed = (scope: Scope) => scope.orders.filter((order) => scope.inRange(order.createdAt));
  const compared = (amount: (orders: Scope["orders"]) => { amount: string; currency: string }) => {
    const of = (scope: Scope) => amount(placed(scope));
    const [current, before] = [of(scopes.current), of(scopes.previous)];
    const [now, then] = [exact(current.amount), exact(before.amount)];
    return {
      current,
      previous: before,
      delta_pct: then === 0n ? null : 100 * (exactRatio(now - then, then) ?? 0),
      sparkline: series.map(of),
    };
  };
  return {
    ...echo(scopes.current, days.length),
    previous_range: echo(scopes.previous, days.length).range,
    views: counted((scope) => sessionCounts(scope).views),
    starts: counted((scope) => sessionCounts(scope).starts),
    completions: counted((scope) => sessionCounts(scope).completions),
    opt_ins: counted(optIns),
    orders: counted((scope) => scope.orders.filter((order) => scope.inRange(order.createdAt)).length),
    revenue: compared((orders) => money(revenueOf(orders), currency)),
    refunded: compared((orders) => refundsOf(orders, currency).refunded),
    net_revenue: compared((orders) => refundsOf(orders, currency).net_revenue),
  };
}

/** Sessions with either opt-in, each counted once [figures.opt-in-once]. */
export const optIns = ({ sessions, inRange }: Scope): number =>
  sessions.filter((session) => inRange(optedInAt(session))).length;

/** The comparison's rows, unsorted, with their sort keys. */
export function comparison(world: World, asked: Omit<Question, "quiz">, q: string) {
  const everything = scopeOf(world, { ...asked, quiz: null });
  const { currency, quizzes } = world.history;
  const store = total(
    world.orders.filter((order) => order.inCurrency && everything.inRange(order.createdAt)).map((order) => order.total),
  );
  const rows = quizzes.flatMap((quiz, index) => {
    if (quiz.deleted || !quiz.name.toLowerCase().includes(q.toLowerCase())) return [];
    const scope = scopeOf(world, { ...asked, quiz: index });
    const {
      consent_denied: _,
      orders_inside_window: __,
      revenue_by_bucket: ___,
      unique_viewers_approx: ____,
      ...own
    } = figures(scope);
    const revenue = revenueOf(scope.orders.filter((order) => scope.inRange(order.createdAt)));
    const row = {
      quiz_id: quiz.id,
      name: quiz.name,
      status: quiz.versions.length === 0 ? "draft" : "published",
      ...own,
      completion_rate: ratio(own.completions, own.starts),
      attributed_share: exactRatio(revenue, store),
    };
    const keys: Record<string, number | string | null> = {
      name: quiz.name,
      views: row.views,
      starts: row.starts,
      completion_rate: row.completion_rate,
      opt_ins: optIns(scope),
      orders: row.orders,
      revenue: Number(revenue),
      share: row.attributed_share,
    };
    return [{ row, keys }];
  });
  return { ...echo(everything, daysBetween(asked.from, asked.to).length), total: rows.length, rows, currency };
}

/** Nulls last in both directions; ties by name, then id [figures.comparison-order]. */
export function sortedRows<Row extends ReturnType<typeof comparison>["rows"][number]>(
  rows: readonly Row[],
  sort: string,
  dir: "asc" | "desc",
): Row[] {
  const compare = (a: number | string, b: number | string) => (a < b ? -1 : a > b ? 1 : 0);
  return rows.toSorted((one, other) => {
    const [a = null, b = null] = [one.keys[sort], other.keys[sort]];
    const byName = compare(one.row.name, other.row.name) || compare(one.row.quiz_id, other.row.quiz_id);
    if (a === null || b === null) return Number(a === null) - Number(b === null) || byName;
    return (dir === "asc" ? 1 : -1) * compare(a, b) || byName;
  });
}
