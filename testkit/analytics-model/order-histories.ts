import fc from "fast-check";
import type { HistoryLine, HistoryOrder, HistorySession } from "./history.ts";

/** Random orders around a history's sessions: in every tier, and at the edges of every window. */

const day = 86_400_000;

const delay = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 2 * day }) },
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 40 * day }) },
  { weight: 2, arbitrary: fc.integer({ min: 40 * day, max: 95 * day }) },
  { weight: 1, arbitrary: fc.integer({ min: -2 * day, max: 0 }) },
  { weight: 2, arbitrary: fc.constantFrom(0, day, 7 * day, 30 * day, 90 * day, 90 * day + 1000, -1000) },
);

/** In the currency's smallest unit; written with all decimal digits or, if whole, without any. */
const amount = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 99_999 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 10_000, 1) },
);
function written(minor: number, currency: string): string {
  const digits = currency === "JPY" ? 0 : currency === "KWD" ? 3 : 2;
  return minor % 10 ** digits === 0 ? String(minor / 10 ** digits) : (minor / 10 ** digits).toFixed(digits);
}

const emails = [null, "ann@example.com", " Ann@Example.com ", "bob@example.com", "nobody@example.com"];
const phones = [null, "+12025550123", "+12025550123", "+12025550199"];

const shape = fc.record({
  about: fc.nat(),
  after: delay,
  tier: fc.constantFrom("line_item", "cart", "visitor", "contact", "contact", "contact", "none", "several"),
  email: fc.constantFrom(...emails),
  phone: fc.constantFrom(...phones),
  cancelled: fc.integer({ min: 0, max: 9 }).map((pick) => pick === 0),
  foreign: fc.integer({ min: 0, max: 7 }).map((pick) => pick === 0),
  total: amount,
  totalBefore: fc.option(amount, { freq: 2 }),
  refunds: fc.array(fc.tuple(amount, fc.integer({ min: 0, max: 100 })), { maxLength: 2 }),
  lines: fc.array(
    fc.record({
      product: fc.constantFrom(1, 2, 3, 4, 5, 6, null),
      units: fc.integer({ min: 1, max: 3 }),
      price: amount,
      discount: fc.constantFrom(0, 0, 150, 2),
      fromQuiz: fc.integer({ min: 0, max: 3 }).map((pick) => pick === 0),
    }),
    { maxLength: 4 },
  ),
});
type Shape = typeof shape extends fc.Arbitrary<infer Value> ? Value : never;

const isOneOf = (tier: Shape["tier"], ...wanted: Shape["tier"][]): boolean => wanted.includes(tier);

function orderOf(given: Shape, id: number, sessions: readonly HistorySession[], at: { now: number; currency: string }) {
  const { about, after, tier, email, phone } = given;
  const currency = given.foreign ? "CHF" : at.currency;
  const session = sessions[about % sessions.length];
  const other = sessions[(about + 1) % sessions.length];
  const answered = session?.events.find((event) => event.type === "answer_saved") ?? session?.events[0];
  const time = Math.min((answered?.time ?? at.now) + after, at.now);
  const named = isOneOf(tier, "line_item", "several") ? (session?.id ?? null) : null;
  const lines = given.lines.map((line, index): HistoryLine => {
    const { product, units, price, discount, fromQuiz } = line;
    const marked = named !== null && (fromQuiz || index === 0);
    const money = { price: written(price, currency), discount: written(discount, currency) };
    return { product, title: `Line ${product}`, units, ...money, session: marked ? named : null };
  });
  const order: HistoryOrder = {
    id,
    createdAt: Math.floor(time / 1000) * 1000,
    cancelled: given.cancelled,
    // at most the whole refund is the line's, and none without a line
    refunds: given.refunds.map(([minor, percent]) => ({
      amount: written(minor, currency),
      ofLine: written(lines.length === 0 ? 0 : Math.floor((minor * percent) / 100), currency),
    })),
    currency,
    total: written(given.total, currency),
    totalBefore: given.totalBefore === null ? null : written(given.totalBefore, currency),
    cartSession: isOneOf(tier, "cart") ? (session?.id ?? null) : isOneOf(tier, "several") ? (other?.id ?? null) : null,
    cartVisitor: isOneOf(tier, "visitor", "several") ? (session?.visitor ?? null) : null,
    email: isOneOf(tier, "contact", "several") ? email : null,
    phone: isOneOf(tier, "contact", "several") ? phone : null,
    lines,
  };
  return order;
}

export const arbitraryOrders = (
  sessions: readonly HistorySession[],
  at: { now: number; currency: string },
): fc.Arbitrary<HistoryOrder[]> =>
  fc
    .array(shape, { maxLength: Math.ceil(1.2 * sessions.length), size: "max" })
    .map((orders) => orders.map((order, index) => orderOf(order, index + 1, sessions, at)));
