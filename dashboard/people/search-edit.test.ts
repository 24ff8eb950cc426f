import { describe, expect, it } from "vitest";
import type { QuizDetail } from "../../contract/quizzes.ts";
import { operatorsOf, searchLimits, type TermKind, type TermOperator, termKinds } from "../../contract/search-terms.ts";
import { operatorChoices, operatorLabel, optionsOf, pagesOf, subjectsOf, subjectValue } from "./quiz-subjects.ts";
import {
  addAlternative,
  addGroup,
  addSlot,
  changeTerm,
  removeGroup,
  removeTerm,
  withOperator,
  withQuiz,
  withSubject,
} from "./search-edit.ts";
import { searchProblems, termProblems } from "./search-problems.ts";
import { emptySearch, type SearchState, type TermState, writeBody } from "./search-state.ts";

const quizId = `quiz_${"a".repeat(32)}`;
const otherQuiz = `quiz_${"b".repeat(32)}`;

const component = (kind: QuizDetail["pages"][number]["components"][number]["kind"]) => ({
  component_key: `the_${kind}`,
  kind,
  question: `What ${kind}?`,
  required: false,
  removed: kind === "date",
  options:
    kind === "choice" || kind === "image"
      ? [
          { option_id: "dry", label: "Dry", image_url: null, removed: false },
          { option_id: "oily", label: "Oily", image_url: null, removed: true },
        ]
      : [],
});
const quiz = {
  pages: [
    {
      page_key: "p",
      title: "Your skin",
      kind: "question" as const,
      position: 1,
      removed: false,
      components: (["choice", "image", "text", "email", "phone", "number", "date"] as const).map(component),
    },
    { page_key: "old", title: "", kind: "content" as const, position: null, removed: true, components: [] },
  ],
  dimensions: [{ dimension_id: "calm", name: "Calm", removed: false }],
  formulas: [{ component_key: "steps", page_key: "p", label: "Steps a day", removed: false }],
};

const choices = subjectsOf(quiz).flatMap((section) => section.choices);
const subjectOf = (kind: TermKind) => {
  const found = choices.find(({ subject }) => subject.kind === kind);
  if (found === undefined) throw new Error(`no subject of kind ${kind}`);
  return found.subject;
};
const theTerm = (state: SearchState): TermState => {
  const found = state.groups?.[0]?.slots[0]?.terms[0];
  if (found === undefined) throw new Error("no term");
  return found;
};
const operands = (kind: TermKind, op: TermOperator): Partial<TermState> => {
  if (op === "answered" || op === "not_answered") return {};
  const text = kind === "text" ? "dry" : kind === "date" ? "2026-03-01" : "1.5";
  if (kind === "choice" || kind === "winner") return { optionIds: ["dry"] };
  if (kind === "session") return { value: "abandoned" };
  return op === "between" ? { min: text, max: text } : { value: text };
};

describe("building a search by clicks", () => {
  it("offers every kind and operator of the contract, by the quiz's own words [dashboard-people.every-term]", () => {
    expect(new Set(choices.map(({ subject }) => subject.kind))).toEqual(new Set(termKinds));
    for (const kind of termKinds) {
      expect(operatorChoices(kind).map(({ value }) => value)).toEqual(operatorsOf[kind]);
      for (const op of operatorsOf[kind]) expect(operatorLabel(kind, op)).toMatch(/^(is|was|contains|has) ?/);
      for (const op of operatorsOf[kind]) {
        let state = addGroup(emptySearch, quizId);
        const { id } = theTerm(state);
        expect(searchProblems(state).map(({ field }) => field)).toEqual(
          ["kind", "op"].map((field) => `body.groups.0.all.0.${field}`),
        );
        state = changeTerm(state, id, (term) => withOperator(withSubject(term, subjectOf(kind)), op));
        state = changeTerm(state, id, (term) => ({ ...term, ...operands(kind, op) }));
        expect([kind, op, searchProblems(state)]).toEqual([kind, op, []]);
      }
    }
  });

  it("calls questions, options, dimensions and pages by their words, and marks what was removed", () => {
    expect(subjectsOf(quiz).map(({ title }) => title)).toEqual(["The quiz", "1. Your skin", "Points", "Formulas"]);
    expect(choices.map(({ label }) => label)).toEqual([
      "How it ended",
      "The result that won",
      "What choice?",
      "What image?",
      "What text?",
      "What email?",
      "What phone?",
      "What number?",
      "What date? (removed)",
      "Points for Calm",
      "Steps a day",
    ]);
    expect(pagesOf(quiz)).toEqual([
      { value: "p", label: "1. Your skin" },
      { value: "old", label: "old (removed)" },
    ]);
    const term = { ...theTerm(addGroup(emptySearch, quizId)), ...subjectOf("choice"), optionIds: ["dry", "gone"] };
    expect(optionsOf(quiz, term).map(({ label }) => label)).toEqual(["Dry", "Oily (removed)", "gone"]);
    expect(optionsOf(quiz, { ...term, kind: "winner", optionIds: null }).map(({ label }) => label)).toEqual(["Calm"]);
    // of a deleted quiz nothing is known, and what was chosen stays
    expect(optionsOf(undefined, term).map(({ value }) => value)).toEqual(["dry", "gone"]);
  });

  it("begins each condition with the quiz of the last, and forgets what another question cannot have", () => {
    let state = addGroup(emptySearch);
    expect(theTerm(state).quizId).toBeNull();
    const { id } = theTerm(state);
    state = changeTerm(state, id, (term) => withQuiz(term, quizId));
    state = changeTerm(state, id, (term) => withSubject(term, subjectOf("number")));
    state = changeTerm(state, id, (term) => ({ ...term, value: "3" }));
    state = changeTerm(state, id, (term) => withOperator(term, "between"));
    expect(theTerm(state)).toMatchObject({ min: "3", max: null, value: null });
    state = changeTerm(state, id, (term) => withOperator(term, "gt"));
    expect(theTerm(state)).toMatchObject({ min: null, value: "3" });
    state = changeTerm(state, id, (term) => withSubject(term, subjectOf("choice")));
    expect(theTerm(state)).toMatchObject({ op: "in", value: null, optionIds: null });
    state = addSlot(state, 1);
    expect(state.groups?.[0]?.slots[1]?.terms[0]?.quizId).toBe(quizId);
    state = changeTerm(state, id, (term) => withQuiz(term, otherQuiz));
    expect(theTerm(state)).toMatchObject({ quizId: otherQuiz, kind: null, componentKey: null });
  });

  it("writes a slot as `any` once it has an alternative, and plain again when one is left", () => {
    let state = addGroup(emptySearch, quizId);
    const { id } = theTerm(state);
    const slotId = state.groups?.[0]?.slots[0]?.id ?? 0;
    state = addAlternative(state, slotId);
    expect(writeBody(state)).toEqual({ groups: [{ all: [{ any: [{ quiz_id: quizId }, { quiz_id: quizId }] }] }] });
    state = removeTerm(state, id);
    expect(writeBody(state)).toEqual({ groups: [{ all: [{ quiz_id: quizId }] }] });
    state = removeTerm(state, theTerm(state).id);
    expect(writeBody(state)).toEqual({});
  });

  it("gives every part an id of its own and stops at the API's bounds [dashboard-people.bounds]", () => {
    let state = emptySearch;
    for (let times = 0; times < 6; times += 1) state = addGroup(state, quizId);
    expect(state.groups).toHaveLength(searchLimits.groups);
    const [group] = state.groups ?? [];
    for (let times = 0; times < 10; times += 1) state = addSlot(state, group?.id ?? 0);
    for (let times = 0; times < 60; times += 1) state = addAlternative(state, group?.slots[0]?.id ?? 0);
    expect(state.groups?.[0]?.slots).toHaveLength(searchLimits.slots);
    expect(state.groups?.[0]?.slots[0]?.terms).toHaveLength(searchLimits.alternatives);
    const ids = (state.groups ?? []).flatMap((one) => [
      one.id,
      ...one.slots.flatMap((slot) => [slot.id, ...slot.terms.map((term) => term.id)]),
    ]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(removeGroup(state, group?.id ?? 0).groups).toHaveLength(3);
  });

  it("says what is missing in words, at the field [dashboard-people.problems-at-fields]", () => {
    const term = { ...theTerm(addGroup(emptySearch, quizId)), ...subjectOf("number") };
    expect(termProblems({ ...term, op: "between", min: "3", max: "1" })).toEqual([
      { field: "min", message: "The lower end is above the upper one" },
    ]);
    expect(termProblems({ ...term, op: "eq", value: "one" })).toEqual([
      { field: "value", message: "Type a number, such as 12 or 1.5" },
    ]);
    expect(termProblems({ ...term, op: "contains", value: "x" }).map(({ field }) => field)).toContain("op");
  });

  it("tells subjects apart by kind and place", () => {
    expect(new Set(choices.map(({ value }) => value)).size).toBe(choices.length);
    expect(subjectValue({ ...subjectOf("session"), pageKey: "p" })).toBe(subjectValue(subjectOf("session")));
  });
});
