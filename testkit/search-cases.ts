import fc from "fast-check";
import type { ProfileSearch, SearchSlot, SearchTerm } from "../contract/search.ts";
import type { ModelAnswer, ModelFound, ModelStore, ModelTake } from "./search-model.ts";

/**
 * Random people, their quizzes and answers, and random searches, all from one small domain so that searches find
 * something.
 */

export const quizIds = ["1", "2", "3"].map((digit) => `quiz_${digit.repeat(32)}`);
const neverTaken = quizIds.at(-1) ?? "";
const optionIds = ["o1", "o2", "o3", "o4"];
const dimensionIds = ["calm", "bold", "' OR 1=1 --"];
const outcomes = [...dimensionIds, "page:end", "page:more"];
const pageKeys = ["start", "more", "end"];
const start = Date.parse("2026-03-01T00:00:00.000Z");
const dayMs = 86_400_000;

/** Texts that a statement could mistake for syntax, and texts that fold differently in different programs. */
export const texts = [
  "Dry skin",
  "DRY, flaky SKIN!",
  "laundry",
  "dry",
  "dryad",
  "skins",
  "100% cotton_wool",
  "100 cotton",
  'o\'clock "quoted" \\ back',
  "'; DROP TABLE people; --",
  "$1 ? :name",
  "🌸 rose 👩‍🔬",
  "عطر جميل ورد",
  "Größe STRASSE straße",
  "İstanbul ıssız",
  "ΟΔΟΣ οδός",
  "cafe\u0301 Crème",
  "café",
  "乾燥肌です",
  "a.b*c (d|e) [f] ^g$ {2}",
  "tab\tand\nline",
  "😀",
  "%",
  "_",
  "\\",
];
const impossible = ["nul\u0000byte", "\ud800"];

const labelOf = (option: string, index: number) => texts[(option.charCodeAt(1) * 5 + index) % texts.length] ?? option;

const anyText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...texts) },
  { weight: 2, arbitrary: fc.constantFrom(...texts).map((text) => text.slice(0, 4)) },
  { weight: 2, arbitrary: fc.constantFrom(...texts).map((text) => text.toUpperCase()) },
  { weight: 2, arbitrary: fc.constantFrom(...texts).map((text) => text.split(/\s/).reverse().join(" ")) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }) },
);
const storable = anyText.filter((text) => text.isWellFormed() && !text.includes("\u0000") && text.trim() !== "");
const asked = fc.oneof({ weight: 12, arbitrary: anyText }, { weight: 1, arbitrary: fc.constantFrom(...impossible) });
const number = fc.constantFrom(-2, 0, 0.1, 0.3, 1, 1.5, 2, 3, 1e300, 2 ** 53);
const day = fc.constantFrom("2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02", "0001-01-01", "9999-12-31");

const answer: fc.Arbitrary<ModelAnswer> = fc.oneof(
  fc.constantFrom(...optionIds).map((option) => ({
    page_key: "start",
    component_key: "tone",
    kind: "choice" as const,
    option_ids: [option],
  })),
  fc.subarray(optionIds, { minLength: 1 }).map((option_ids) => ({
    page_key: "more",
    component_key: "looks",
    kind: "image" as const,
    option_ids,
  })),
  // this question was on another page in an earlier version
  fc.record({ page_key: fc.constantFrom("start", "more"), value: number }).map((more) => ({
    component_key: "years",
    kind: "number" as const,
    ...more,
  })),
  day.map((value) => ({ page_key: "more", component_key: "born", kind: "date" as const, value })),
  storable.map((value) => ({ page_key: "more", component_key: "note", kind: "text" as const, value })),
  fc.constant({ page_key: "end", component_key: "mail", kind: "email" as const, value: "ada@example.com" }),
  fc.constant({ page_key: "end", component_key: "phone", kind: "phone" as const, value: "+4915112345678" }),
);

const onePerQuestion = (answers: ModelAnswer[]) => [
  ...new Map(answers.map((one) => [one.component_key, one])).values(),
];

const take: fc.Arbitrary<ModelTake> = fc
  .record({
    id: fc.uuid({ version: 4 }),
    person: fc.nat(15),
    quiz_id: fc.constantFrom(...quizIds.filter((id) => id !== neverTaken)),
    // often exactly the start of a day, where ranges begin and end
    minutes: fc.oneof(
      fc.nat(5).map((days) => days * 24 * 60),
      fc.nat(6 * 24 * 60),
    ),
    status: fc.constantFrom("completed", "completed", "in_progress", "left"),
    last_page_key: fc.constantFrom(...pageKeys),
    answers: fc.array(answer, { maxLength: 7 }).map(onePerQuestion),
    points: fc
      .subarray(dimensionIds)
      .chain((ids) => fc.tuple(...ids.map((id) => number.map((total) => ({ dimension_id: id, total }))))),
    formula: fc.option(number),
    winner: fc.option(fc.constantFrom(...dimensionIds)),
    outcome: fc.option(fc.constantFrom(...outcomes)),
    // coarse, so that two sessions finish at the same moment
    finish: fc.nat(3),
  })
  .map(({ person, minutes, formula, finish, ...given }) => {
    const done = given.status === "completed";
    const started = start + minutes * 60_000;
    return {
      ...given,
      status: given.status as ModelTake["status"],
      person: person === 15 ? null : String(person),
      started,
      completed: done ? start + 7 * dayMs + finish : null,
      points: done ? given.points : [],
      formulas: done ? [{ page_key: "end", component_key: "steps", value: formula }] : [],
      winner: done ? given.winner : null,
      outcome: done ? given.outcome : null,
    };
  });

const person: fc.Arbitrary<ModelFound> = fc.record({
  id: fc.uuid().map((uuid) => `prof_${uuid.replaceAll("-", "")}`),
  last_seen: fc.nat(4).map((hours) => start + hours * 3_600_000),
  first_seen: fc.constant(start),
  visits: fc.integer({ min: 1, max: 3 }),
  orders: fc.nat(2),
  contacts: fc.array(
    fc.record({
      kind: fc.constantFrom("email" as const, "phone" as const),
      consent: fc.constantFrom(true, false, null),
    }),
    { maxLength: 2 },
  ),
});

export const stores: fc.Arbitrary<ModelStore> = fc
  .record({
    people: fc.uniqueArray(person, { minLength: 1, maxLength: 14, selector: ({ id }) => id }),
    takes: fc.uniqueArray(take, { maxLength: 50, selector: ({ id }) => id, size: "max" }),
  })
  .map(({ people, takes }) => ({
    people,
    takes: takes.map((one) => ({
      ...one,
      person: one.person === null ? null : (people[Number(one.person) % people.length]?.id ?? null),
    })),
    labels: quizIds.flatMap((quiz_id, quiz) =>
      ["tone", "looks"].flatMap((component_key) =>
        optionIds.flatMap((option_id) =>
          [0, 7].map((version) => ({ quiz_id, component_key, option_id, label: labelOf(option_id, version + quiz) })),
        ),
      ),
    ),
  }));

const placed = (page_key: string, component_key: string) => ({ page_key, component_key });

const range = <Value extends number | string>(value: fc.Arbitrary<Value>, ops: readonly SearchTerm["op"][]) =>
  fc.oneof(
    fc.record({ op: fc.constantFrom(...ops), value }),
    fc.tuple(value, value).map((ends) => {
      const [min = ends[0], max = ends[1]] = ends.toSorted((a, b) => (a < b ? -1 : 1));
      return { op: "between" as const, min, max };
    }),
  );
const numbers = range(number, ["eq", "lt", "gt"]);

const choice = fc
  .record({
    component: fc.constantFrom(placed("start", "tone"), placed("more", "looks")),
    op: fc.constantFrom("in" as const, "not_in" as const),
    option_ids: fc.option(fc.array(fc.constantFrom(...optionIds, "gone", "nul\u0000"), { maxLength: 3 }), { nil: [] }),
    option_labels: fc.option(fc.array(asked, { maxLength: 3 }), { nil: [] }),
  })
  .filter(({ option_ids, option_labels }) => option_ids.length + option_labels.length > 0)
  .map(({ component, ...given }) => ({ kind: "choice" as const, ...component, ...given }));

const presence = fc.constantFrom("answered" as const, "not_answered" as const);

const question: fc.Arbitrary<Omit<SearchTerm, "quiz_id">> = fc.oneof(
  choice,
  numbers.map((operands) => ({ kind: "number" as const, ...placed("more", "years"), ...operands })),
  range(day, ["eq", "before", "after"]).map((operands) => ({
    kind: "date" as const,
    ...placed("more", "born"),
    ...operands,
  })),
  fc
    .record({ op: fc.constantFrom("contains" as const, "equals" as const, "matches" as const), value: asked })
    .filter(({ value }) => value.trim() !== "")
    .map((operands) => ({ kind: "text" as const, ...placed("more", "note"), ...operands })),
  presence.map((op) => ({ kind: "text" as const, ...placed("more", "note"), op })),
  presence.map((op) => ({ kind: "email" as const, ...placed("end", "mail"), op })),
  presence.map((op) => ({ kind: "phone" as const, ...placed("end", "phone"), op })),
  numbers.map((operands) => ({ kind: "formula" as const, ...placed("end", "steps"), ...operands })),
  fc
    .tuple(fc.constantFrom(...dimensionIds), numbers)
    .map(([dimension_id, operands]) => ({ kind: "points" as const, dimension_id, ...operands })),
  fc
    .array(fc.constantFrom(...dimensionIds, "nobody", "\u0000"), { minLength: 1, maxLength: 3 })
    .map((option_ids) => ({ kind: "winner" as const, op: "in" as const, option_ids })),
  fc
    .record(
      { value: fc.constantFrom("completed", "abandoned"), page_key: fc.constantFrom(...pageKeys) },
      { requiredKeys: ["value"] },
    )
    .map((operands) => ({ kind: "session" as const, op: "equals" as const, ...operands })),
  fc
    .record(
      { outcome: fc.constantFrom(...outcomes, "nothing", "\u0000"), page_key: fc.constantFrom(...pageKeys) },
      { requiredKeys: ["outcome"] },
    )
    .map((operands) => ({ kind: "session" as const, op: "equals" as const, ...operands })),
);

const term: fc.Arbitrary<SearchTerm> = fc
  .tuple(fc.constantFrom(...quizIds.slice(0, 2), ...quizIds), question)
  .map(([quiz_id, rest]) => ({ quiz_id, ...rest }));

const slot: fc.Arbitrary<SearchSlot> = fc.oneof(
  { weight: 2, arbitrary: term },
  { weight: 1, arbitrary: fc.record({ any: fc.array(term, { minLength: 1, maxLength: 4 }) }) },
);

const days = fc
  .uniqueArray(fc.constantFrom("2026-02-20", "2026-03-01", "2026-03-03", "2026-03-05", "2026-03-09"), {
    minLength: 2,
    maxLength: 2,
  })
  .map((both) => both.sort());

const spans = fc.oneof(
  fc.constant({}),
  days.map(([from = ""]) => ({ from })),
  days.map(([, to = ""]) => ({ to })),
  days.map(([from = "", to = ""]) => ({ from, to })),
);

const factNames = ["has_email", "has_phone", "has_order", "has_marketing_consent", "is_returning"] as const;
/** Only a few at once: a body that requires every fact finds nobody. */
const facts = fc
  .tuple(fc.subarray([...factNames], { maxLength: 2 }), fc.boolean())
  .map(([names, wanted]) => Object.fromEntries(names.map((name, index) => [name, wanted === (index === 0)])));

export const bodies: fc.Arbitrary<ProfileSearch> = fc
  .tuple(
    fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: facts }),
    fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: spans }),
    fc.record(
      {
        quiz_id: fc.constantFrom(...quizIds),
        match: fc.constantFrom("any_session" as const, "latest_completed_per_quiz" as const),
        groups: fc.array(fc.record({ all: fc.array(slot, { minLength: 1, maxLength: 2 }) }), { maxLength: 3 }),
      },
      { requiredKeys: ["groups"] },
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as ProfileSearch);
