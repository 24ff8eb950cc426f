import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ProfileSearch, profileSearch } from "../../contract/search.ts";
import {
  operandsOf,
  operatorsOf,
  searchLimits,
  targetsOf,
  termKinds,
  termOperators,
} from "../../contract/search-terms.ts";
import { compileCheck } from "../../server/platform/http/shapes.ts";
import { readSearch } from "../../server/profiles/search/read-search.ts";
import { placeSearch, readSearchText, textAt, writeSearchText } from "./search-link.ts";
import { searchProblems } from "./search-problems.ts";
import { readBody, type SearchState, type TermState, writeBody } from "./search-state.ts";

const check = compileCheck(profileSearch, "body");

/** What the API says of a body's form, by field: of its shape, and if that is right of what belongs together. */
function refusals(body: unknown): { shape: string[]; meaning: string[] } {
  const { value, errors } = check(structuredClone(body));
  if (errors.length > 0) return { shape: errors.map(({ field }) => field), meaning: [] };
  const read = readSearch(value as ProfileSearch, "body");
  return { shape: [], meaning: "errors" in read ? read.errors.map(({ field }) => field) : [] };
}

const quizId = fc.constantFrom("1", "2", "f").map((digit) => `quiz_${digit.repeat(32)}`);
const key = fc.oneof(
  fc.constantFrom("tone", "p1", "", "</script>", "a b"),
  fc.string({ unit: "binary", maxLength: 200 }),
);
const longest = fc.constant("🌸".repeat(searchLimits.text));
const text = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 60 }),
  longest,
  fc.constantFrom("\ud800", "a\u0000b", '"', "%", "#", "?&=+ /", "دهني", " x "),
);
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer(),
  fc.constantFrom(-0, 1e300, 5e-324, 2 ** 53, 0.1),
);
const day = fc
  .date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true })
  .map((at) => at.toISOString().slice(0, 10));
const keys = fc.array(key, { minLength: 1, maxLength: 5 });

/** Two ends the right way round. */
const ends = <Value extends number | string>(value: fc.Arbitrary<Value>) =>
  fc.tuple(value, value).map(([a, b]) => (a <= b ? { min: a, max: b } : { min: b, max: a }));
const ranged = <Value extends number | string>(value: fc.Arbitrary<Value>, ops: readonly string[]) =>
  fc.oneof(
    fc.record({ op: fc.constantFrom(...ops), value }),
    ends(value).map((range) => ({ op: "between", ...range })),
  );
const placed = fc.record({ page_key: key, component_key: key });
const optionSets = fc.oneof(
  fc.record({ option_ids: keys, option_labels: fc.array(text, { maxLength: 3 }) }, { requiredKeys: ["option_ids"] }),
  fc.record({ option_ids: fc.array(key, { maxLength: 3 }), option_labels: keys }, { requiredKeys: ["option_labels"] }),
);
const merge = (...parts: fc.Arbitrary<object>[]): fc.Arbitrary<object> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all));
const kind = (name: string) => fc.constant({ kind: name });
const numeric = ["eq", "lt", "gt"];
const presence = fc.constantFrom({ op: "answered" }, { op: "not_answered" });

const term = merge(
  fc.record({ quiz_id: quizId }),
  fc.oneof(
    merge(kind("choice"), placed, fc.constantFrom({ op: "in" }, { op: "not_in" }), optionSets),
    merge(kind("number"), placed, ranged(number, numeric)),
    merge(kind("formula"), placed, ranged(number, numeric)),
    merge(kind("points"), fc.record({ dimension_id: key }), ranged(number, numeric)),
    merge(kind("date"), placed, ranged(day, ["eq", "before", "after"])),
    merge(
      kind("text"),
      placed,
      fc.record({
        op: fc.constantFrom("contains", "equals", "matches"),
        value: text.filter((one) => one.trim() !== ""),
      }),
    ),
    merge(fc.constantFrom({ kind: "text" }, { kind: "email" }, { kind: "phone" }), placed, presence),
    merge(kind("winner"), fc.record({ option_ids: keys }), fc.constant({ op: "in" })),
    merge(
      kind("session"),
      fc.record({ page_key: key }, { requiredKeys: [] }),
      fc.oneof(
        fc.constantFrom({ op: "equals", value: "completed" }, { op: "equals", value: "abandoned" }),
        key.map((outcome) => ({ op: "equals", outcome })),
      ),
    ),
  ),
);
const slot = fc.oneof(
  { weight: 3, arbitrary: term },
  { weight: 1, arbitrary: fc.array(term, { minLength: 1, maxLength: 3 }).map((any) => ({ any })) },
);
const groups = fc.array(
  fc.array(slot, { minLength: 1, maxLength: 8 }).map((all) => ({ all })),
  { maxLength: 4 },
);
const flags = fc.record(
  {
    has_email: fc.boolean(),
    has_phone: fc.boolean(),
    has_order: fc.boolean(),
    has_marketing_consent: fc.boolean(),
    is_returning: fc.boolean(),
    quiz_id: quizId,
    match: fc.constantFrom("any_session", "latest_completed_per_quiz"),
    groups,
  },
  { requiredKeys: [] },
);
const span = fc.oneof(
  fc.constant({}),
  day.map((from) => ({ from })),
  day.map((to) => ({ to })),
  ends(day).map(({ min, max }) => ({ from: min, to: max })),
);
// as JSON has it: that knows no -0
const anyBody = merge(flags, span).map((body): ProfileSearch => JSON.parse(JSON.stringify(body)));

describe("a search between the API's body, the builder and the address", () => {
  it("survives body, state, address, state, body [dashboard-people.same-body]", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyBody, (body) => {
        fc.pre(refusals(body).meaning.length === 0);
        expect(refusals(body).shape).toEqual([]);
        for (const { any, ...own } of body.groups?.flatMap((group) => group.all) ?? [])
          for (const { kind: of, op } of any ?? [own]) seen.add(`${of} ${op}`);
        const state = readBody(body);
        expect(searchProblems(state)).toEqual([]);
        const back = readSearchText(textAt(placeSearch(state)) || writeSearchText(state));
        expect(back).toEqual(state);
        expect(writeBody(back as SearchState)).toEqual(body);
      }),
      { numRuns: 400 },
    );
    const all = termKinds.flatMap((of) => operatorsOf[of].map((op) => `${of} ${op}`));
    expect([...seen].toSorted()).toEqual(all.toSorted());
  });

  it("stands in the address in characters that nothing cuts off, long ones where no server reads [dashboard-people.links]", () => {
    fc.assert(
      fc.property(anyBody, (body) => {
        const place = placeSearch(readBody(body));
        expect(textAt(place)).toMatch(/^[A-Za-z0-9_-]*$/);
        expect(place.search?.length ?? 0).toBeLessThanOrEqual(4_000);
        if (Object.keys(body).length > 0) expect([place.search, place.hash].filter(Boolean)).toHaveLength(1);
      }),
      { numRuns: 200 },
    );
  });

  it("reads any text without failing, and nothing else than a search of it", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((json) => btoa(encodeURIComponent(json))),
        ),
        (given) => {
          const state = readSearchText(given);
          if (state !== null) expect(readSearchText(writeSearchText(state))).toEqual(state);
        },
      ),
    );
    const odd = { from: 3, groups: [{ all: [{ kind: "colour", op: 3, quiz_id: [], option_ids: [1] }, 7] }, null] };
    expect(writeBody(readSearchText(btoa(JSON.stringify(odd))) as SearchState)).toEqual({ groups: [{ all: [{}] }] });
  });
});

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 3 });
const operand = maybe(fc.constantFrom("1", "2", "x", "", "2026-03-01", "2026-02-29", "completed", "-1.5e3", " \t"));
const anyTerm: fc.Arbitrary<TermState> = fc.record({
  id: fc.nat(),
  quizId: maybe(quizId),
  kind: maybe(fc.constantFrom(...termKinds)),
  op: maybe(fc.constantFrom(...termOperators)),
  pageKey: maybe(fc.constantFrom("p", "🌸".repeat(200), "a".repeat(201))),
  componentKey: maybe(fc.constantFrom("c")),
  dimensionId: maybe(fc.constantFrom("d")),
  optionIds: maybe(fc.constantFrom([], ["a"], Array(51).fill("a"), ["a", "b".repeat(201)])),
  optionLabels: maybe(fc.constantFrom([], ["A"])),
  min: operand,
  max: operand,
  value: operand,
  outcome: maybe(fc.constantFrom("d", "page:p", "a".repeat(201))),
});
/** Nearly right: only what the kind and operator take is there. */
const fittingTerm = anyTerm.map((given): TermState => {
  if (given.kind === null || given.op === null) return given;
  const used = [...targetsOf(given.kind), ...operandsOf(given.kind, given.op)] as string[];
  const keep = <Value>(field: string, value: Value) => (used.includes(field) ? value : null);
  return {
    ...given,
    pageKey: keep("page_key", given.pageKey),
    componentKey: keep("component_key", given.componentKey),
    dimensionId: keep("dimension_id", given.dimensionId),
    optionIds: keep("option_ids", given.optionIds),
    optionLabels: keep("option_labels", given.optionLabels),
    min: keep("min", given.min),
    max: keep("max", given.max),
    value: keep("value", given.value),
    outcome: keep("outcome", given.outcome),
  };
});

describe("what the builder says before it asks", () => {
  it("names the fields that the API would name, and no others [dashboard-people.problems-at-fields]", () => {
    const oneTerm = fc.tuple(fc.oneof(anyTerm, fittingTerm), fc.boolean(), maybe(day), maybe(day));
    fc.assert(
      fc.property(oneTerm, ([given, any, from, to]) => {
        const state: SearchState = {
          ...readBody({}),
          from,
          to,
          groups: [{ id: 1, slots: [{ id: 2, any, terms: [given] }] }],
        };
        const { shape, meaning } = refusals(writeBody(state));
        const own = new Set(searchProblems(state).map(({ field }) => field));
        if (shape.length > 0) expect([...own]).toEqual(expect.arrayContaining(shape));
        else expect(own).toEqual(new Set(meaning));
      }),
      { numRuns: 3_000 },
    );
  });
});
