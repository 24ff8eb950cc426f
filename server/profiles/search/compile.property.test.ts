import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import type { ProfileSearch } from "../../../contract/search.ts";
import { propertyRuns } from "../../../testkit/property-runs.ts";
import { bodies, quizIds, stores } from "../../../testkit/search-cases.ts";
import { openSearchCopy } from "../../../testkit/search-copy.ts";
import { type ModelStore, searchModel } from "../../../testkit/search-model.ts";
import type { Place } from "../../platform/cursors.ts";
import { formatId } from "../../platform/ids.ts";
import { cappedTotal, compileSearch, type SearchRow } from "./compile.ts";
import { explainSearch } from "./explain.ts";
import { readNumbers } from "./numbers.ts";
import { readSearch } from "./read-search.ts";

const copy = await openSearchCopy();
afterAll(() => copy.close());

/** Walks all pages of a search over the copy. */
async function walk(body: ProfileSearch, limit: number) {
  const read = readSearch(body, "body");
  if (!("search" in read)) throw new Error(JSON.stringify(read.errors));
  const numbers = await readNumbers((question) => copy.query(question), read.search);
  const ids: string[] = [];
  const totals = new Set<string>();
  for (let after: Place | null = null; ; ) {
    const rows: SearchRow[] = await copy.query<SearchRow>(compileSearch(read.search, numbers, { after, limit }));
    const found = rows.flatMap(({ id, last_seen }) => (id === null ? [] : [{ id, at: Number(last_seen) }]));
    for (const row of rows) totals.add(`${row.total} ${row.returning_total}`);
    ids.push(...found.map(({ id }) => formatId("prof", id)));
    const last = found.at(-1);
    if (found.length < limit || last === undefined) return { ids, totals: [...totals] };
    after = last;
  }
}

it("finds whom the plain model finds, in its order, with its totals, for every kind, operator and mode [search.takes, search.choice, search.total]", async () => {
  const cases = fc.record({
    store: stores,
    searches: fc.array(bodies, { minLength: 1, maxLength: 4 }),
    limit: fc.integer({ min: 2, max: 20 }),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ store, searches, limit }) => {
      await copy.fill(store);
      for (const body of searches) {
        const expected = searchModel(store, body);
        const totals = [`${expected.ids.length} ${expected.returning}`];
        expect(await walk(body, limit)).toEqual({ ids: expected.ids, totals });
      }
    }),
    { numRuns: propertyRuns(40) },
  );
}, 120_000);

/** The counts of a search over the copy, and by the plain model, which asks each group and each slot by itself. */
async function explained(body: ProfileSearch) {
  const read = readSearch(body, "body");
  if (!("search" in read)) throw new Error(JSON.stringify(read.errors));
  const numbers = await readNumbers((question) => copy.query(question), read.search);
  return explainSearch((question) => copy.query(question), read.search, numbers);
}

function explainedByModel(store: ModelStore, body: ProfileSearch) {
  const peopleOf = (groups: NonNullable<ProfileSearch["groups"]>) => searchModel(store, { ...body, groups }).ids.length;
  const groups = (body.groups ?? []).map((group) => ({
    people: peopleOf([group]),
    all: group.all.map((slot) => ({ people: peopleOf([{ all: [slot] }]) })),
  }));
  return { filters: peopleOf([]), groups };
}

it("says how many each group and each slot matches alone, as the plain model counts them [search.explain]", async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(stores, fc.array(bodies, { minLength: 1, maxLength: 4 }), async (store, searches) => {
      await copy.fill(store);
      for (const body of searches) {
        const counts = await explained(body);
        expect(counts).toEqual(explainedByModel(store, body));
        told += counts.groups.filter(({ people, all }) => all.some((slot) => slot.people > people)).length;
      }
    }),
    // as often as it takes for enough such groups to come up in each run
    { numRuns: propertyRuns(40) },
  );
  // some groups match fewer people than their slots do, else the cases would show nothing
  expect(told).toBeGreaterThan(10);
}, 120_000);

it("counts days in UTC, the first and the last included [people.days]", async () => {
  const moments = ["03-01T23:59:59.999", "03-02T00:00:00.000", "03-03T23:59:59.999", "03-04T00:00:00.000"];
  const id = (index: number) => `0000000${index}-0000-4000-8000-000000000000`;
  const people = moments.map((_, index) => ({
    id: formatId("prof", id(index)),
    last_seen: index,
    first_seen: 0,
    visits: 1,
    orders: 0,
    contacts: [],
  }));
  const takes = moments.map((moment, index) => ({
    id: id(index),
    person: formatId("prof", id(index)),
    quiz_id: quizIds[0] ?? "",
    started: Date.parse(`2026-${moment}Z`),
    completed: null,
    status: "left" as const,
    last_page_key: "start",
    answers: [],
    points: [],
    formulas: [],
    winner: null,
    outcome: null,
  }));
  await copy.fill({ people, takes, labels: [] });
  const found = async (body: ProfileSearch) =>
    (await walk(body, 10)).ids.map((one) => people.findIndex((p) => p.id === one));
  expect(await found({ from: "2026-03-02", to: "2026-03-03" })).toEqual([2, 1]);
  expect(await found({ from: "2026-03-02" })).toEqual([3, 2, 1]);
  expect(await found({ to: "2026-03-03" })).toEqual([2, 1, 0]);
});

it("says totals exactly up to 5,000, and caps them beyond [search.total]", () => {
  expect(cappedTotal(5_000)).toEqual({ total: 5_000, total_capped: false });
  expect(cappedTotal(5_001)).toEqual({ total: 5_000, total_capped: true });
});
