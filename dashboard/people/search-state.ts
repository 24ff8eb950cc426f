import type { ProfileSearch, SearchTerm } from "../../contract/search.ts";
import type { MatchMode, TermKind, TermOperator } from "../../contract/search-terms.ts";
import { readNumber } from "../ui/read-number.ts";

/**
 * A people search while it is being built. Unlike an API body, the state can be incomplete: a condition without a
 * question, or a number of which only a minus was typed. A complete state is equivalent to the body: `readBody` and
 * `writeBody` convert every valid search there and back unchanged.
 */

export const personFlags = ["has_email", "has_phone", "has_order", "has_marketing_consent", "is_returning"] as const;
export type PersonFlag = (typeof personFlags)[number];

export interface TermState {
  /** only in this state: a React key */
  id: number;
  quizId: string | null;
  kind: TermKind | null;
  op: TermOperator | null;
  pageKey: string | null;
  componentKey: string | null;
  dimensionId: string | null;
  optionIds: readonly string[] | null;
  optionLabels: readonly string[] | null;
  /** as typed */
  min: string | null;
  max: string | null;
  value: string | null;
  outcome: string | null;
}

export interface SlotState {
  id: number;
  /** whether it is written as `any`, even with one term, so that a search is sent as it was given */
  any: boolean;
  terms: readonly TermState[];
}

export interface GroupState {
  id: number;
  slots: readonly SlotState[];
}

export interface SearchState {
  from: string | null;
  to: string | null;
  quizId: string | null;
  flags: Readonly<Record<PersonFlag, boolean | null>>;
  match: MatchMode | null;
  /** null: left out of the body, which differs from an empty list */
  groups: readonly GroupState[] | null;
  /** for the next group, slot or term */
  nextId: number;
}

export const emptySearch: SearchState = {
  from: null,
  to: null,
  quizId: null,
  flags: { has_email: null, has_phone: null, has_order: null, has_marketing_consent: null, is_returning: null },
  match: null,
  groups: null,
  nextId: 1,
};

/** A body that may be incomplete. */
export type DraftTerm = Partial<SearchTerm>;
export type DraftSlot = DraftTerm & { any?: DraftTerm[] };
export type DraftSearch = Omit<ProfileSearch, "groups"> & { groups?: { all: DraftSlot[] }[] };

const numericKinds: ReadonlySet<TermKind | null> = new Set(["number", "points", "formula"] as const);
export const isNumeric = (kind: TermKind | null): boolean => numericKinds.has(kind);

const typed = (value: number | string | undefined): string | null => (value === undefined ? null : String(value));

export function readBody(body: DraftSearch): SearchState {
  let id = 0;
  const next = () => {
    id += 1;
    return id;
  };
  const groups = body.groups?.map((group) => ({
    id: next(),
    slots: group.all.map((slot) => ({
      id: next(),
      any: slot.any !== undefined,
      terms: (slot.any ?? [slot]).map((term) => readTerm(term, next())),
    })),
  }));
  return {
    from: body.from ?? null,
    to: body.to ?? null,
    quizId: body.quiz_id ?? null,
    flags: {
      has_email: body.has_email ?? null,
      has_phone: body.has_phone ?? null,
      has_order: body.has_order ?? null,
      has_marketing_consent: body.has_marketing_consent ?? null,
      is_returning: body.is_returning ?? null,
    },
    match: body.match ?? null,
    groups: groups ?? null,
    nextId: id + 1,
  };
}

function readTerm(term: DraftTerm, id: number): TermState {
  return {
    id,
    quizId: term.quiz_id ?? null,
    kind: term.kind ?? null,
    op: term.op ?? null,
    pageKey: term.page_key ?? null,
    componentKey: term.component_key ?? null,
    dimensionId: term.dimension_id ?? null,
    optionIds: term.option_ids ?? null,
    optionLabels: term.option_labels ?? null,
    min: typed(term.min),
    max: typed(term.max),
    value: typed(term.value),
    outcome: term.outcome ?? null,
  };
}

/** The complete parts of a state; a valid API body if `searchProblems` finds nothing [dashboard-people.same-body]. */
export function writeBody(state: SearchState): DraftSearch {
  return {
    ...optional("from", state.from),
    ...optional("to", state.to),
    ...optional("quiz_id", state.quizId),
    ...Object.fromEntries(
      personFlags.flatMap((flag) => (state.flags[flag] === null ? [] : [[flag, state.flags[flag]]])),
    ),
    ...optional("match", state.match),
    ...(state.groups === null ? {} : { groups: state.groups.map((group) => ({ all: group.slots.map(writeSlot) })) }),
  };
}

/** The body to send; only valid for a state without `searchProblems`. */
export const writeWholeBody = (state: SearchState): ProfileSearch => writeBody(state) as ProfileSearch;

function writeSlot(slot: SlotState): DraftSlot {
  const terms = slot.terms.map(writeTerm);
  return slot.any ? { any: terms } : (terms[0] ?? {});
}

function writeTerm(term: TermState): DraftTerm {
  return {
    ...optional("quiz_id", term.quizId),
    ...optional("kind", term.kind),
    ...optional("op", term.op),
    ...optional("page_key", term.pageKey),
    ...optional("component_key", term.componentKey),
    ...optional("dimension_id", term.dimensionId),
    ...(term.optionIds === null ? {} : { option_ids: [...term.optionIds] }),
    ...(term.optionLabels === null ? {} : { option_labels: [...term.optionLabels] }),
    ...optional("min", writeOperand(term.kind, term.min)),
    ...optional("max", writeOperand(term.kind, term.max)),
    ...optional("value", writeOperand(term.kind, term.value)),
    ...optional("outcome", term.outcome),
  };
}

const writeOperand = (kind: TermKind | null, text: string | null): number | string | null =>
  text === null || !isNumeric(kind) ? text : readNumber(text);

/** `{ [field]: value }`, or nothing if there is no value. */
const optional = <Field extends string, Value>(field: Field, value: Value | null): { [F in Field]?: Value } =>
  (value === null ? {} : { [field]: value }) as { [F in Field]?: Value };
