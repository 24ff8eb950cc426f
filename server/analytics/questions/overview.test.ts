import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { askedOf, at, type HandStore, openHandStore, uuid } from "../../../testkit/hand-copy.ts";
import { overview } from "./overview.ts";

let hand: HandStore;
beforeAll(async () => {
  hand = await openHandStore();
});
beforeEach(() => hand.begin());
afterAll(() => hand.close());

const ask = (from: string, to: string, more: Parameters<typeof askedOf>[4] = {}, currency = "USD") =>
  overview(hand.copy.query, hand.db, askedOf({ ...hand, currency }, hand.quizId, from, to, more));
const usd = (amount: string) => ({ amount, currency: "USD" });
const noMoney = { added_from_quiz: usd("0.00"), shown_bought_later: usd("0.00"), bought_not_shown: usd("0.00") };
const session = (number: number, opened: string, more: Record<string, unknown> = {}) =>
  hand.copy.put("sessions", { session: number, visitor: uuid(number), opened: at(opened), ...more });

it("lists every day with zeros, null rates and zero money without data [figures.every-day, figures.rates, figures.averages, figures.zero-money]", async () => {
  const body = await ask("2026-03-01", "2026-03-02");
  const empty = {
    views: 0,
    unique_viewers_approx: 0,
    starts: 0,
    completions: 0,
    email_opt_ins: 0,
    phone_opt_ins: 0,
    consent_denied: 0,
    orders: 0,
    orders_inside_window: 0,
    avg_time_to_complete_ms: null,
    median_time_to_complete_ms: null,
    revenue: usd("0.00"),
    refunded: usd("0.00"),
    net_revenue: usd("0.00"),
    revenue_by_bucket: noMoney,
  };
  expect(body.series).toEqual([
    { day: "2026-03-01", ...empty },
    { day: "2026-03-02", ...empty },
  ]);
  expect(body.totals).toEqual({
    ...empty,
    start_rate: null,
    completion_rate: null,
    avg_quiz_to_checkout_ms: null,
    median_quiz_to_checkout_ms: null,
    avg_came_back_to_buy_ms: null,
    median_came_back_to_buy_ms: null,
    aov: null,
  });
  expect(body.data_start).toBeNull();
});

it("counts each thing on the day it happened, whatever the day of the opening [figures.own-day, figures.opt-ins, figures.rates]", async () => {
  await session(1, "2026-03-01T23:50", {
    started: at("2026-03-01T23:59"),
    completed: at("2026-03-02T00:09"),
    email_at: at("2026-03-02T00:01"),
    phone_at: at("2026-03-03T00:00"),
    denied_at: at("2026-03-01T23:59"),
  });
  await session(2, "2026-02-28T23:59", { started: at("2026-03-01T00:00") });
  await session(3, "2026-03-04T00:00", { started: at("2026-03-04T00:00") });
  const { series, totals, data_start } = await ask("2026-03-01", "2026-03-03");
  expect(series.map(({ views, starts, completions }) => [views, starts, completions])).toEqual([
    [1, 2, 0],
    [0, 0, 1],
    [0, 0, 0],
  ]);
  expect(series.map((day) => [day.email_opt_ins, day.phone_opt_ins, day.consent_denied])).toEqual([
    [0, 0, 1],
    [1, 0, 0],
    [0, 1, 0],
  ]);
  expect(totals).toMatchObject({ views: 1, starts: 2, completions: 1, start_rate: 2, completion_rate: 0.5 });
  expect(totals).toMatchObject({ email_opt_ins: 1, phone_opt_ins: 1, consent_denied: 1 });
  expect(data_start).toBe("2026-02-28");
});

it("counts a visitor once a day and once in all, not the sum of the days [figures.unique-viewers]", async () => {
  for (const [number, opened] of [
    [1, "2026-03-01T10:00"],
    [2, "2026-03-01T11:00"],
    [3, "2026-03-02T10:00"],
  ] as const) {
    await session(number, opened, { visitor: uuid(9) });
  }
  await session(4, "2026-03-02T12:00");
  const { series, totals } = await ask("2026-03-01", "2026-03-02");
  expect(series.map((day) => [day.views, day.unique_viewers_approx])).toEqual([
    [2, 1],
    [2, 2],
  ]);
  expect(totals.unique_viewers_approx).toBe(2);
});

it.each([
  ["few", "2026-03-04", 63],
  ["few", "2027-01-01", 366],
  // far more numbers than sets of bits find room for
  ["ten million", "2027-01-01", 366],
])(
  "counts the visitors of a long range's first and last day, of %s [figures.unique-viewers]: up to %s",
  async (many, last, length) => {
    if (many !== "few") await hand.copy.put("visitors", { visitor: 10_000_000, id: uuid(404) });
    await session(1, "2026-01-01T00:00", { visitor: uuid(9) });
    await session(2, `${last}T23:59`, { visitor: uuid(9) });
    await session(3, `${last}T10:00`);
    const { series, totals } = await ask("2026-01-01", last);
    expect(series).toHaveLength(length);
    expect([series[0]?.unique_viewers_approx, series.at(-1)?.unique_viewers_approx]).toEqual([1, 2]);
    expect(series.reduce((sum, day) => sum + day.unique_viewers_approx, 0)).toBe(3);
    expect(totals.unique_viewers_approx).toBe(2);
  },
);

it("takes the median of an even count as the mean of the middle two, of days and of the whole [figures.averages, figures.time-to-complete]", async () => {
  const taken = [1_000, 2_000, 4_000, 9_001];
  for (const [index, ms] of taken.entries()) {
    const started = at("2026-03-01T10:00") + (index % 2) * 86_400_000;
    await session(index, "2026-03-01T09:00", { started, completed: started + ms });
  }
  // an answer that came after the finish that it completes
  await session(9, "2026-03-03T09:00", { started: at("2026-03-03T09:01"), completed: at("2026-03-03T09:00") });
  const { series, totals } = await ask("2026-03-01", "2026-03-03");
  expect(series.map((day) => [day.avg_time_to_complete_ms, day.median_time_to_complete_ms])).toEqual([
    [2_500, 2_500],
    [5_500.5, 5_500.5],
    [0, 0],
  ]);
  expect(totals).toMatchObject({ avg_time_to_complete_ms: 16_001 / 5, median_time_to_complete_ms: 2_000 });
});

it("places moments into days of 23 and 25 hours and of half-hour zones [figures.own-day, time.days]", async () => {
  // Berlin: 29 March 2026 ends at 22:00 UTC, having begun at 23:00
  await session(1, "2026-03-28T22:59");
  await session(2, "2026-03-28T23:00");
  await session(3, "2026-03-29T21:59");
  await session(4, "2026-03-29T22:00");
  const spring = await ask("2026-03-28", "2026-03-30", { timezone: "Europe/Berlin" });
  expect(spring.series.map((day) => day.views)).toEqual([1, 2, 1]);
  // 25 October 2026 has 25 hours: from 22:00 to 23:00 UTC a day later
  await session(5, "2026-10-24T22:00");
  await session(6, "2026-10-25T22:59");
  await session(7, "2026-10-25T23:00");
  const autumn = await ask("2026-10-24", "2026-10-26", { timezone: "Europe/Berlin" });
  expect(autumn.series.map((day) => day.views)).toEqual([0, 2, 1]);
  const kathmandu = await ask("2026-10-25", "2026-10-26", { timezone: "Asia/Kathmandu" });
  expect(kathmandu.series.map((day) => day.views)).toEqual([1, 2]);
});

it("counts orders by their own day, and money inside the window and in the store's currency alone [figures.orders, figures.order-window, figures.revenue, figures.average-order]", async () => {
  await session(1, "2026-01-01T10:00", { started: at("2026-01-01T10:00") });
  const day = 86_400_000;
  const order = (number: number, created: string, total: string, more: Record<string, unknown> = {}) =>
    hand.copy.put("orders", { id: uuid(number), session: 1, created: at(created), total, ...more });
  await order(1, "2026-03-01T10:00", "10.00");
  await order(2, "2026-03-02T10:00", "5.0050", { after_start_ms: 30 * day });
  await order(3, "2026-03-02T11:00", "99.00", { after_start_ms: 30 * day + 1 });
  await order(4, "2026-03-02T12:00", "77.00", { in_currency: false });
  await order(5, "2026-03-02T13:00", "55.00", { session: null, quiz: null, after_start_ms: null, tier: null });
  const { series, totals } = await ask("2026-03-01", "2026-03-02");
  expect(series.map((each) => [each.orders, each.orders_inside_window, each.revenue])).toEqual([
    [1, 1, usd("10.00")],
    [3, 2, usd("5.01")],
  ]);
  // 15.005: the exact sum is rounded, not its days
  expect(totals).toMatchObject({ orders: 4, orders_inside_window: 3, revenue: usd("15.01"), aov: usd("7.51") });
});

it("has what was paid back beside revenue, on the order's own day and of the same orders [figures.refunds]", async () => {
  await session(1, "2026-03-01T10:00", { started: at("2026-03-01T10:00") });
  const order = (number: number, created: string, more: Record<string, unknown>) =>
    hand.copy.put("orders", { id: uuid(number), session: 1, created: at(created), total: "10.00", ...more });
  await order(1, "2026-03-01T10:00", { refunded: "4.00" });
  await order(2, "2026-03-02T10:00", { refunded: "12.50" });
  await order(3, "2026-03-02T11:00", { refunded: "1.00", after_start_ms: 31 * 86_400_000 });
  await order(4, "2026-03-02T12:00", { refunded: "1.00", in_currency: false });
  const { series, totals } = await ask("2026-03-01", "2026-03-02");
  expect(series).toMatchObject([
    { revenue: usd("10.00"), refunded: usd("4.00"), net_revenue: usd("6.00") },
    { revenue: usd("10.00"), refunded: usd("12.50"), net_revenue: usd("-2.50") },
  ]);
  // the average order is of what was bought
  expect(totals).toMatchObject({
    ...{ revenue: usd("20.00"), refunded: usd("16.50"), net_revenue: usd("3.50"), aov: usd("10.00") },
  });
});

it("has no mean order where all orders are in another currency than the store's [figures.average-order]", async () => {
  await hand.copy.put("orders", {
    id: uuid(1),
    session: 1,
    created: at("2026-03-01T10:00"),
    total: "5",
    in_currency: false,
  });
  const { totals } = await ask("2026-03-01", "2026-03-01");
  expect(totals).toMatchObject({ orders: 1, orders_inside_window: 1, revenue: usd("0.00"), aov: null });
});

it("sums line revenue by bucket, by the order's day [figures.revenue-by-bucket]", async () => {
  const line = (created: string, amount: string, more: Record<string, unknown> = {}) =>
    hand.copy.put("lines", { order_id: uuid(1), session: 1, created: at(created), amount, ...more });
  await line("2026-03-01T10:00", "10.00");
  await line("2026-03-01T10:00", "0.10", { bucket: "shown_bought_later" });
  await line("2026-03-02T10:00", "0.20", { bucket: "shown_bought_later" });
  await line("2026-03-02T10:00", "4.00", { bucket: "bought_not_shown", product: null });
  await line("2026-03-02T10:00", "8.00", { in_currency: false });
  await line("2026-03-02T10:00", "8.00", { after_start_ms: 31 * 86_400_000 });
  const { series, totals } = await ask("2026-03-01", "2026-03-02");
  expect(series[0]?.revenue_by_bucket).toEqual({
    ...noMoney,
    added_from_quiz: usd("10.00"),
    shown_bought_later: usd("0.10"),
  });
  expect(totals.revenue_by_bucket).toEqual({
    added_from_quiz: usd("10.00"),
    shown_bought_later: usd("0.30"),
    bought_not_shown: usd("4.00"),
  });
});

it("tells orders within a day of the session's end from later ones, by their wait since the finish [figures.checkout-times]", async () => {
  const completed = at("2026-03-01T10:00:10.500");
  await session(1, "2026-03-01T10:00", {
    started: at("2026-03-01T10:00"),
    completed,
    ended: completed,
    status: "completed",
  });
  await session(2, "2026-03-01T10:00", { started: at("2026-03-01T10:00"), ended: at("2026-03-01T10:30") });
  const order = (number: number, created: number, more: Record<string, unknown> = {}) => {
    const after = { after_completed_ms: created - completed, after_ended_ms: created - completed };
    return hand.copy.put("orders", { id: uuid(number), session: 1, created, total: "1", ...after, ...more });
  };
  const day = 86_400_000;
  await order(1, completed + 1_000);
  await order(2, completed + day);
  await order(3, completed + day + 1);
  // the platform's times are whole seconds: this one came in the second of the finish
  await order(4, at("2026-03-01T10:00:10"));
  await order(5, at("2026-03-01T10:00:09"));
  await order(6, completed + 5_000, { session: 2, after_completed_ms: null });
  const { totals } = await ask("2026-03-01", "2026-03-03");
  expect(totals).toMatchObject({
    avg_quiz_to_checkout_ms: (1_000 + day) / 3,
    median_quiz_to_checkout_ms: 1_000,
    avg_came_back_to_buy_ms: day + 1,
    median_came_back_to_buy_ms: day + 1,
  });
});

it("filters sessions, and orders and lines by their sessions [analytics.filters]", async () => {
  await session(1, "2026-03-01T10:00", { channel: "email", device: "desktop", country: "DE", is_returning: true });
  await session(2, "2026-03-01T10:00");
  for (const number of [1, 2]) {
    const of = { session: number, created: at("2026-03-01T12:00") };
    await hand.copy.put("orders", { id: uuid(number), total: number, ...of });
    await hand.copy.put("lines", { order_id: uuid(number), amount: number, ...of });
  }
  const counted = async (filters: Parameters<typeof askedOf>[4]) => {
    const { totals } = await ask("2026-03-01", "2026-03-01", filters);
    return [totals.views, totals.orders, totals.revenue?.amount, totals.revenue_by_bucket.added_from_quiz?.amount];
  };
  const first = [1, 1, "1.00", "1.00"];
  const second = [1, 1, "2.00", "2.00"];
  expect(await counted({})).toEqual([2, 2, "3.00", "3.00"]);
  expect(await counted({ channel: "email" })).toEqual(first);
  expect(await counted({ device: "mobile" })).toEqual(second);
  expect(await counted({ new_returning: "returning" })).toEqual(first);
  expect(await counted({ new_returning: "new" })).toEqual(second);
  expect(await counted({ country: "DE" })).toEqual(first);
  expect(await counted({ country: "unknown" })).toEqual(second);
  expect(await counted({ country: "DE", channel: "onsite" })).toEqual([0, 0, "0.00", "0.00"]);
  expect(await counted({ channel: "' OR true --" })).toEqual([0, 0, "0.00", "0.00"]);
});

it("covers the whole store, and nothing else of another quiz [figures.whole-store]", async () => {
  await session(1, "2026-03-01T10:00");
  await session(2, "2026-03-01T10:00", { quiz: 2 });
  await hand.copy.put("orders", { id: uuid(1), session: 2, quiz: 2, created: at("2026-03-01T12:00"), total: "4" });
  const whole = await overview(hand.copy.query, hand.db, askedOf(hand, null, "2026-03-01", "2026-03-01"));
  expect(whole).toMatchObject({ quiz_id: null, live_since: null, live_since_approximate: false, markers: [] });
  expect(whole.totals).toMatchObject({ views: 2, orders: 1, revenue: usd("4.00") });
  expect((await ask("2026-03-01", "2026-03-01")).totals).toMatchObject({ views: 1, orders: 0 });
  const unknown = askedOf(hand, uuid(404), "2026-03-01", "2026-03-01");
  expect((await overview(hand.copy.query, hand.db, unknown)).totals.views).toBe(0);
});

it("writes money in the store's currency [figures.zero-money]", async () => {
  await session(1, "2026-03-01T10:00");
  await hand.copy.put("orders", { id: uuid(1), session: 1, created: at("2026-03-01T12:00"), total: "1250" });
  const { totals } = await ask("2026-03-01", "2026-03-01", {}, "JPY");
  expect(totals).toMatchObject({
    revenue: { amount: "1250", currency: "JPY" },
    aov: { amount: "1250", currency: "JPY" },
  });
});

it("counts by the local date where clocks go back over midnight, also at the range's edge [figures.own-day, time.days]", async () => {
  const zone = { timezone: "America/St_Johns" };
  // 23:15 in summer time, 00:00:30 of the next day, then 23:15 again, and 00:10
  await session(1, "2010-11-07T01:45");
  await session(2, "2010-11-07T02:30:30");
  await session(3, "2010-11-07T02:45");
  await session(4, "2010-11-07T03:40");
  const views = async (from: string, to: string) => (await ask(from, to, zone)).series.map((day) => day.views);
  expect(await views("2010-11-06", "2010-11-07")).toEqual([2, 2]);
  expect(await views("2010-11-06", "2010-11-06")).toEqual([2]);
  expect(await views("2010-11-07", "2010-11-08")).toEqual([2, 0]);
});
