import fc from "fast-check";
import { filterNames } from "../../contract/analytics-filters.ts";
import { type Filters, noFilters, type Question } from "./asked.ts";
import { dayOf, plusDays } from "./days.ts";
import { zones } from "./histories.ts";
import type { History } from "./history.ts";

/** Random ranges, zones and filters for questions about a history. */

const filters: fc.Arbitrary<Filters> = fc.record({
  channel: fc.option(fc.constantFrom("online_store", "pos_2", "nowhere"), { freq: 1 }),
  device: fc.option(fc.constantFrom("desktop", "mobile", "tablet", "other"), { freq: 1 }),
  new_returning: fc.option(fc.constantFrom("new", "returning"), { freq: 1 }),
  country: fc.option(fc.constantFrom("US", "EE", "unknown", "FR"), { freq: 1 }),
  region: fc.option(fc.constantFrom("US-CA", "EE-37", "unknown", "US-NY"), { freq: 1 }),
});

/** At most one filter: several at once leave hardly any session. */
const oneFilter: fc.Arbitrary<Filters> = fc
  .tuple(filters, fc.constantFrom(...filterNames))
  .map(([given, name]) => ({ ...noFilters, [name]: given[name] }));

/** Indexes of the quizzes that have figures of their own. */
export const askable = ({ quizzes }: History): number[] =>
  quizzes.flatMap((quiz, index) => (quiz.versions.length > 0 && !quiz.deleted ? [index] : []));

/** Mostly ranges that contain sessions, and begin or end on a session's day; never past today, 366 days at most. */
export function arbitraryQuestion(history: History): fc.Arbitrary<Omit<Question, "quiz">> {
  const moments = [
    ...history.sessions.flatMap((session) => session.events.slice(0, 1).map((event) => event.time)),
    ...history.orders.map((order) => order.createdAt),
  ];
  const shape = fc.record({
    tz: fc.constantFrom(...zones),
    moment: fc.constantFrom(history.now, ...moments),
    length: fc.oneof(
      { weight: 2, arbitrary: fc.constantFrom(1, 7, 30, 100, 366) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 366 }) },
    ),
    ends: fc.boolean(),
    filters: fc.oneof(
      { weight: 3, arbitrary: fc.constant(noFilters) },
      { weight: 3, arbitrary: oneFilter },
      { weight: 1, arbitrary: filters },
    ),
  });
  return shape.map(({ tz, moment, length, ends, filters: applied }) => {
    const today = dayOf(history.now, tz);
    const day = dayOf(moment, tz);
    const last = ends ? day : plusDays(day, length - 1);
    const to = last > today ? today : last;
    const from = plusDays(to, 1 - length);
    return { from, to, tz, filters: applied };
  });
}
