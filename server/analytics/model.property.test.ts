import fc from "fast-check";
import { expect, it } from "vitest";
import { splitNames } from "../../contract/analytics-filters.ts";
import {
  buckets,
  cohorts,
  comparisonSorts,
  directions,
  periods,
  productSorts,
} from "../../contract/analytics-values.ts";
import { noFilters, type Question, tellWorld, type World } from "../../testkit/analytics-model/asked.ts";
import {
  answersCheck,
  breakdownCheck,
  type Check,
  comparisonCheck,
  funnelCheck,
  overviewCheck,
  pathsCheck,
  productsCheck,
  questionKeys,
  summaryCheck,
  trafficCheck,
} from "../../testkit/analytics-model/checks.ts";
import { feedHistory } from "../../testkit/analytics-model/feed.ts";
import { arbitraryStoreHistory, zones } from "../../testkit/analytics-model/histories.ts";
import { arbitraryQuestion, askable } from "../../testkit/analytics-model/questions.ts";
import { trafficBy } from "../../testkit/analytics-model/splits.ts";
import { arbitraryWanderers } from "../../testkit/analytics-model/wanderers.ts";
import { openTestApp } from "../../testkit/app.ts";
import { propertyRuns } from "../../testkit/property-runs.ts";

/** Parameters beside range, zone and filters. */
const own = fc.record({
  by: fc.constantFrom(...splitNames),
  source: fc.constantFrom(...trafficBy),
  cohort: fc.constantFrom(...cohorts),
  bucket: fc.option(fc.constantFrom(...buckets), { freq: 2 }),
  productSort: fc.constantFrom(...productSorts),
  sort: fc.constantFrom(...comparisonSorts),
  dir: fc.constantFrom(...directions),
  few: fc.integer({ min: 1, max: 4 }),
  offset: fc.integer({ min: 0, max: 2 }),
  q: fc.constantFrom("", "", "FIND", "y"),
  period: fc.constantFrom(...periods),
  tz: fc.constantFrom(...zones),
});
type Own = typeof own extends fc.Arbitrary<infer Value> ? Value : never;

/** Every route, each of a quiz's questions, with one choice of parameters. */
function checksOf(world: World, selection: Question & { quiz: number }, given: Own): Check[] {
  const store = { ...selection, quiz: null };
  const { by, source, cohort, bucket, productSort, sort, dir, few, offset, q, period, tz } = given;
  return [
    overviewCheck(world, selection),
    overviewCheck(world, store),
    funnelCheck(world, selection),
    pathsCheck(world, selection, cohort),
    breakdownCheck(world, selection, by),
    breakdownCheck(world, store, by),
    trafficCheck(world, selection, source, few),
    ...questionKeys(world, selection.quiz).map((key) => answersCheck(world, selection, key)),
    productsCheck(world, selection, { sort: productSort, bucket, limit: 50 }),
    productsCheck(world, store, { sort: productSort, bucket: null, limit: few }),
    comparisonCheck(world, selection, { q, sort, dir, limit: few, offset }),
    summaryCheck(world, tz, period),
  ];
}

const sampled = <Value>(arbitrary: fc.Arbitrary<Value>, number: number): Value =>
  fc.sample(arbitrary, { seed: number, numRuns: 1 })[0]!;

/** A failure tells the number that its history comes from, which is far too long to be printed or shrunk. */
async function run(number: number): Promise<void> {
  const one = <Value>(arbitrary: fc.Arbitrary<Value>, more = 0) => sampled(arbitrary, number + more);
  const t = await openTestApp();
  try {
    const given = one(arbitraryStoreHistory({ maxSessions: 60 }));
    const { store, history } = await feedHistory(t, given, async (half) => {
      const { status } = await t.request("GET", "/v1/analytics/overview?tz=Asia/Tokyo", { key: half.key });
      expect(status).toBe(200);
    });
    const world = tellWorld(history);
    for (let round = 1; round <= 5; round++) {
      const quiz = one(fc.constantFrom(...askable(history)), round);
      const selection = { ...one(arbitraryQuestion(history), round), quiz };
      for (const check of checksOf(world, selection, one(own, round))) {
        const { status, body, text } = await t.request("GET", check.path, { key: store.key });
        expect([check.path, status, status === 200 ? "" : text]).toEqual([check.path, 200, ""]);
        expect([check.path, ...check.differences(body).slice(0, 12)]).toEqual([check.path]);
      }
    }
  } finally {
    await t.close();
  }
}

const runs = (few: number) => ({ numRuns: propertyRuns(few) });
const seed = fc.noShrink(fc.nat(2 ** 31 - 100));

it("answers every question as the naive model does, over random histories, ranges, zones and filters [analytics.exact, figures.previews, figures.orders, figures.opt-ins]", async () => {
  await fc.assert(fc.asyncProperty(seed, run), runs(2));
}, 180_000);

it("lists the 60 largest edges, and sums up the others [paths.edges, paths.other-paths]", async () => {
  const walk = async (number: number) => {
    const t = await openTestApp();
    try {
      const { store, history } = await feedHistory(t, sampled(arbitraryWanderers, number));
      const selection = { quiz: 0, from: "2026-03-01", to: "2026-03-20", tz: "UTC", filters: noFilters };
      const check = pathsCheck(tellWorld(history), selection, "left");
      const { body } = await t.request("GET", check.path, { key: store.key });
      expect(body.edges).toHaveLength(60);
      expect(check.differences(body).slice(0, 12)).toEqual([]);
    } finally {
      await t.close();
    }
  };
  await fc.assert(fc.asyncProperty(seed, walk), runs(1));
}, 60_000);
