import { operandsOf, operatorsOf, searchLimits, type TermOperator, targetsOf } from "../../contract/search-terms.ts";
import type { GroupState, SearchState, SlotState, TermState } from "./search-state.ts";

/**
 * What a click in the search builder changes. Each function returns a new state, without what the change makes
 * meaningless.
 */

const emptyTerm = (id: number, quizId: string | null): TermState => ({
  id,
  quizId,
  kind: null,
  op: null,
  pageKey: null,
  componentKey: null,
  dimensionId: null,
  optionIds: null,
  optionLabels: null,
  min: null,
  max: null,
  value: null,
  outcome: null,
});

/** Most searches are about one quiz, so a new condition starts with the last condition's quiz. */
function lastQuiz(state: SearchState): string | null {
  const terms = (state.groups ?? []).flatMap((group) => group.slots.flatMap((slot) => slot.terms));
  return terms.findLast((term) => term.quizId !== null)?.quizId ?? state.quizId;
}

/** `onlyQuiz`: the store's quiz if it has just one. */
export function addGroup(state: SearchState, onlyQuiz: string | null = null): SearchState {
  const groups = state.groups ?? [];
  if (groups.length >= searchLimits.groups) return state;
  const id = state.nextId;
  const term = emptyTerm(id + 2, lastQuiz(state) ?? onlyQuiz);
  const group: GroupState = { id, slots: [{ id: id + 1, any: false, terms: [term] }] };
  return { ...state, groups: [...groups, group], nextId: id + 3 };
}

export function addSlot(state: SearchState, groupId: number): SearchState {
  const id = state.nextId;
  const slot: SlotState = { id, any: false, terms: [emptyTerm(id + 1, lastQuiz(state))] };
  return {
    ...mapGroup(state, groupId, (group) =>
      group.slots.length >= searchLimits.slots ? group : { ...group, slots: [...group.slots, slot] },
    ),
    nextId: id + 2,
  };
}

/** Adds an alternative to a slot, which is then written as `any`. */
export function addAlternative(state: SearchState, slotId: number): SearchState {
  const id = state.nextId;
  return {
    ...mapSlots(state, (slot) => {
      if (slot.id !== slotId || slot.terms.length >= searchLimits.alternatives) return slot;
      const quizId = slot.terms.at(-1)?.quizId ?? null;
      return { ...slot, any: true, terms: [...slot.terms, emptyTerm(id, quizId)] };
    }),
    nextId: id + 1,
  };
}

/** Removing the last term of a slot removes the slot, then an empty group, then the list of groups. */
export function removeTerm(state: SearchState, termId: number): SearchState {
  const groups = (state.groups ?? [])
    .map((group) => ({ ...group, slots: group.slots.map((slot) => without(slot, termId)).filter(hasTerms) }))
    .filter(({ slots }) => slots.length > 0);
  return { ...state, groups: groups.length === 0 ? null : groups };
}

function without(slot: SlotState, termId: number): SlotState {
  const terms = slot.terms.filter(({ id }) => id !== termId);
  if (terms.length === slot.terms.length) return slot;
  return { ...slot, terms, any: slot.any && terms.length > 1 };
}

const hasTerms = (slot: SlotState): boolean => slot.terms.length > 0;

export function removeGroup(state: SearchState, groupId: number): SearchState {
  const groups = (state.groups ?? []).filter(({ id }) => id !== groupId);
  return { ...state, groups: groups.length === 0 ? null : groups };
}

/** What a term asks about. */
export type Subject = Pick<TermState, "kind" | "pageKey" | "componentKey" | "dimensionId">;

export const changeTerm = (state: SearchState, termId: number, change: (term: TermState) => TermState): SearchState =>
  mapSlots(state, (slot) => ({
    ...slot,
    terms: slot.terms.map((term) => (term.id === termId ? change(term) : term)),
  }));

export const withQuiz = (term: TermState, quizId: string | null): TermState =>
  quizId === term.quizId ? term : emptyTerm(term.id, quizId);

/** Another question has other options, and perhaps other operators; a question of the same kind keeps the operator. */
export function withSubject(term: TermState, subject: Subject): TermState {
  const sameOperator = term.kind === subject.kind && term.op !== null ? term.op : null;
  const op = sameOperator ?? (subject.kind === null ? null : (operatorsOf[subject.kind][0] ?? null));
  const fresh = { ...emptyTerm(term.id, term.quizId), ...subject, op };
  const { min, max, value, outcome } = term;
  return term.kind === subject.kind ? { ...fresh, min, max, value, outcome } : fresh;
}

/** Keeps the operands that the new operator takes; a single value becomes the lower end of a range, and back. */
export function withOperator(term: TermState, op: TermOperator): TermState {
  if (term.kind === null) return { ...term, op };
  const value = term.value ?? term.min;
  return onlyUsed({ ...term, op, value, min: term.min ?? term.value });
}

/** Drops operands and targets that the term's kind and operator do not take. */
export function onlyUsed(term: TermState): TermState {
  if (term.kind === null || term.op === null) return term;
  const used = new Set<string>([...targetsOf(term.kind), ...operandsOf(term.kind, term.op)]);
  const keep = <Value>(field: string, value: Value): Value | null => (used.has(field) ? value : null);
  return {
    ...term,
    pageKey: keep("page_key", term.pageKey),
    componentKey: keep("component_key", term.componentKey),
    dimensionId: keep("dimension_id", term.dimensionId),
    optionIds: keep("option_ids", term.optionIds),
    optionLabels: keep("option_labels", term.optionLabels),
    min: keep("min", term.min),
    max: keep("max", term.max),
    value: keep("value", term.value),
    outcome: keep("outcome", term.outcome),
  };
}

const mapGroup = (state: SearchState, groupId: number, change: (group: GroupState) => GroupState): SearchState => ({
  ...state,
  groups: state.groups?.map((group) => (group.id === groupId ? change(group) : group)) ?? null,
});

const mapSlots = (state: SearchState, change: (slot: SlotState) => SlotState): SearchState => ({
  ...state,
  groups: state.groups?.map((group) => ({ ...group, slots: group.slots.map(change) })) ?? null,
});
