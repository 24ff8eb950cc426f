import type { FieldError } from "../../contract/errors.ts";
import {
  operandsOf,
  operatorsOf,
  searchLimits,
  type TermKind,
  type TermOperator,
  targetsOf,
} from "../../contract/search-terms.ts";
import { readNumber } from "../ui/read-number.ts";
import { isNumeric, type SearchState, type TermState } from "./search-state.ts";

/**
 * Checks a search before it is sent. Errors have the same paths as the API's own, so that both show at the same field
 * [dashboard-people.problems-at-fields]. What only the store knows, such as whether any version of a quiz had a
 * question, is left to the API.
 */

export function searchProblems(state: SearchState): FieldError[] {
  const problems: FieldError[] = [];
  const add = (field: string, message: string) => problems.push({ field: `body.${field}`, message });
  const { from, to } = state;
  if (from !== null && !isDay(from)) add("from", "Give a day");
  if (to !== null && !isDay(to)) add("to", "Give a day");
  if (from !== null && to !== null && from > to) add("from", "The first day comes after the last");
  const groups = state.groups ?? [];
  if (groups.length > searchLimits.groups) add("groups", `There can be ${searchLimits.groups} groups at most`);
  for (const [g, group] of groups.entries()) {
    const at = `groups.${g}.all`;
    if (group.slots.length === 0) add(at, "Add a condition, or remove the group");
    if (group.slots.length > searchLimits.slots) add(at, `A group has ${searchLimits.slots} conditions at most`);
    for (const [s, slot] of group.slots.entries()) {
      if (slot.terms.length === 0) add(`${at}.${s}.any`, "Add a condition");
      if (slot.terms.length > searchLimits.alternatives)
        add(`${at}.${s}.any`, `There can be ${searchLimits.alternatives} alternatives at most`);
      for (const [t, term] of slot.terms.entries()) {
        const place = slot.any ? `${at}.${s}.any.${t}` : `${at}.${s}`;
        for (const problem of termProblems(term)) add(`${place}.${problem.field}`, problem.message);
      }
    }
  }
  return problems;
}

/** Errors by the term's field. */
export function termProblems(term: TermState): FieldError[] {
  const { kind, op } = term;
  const problems: FieldError[] = [];
  const add = (field: string, message: string) => problems.push({ field, message });
  if (term.quizId === null) add("quiz_id", "Choose a quiz");
  if (kind === null) add("kind", "Choose what to ask about");
  if (op === null) add("op", "Choose how to compare");
  for (const field of fields) problems.push(...lengthProblems(field, termValue(term, field)));
  if (kind === null || op === null) return problems;
  const fits = operatorsOf[kind].includes(op);
  if (!fits) add("op", "Choose another comparison: this question does not take it");
  const targets = targetsOf(kind);
  for (const target of targets) {
    if (termValue(term, target) === null && kind !== "session") add(target, "Choose what to ask about");
  }
  const used = new Set<Field>(fits ? [...targets, ...operandsOf(kind, op)] : fields);
  for (const field of fields) {
    if (termValue(term, field) !== null && !used.has(field))
      add(field, "This is not used here: choose the comparison again");
  }
  if (fits)
    problems.push(...operandProblems(term, kind, op).filter(({ field }) => !problems.some((p) => p.field === field)));
  return problems;
}

const fields = [
  "page_key",
  "component_key",
  "dimension_id",
  "option_ids",
  "option_labels",
  "min",
  "max",
  "value",
  "outcome",
] as const;
type Field = (typeof fields)[number];

function termValue(term: TermState, field: Field): string | readonly string[] | null {
  switch (field) {
    case "page_key":
      return term.pageKey;
    case "component_key":
      return term.componentKey;
    case "dimension_id":
      return term.dimensionId;
    case "option_ids":
      return term.optionIds;
    case "option_labels":
      return term.optionLabels;
    case "outcome":
      return term.outcome;
    default: {
      const text = term[field];
      // like the request, which drops non-numbers
      return text !== null && isNumeric(term.kind) && readNumber(text) === null ? null : text;
    }
  }
}

/** The limit counts characters, not code units [search.bounds]. */
const isLong = (text: string): boolean => text.length > searchLimits.text && [...text].length > searchLimits.text;

function lengthProblems(field: Field, value: string | readonly string[] | null): FieldError[] {
  if (value === null) return [];
  if (typeof value === "string")
    return isLong(value) ? [{ field, message: `This has more than ${searchLimits.text} characters` }] : [];
  if (value.length > searchLimits.options) return [{ field, message: `Choose ${searchLimits.options} at most` }];
  return value.flatMap((text, index) =>
    isLong(text) ? [{ field: `${field}.${index}`, message: `One has more than ${searchLimits.text} characters` }] : [],
  );
}

function operandProblems(term: TermState, kind: TermKind, op: TermOperator): FieldError[] {
  const chosen = (term.optionIds?.length ?? 0) + (term.optionLabels?.length ?? 0);
  if (kind === "choice") return chosen > 0 ? [] : [{ field: "option_ids", message: "Choose at least one answer" }];
  if (kind === "winner") {
    return (term.optionIds ?? []).length > 0 ? [] : [{ field: "option_ids", message: "Choose at least one result" }];
  }
  if (kind === "session") {
    if (term.outcome !== null) {
      return term.value === null ? [] : [{ field: "outcome", message: "Choose the ending again" }];
    }
    const known = term.value === "completed" || term.value === "abandoned";
    return known ? [] : [{ field: "value", message: "Choose how it ended" }];
  }
  if (operandsOf(kind, op).length === 0) return [];
  if (kind === "text") return textProblems(term.value, op);
  return op === "between" ? rangeProblems(term) : operandProblem(kind, "value", term.value);
}

function textProblems(text: string | null, op: TermOperator): FieldError[] {
  if (text === null || text === "") return [{ field: "value", message: "Type a text" }];
  return op === "matches" && text.trim() === "" ? [{ field: "value", message: "Type at least one word" }] : [];
}

function rangeProblems({ kind, min, max }: TermState): FieldError[] {
  const problems = [...operandProblem(kind, "min", min), ...operandProblem(kind, "max", max)];
  if (problems.length > 0 || min === null || max === null) return problems;
  const wrongWay = isNumeric(kind) ? (readNumber(min) ?? 0) > (readNumber(max) ?? 0) : min > max;
  return wrongWay ? [{ field: "min", message: "The lower end is above the upper one" }] : [];
}

function operandProblem(kind: TermKind | null, field: "value" | "min" | "max", text: string | null): FieldError[] {
  if (isNumeric(kind)) {
    return text !== null && readNumber(text) !== null ? [] : [{ field, message: "Type a number, such as 12 or 1.5" }];
  }
  return text !== null && isDay(text) ? [] : [{ field, message: "Give a day" }];
}

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** The sentence of the first error at a field or inside it. */
export function problemAt(errors: readonly FieldError[], ...fields: string[]): string | null {
  const found = errors.find(({ field }) => fields.some((place) => field === place || field.startsWith(`${place}.`)));
  return found === undefined ? null : sentence(found.message);
}

/** Errors that none of the listed places shows. */
export const problemsElsewhere = (errors: readonly FieldError[], shown: readonly string[]): FieldError[] =>
  errors.filter(({ field }) => !shown.some((place) => field === place || field.startsWith(`${place}.`)));

/** The API's messages continue the field's name: "must be a number". */
const sentence = (message: string): string => (/^(must|is|has|should)\b/.test(message) ? `This ${message}` : message);
