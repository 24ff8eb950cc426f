import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { askedOf, at, type HandStore, openHandStore, uuid } from "../../../testkit/hand-copy.ts";
import { Ranges } from "../range.ts";
import { summary } from "./summary.ts";

let hand: HandStore;
beforeAll(async () => {
  hand = await openHandStore();
});
beforeEach(() => hand.begin());
afterAll(() => hand.close());

const ask = (timezone = "UTC") => {
  const selection = askedOf(hand, null, "2026-03-27", "2026-03-30", { timezone });
  return summary(hand.copy.query, hand.db, selection, new Ranges().before(selection.range));
};
const usd = (amount: string) => ({ amount, currency: "USD" });

it("compares the last days with as many before them, null where that would divide by zero [figures.summary, figures.change-percent, figures.opt-in-once]", async () => {
  let number = 0;
  const session = (quiz: number, opened: string, more: Record<string, unknown> = {}) => {
    number += 1;
    return hand.copy.put("sessions", { session: number, quiz, opened: at(opened), ...more });
  };
  await session(1, "2026-03-22T23:59");
  await session(1, "2026-03-23T00:00", { started: at("2026-03-26T00:00") });
  await session(2, "2026-03-26T23:59", { started: at("2026-03-27T00:00"), completed: at("2026-03-28T10:00") });
  await session(2, "2026-03-27T00:00", { phone_at: at("2026-03-30T10:00"), email_at: at("2026-03-28T10:00") });
  await session(1, "2026-03-30T23:59", { phone_at: at("2026-03-30T10:00") });
  await session(1, "2026-03-30T10:00", { phone_at: at("2026-03-30T10:00"), email_at: at("2026-03-26T10:00") });
  await session(1, "2026-03-31T00:00");
  const body = await ask();
  expect(body.views).toEqual({ current: 3, previous: 2, delta_pct: 50, sparkline: [1, 0, 0, 2] });
  expect(body.starts).toEqual({ current: 1, previous: 1, delta_pct: 0, sparkline: [1, 0, 0, 0] });
  expect(body.completions).toEqual({ current: 1, previous: 0, delta_pct: null, sparkline: [0, 1, 0, 0] });
  // a session opts in once, with the earlier of its contacts
  expect(body.opt_ins).toEqual({ current: 2, previous: 1, delta_pct: 100, sparkline: [0, 1, 0, 1] });
});

it("sums the revenue of orders inside the window exactly, by the order's day [figures.summary, figures.revenue]", async () => {
  const order = (number: number, created: string, total: string, more: Record<string, unknown> = {}) =>
    hand.copy.put("orders", { id: uuid(number), session: 1, created: at(created), total, ...more });
  await order(1, "2026-03-24T10:00", "0.30");
  await order(2, "2026-03-27T10:00", "0.10");
  await order(3, "2026-03-29T10:00", "0.20");
  await order(4, "2026-03-29T11:00", "9.00", { in_currency: false });
  await order(5, "2026-03-29T12:00", "9.00", { after_start_ms: 31 * 86_400_000 });
  await order(6, "2026-03-29T12:00", "9.00", { session: null, quiz: null, after_start_ms: null, tier: null });
  const { orders, revenue } = await ask();
  expect(orders).toEqual({ current: 4, previous: 1, delta_pct: 300, sparkline: [1, 0, 3, 0] });
  expect(revenue).toEqual({
    current: usd("0.30"),
    previous: usd("0.30"),
    delta_pct: 0,
    sparkline: [usd("0.10"), usd("0.00"), usd("0.20"), usd("0.00")],
  });
});

it("has zeros without data, and days of the zone through its clock change [figures.summary, time.days]", async () => {
  const { views, revenue } = await ask();
  expect(views).toEqual({ current: 0, previous: 0, delta_pct: null, sparkline: [0, 0, 0, 0] });
  expect(revenue).toMatchObject({ current: usd("0.00"), previous: usd("0.00"), delta_pct: null });
  // in Berlin 29 March begins at 23:00 UTC and ends at 22:00
  await hand.copy.put(
    "sessions",
    { session: 1, opened: at("2026-03-28T23:00") },
    { session: 2, opened: at("2026-03-29T22:00") },
  );
  expect((await ask("Europe/Berlin")).views.sparkline).toEqual([0, 0, 1, 1]);
});
