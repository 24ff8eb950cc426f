import type { FieldError } from "../../../contract/errors.ts";
import type { SearchTerm } from "../../../contract/search.ts";
import {
  operandsOf,
  operatorsOf,
  type TermKind,
  type TermOperator,
  targetsOf,
} from "../../../contract/search-terms.ts";
import { parseId } from "../../platform/ids.ts";
import { isCalendarDay } from "../../platform/time-zones.ts";
import type { Condition, Ending, Placed, Range, Term } from "./terms.ts";

/**
 * Checks which fields a term must and may have [search.operators, search.operands]. Pure: whether the quiz has the
 * named targets is checked later.
 */

type Field = keyof SearchTerm;
const optionalFields = [
  "page_key",
  "component_key",
  "dimension_id",
  "option_ids",
  "option_labels",
  "min",
  "max",
  "value",
  "outcome",
] as const satisfies readonly Field[];

/** Collects the errors of one term by dotted path. */
class Refusals {
  readonly errors: FieldError[] = [];
  readonly #at: string;

  constructor(at: string) {
    this.#at = at;
  }

  add(field: Field, message: string): void {
    const path = `${this.#at}.${field}`;
    if (!this.errors.some((error) => error.field === path)) this.errors.push({ field: path, message });
  }
}

/** `at`: the term's dotted path. The schema has been checked, but there all fields of a slot are optional. */
export function readTerm(at: string, term: Partial<SearchTerm>): { term: Term } | { errors: FieldError[] } {
  const refusals = new Refusals(at);
  const { quiz_id, kind, op } = term;
  for (const field of ["quiz_id", "kind", "op"] as const) {
    if (term[field] === undefined) refusals.add(field, "is required");
  }
  const quizId = quiz_id === undefined ? null : parseId("quiz", quiz_id);
  if (quiz_id !== undefined && quizId === null) refusals.add("quiz_id", "is not a quiz of this store");
  if (kind === undefined || op === undefined) return { errors: refusals.errors };
  const fits = operatorsOf[kind].includes(op);
  if (!fits) refusals.add("op", `must be one of ${operatorsOf[kind].join(", ")} where kind is ${kind}`);
  const targets: readonly Field[] = targetsOf(kind);
  for (const target of targets) {
    if (term[target] === undefined && kind !== "session") refusals.add(target, `is required where kind is ${kind}`);
  }
  const used = fits ? [...targets, ...operandsOf(kind, op)] : optionalFields;
  for (const field of optionalFields) {
    if (term[field] !== undefined && !used.includes(field)) refusals.add(field, `is not used by ${kind} with ${op}`);
  }
  if (!fits) return { errors: refusals.errors };
  const condition = readCondition(kind, op, term, refusals);
  if (refusals.errors.length > 0 || condition === null || quizId === null) return { errors: refusals.errors };
  return { term: { field: at, quizId, condition } };
}

function readCondition(
  kind: TermKind,
  op: TermOperator,
  term: Partial<SearchTerm>,
  refusals: Refusals,
): Condition | null {
  const placed: Placed = { pageKey: term.page_key ?? "", componentKey: term.component_key ?? "" };
  const numbers = () => readRange(op, term, refusals, numberOperand);
  switch (kind) {
    case "choice":
      return { ...placed, kind, op: op === "in" ? "in" : "not_in", ...readOptions(term, refusals) };
    case "number":
    case "formula": {
      const range = numbers();
      return range && { ...placed, kind, range };
    }
    case "points": {
      const range = numbers();
      return range && { kind, dimensionId: term.dimension_id ?? "", range };
    }
    case "date": {
      const range = readRange(op, term, refusals, dayOperand);
      return range && { ...placed, kind, range };
    }
    case "winner":
      if ((term.option_ids ?? []).length === 0) refusals.add("option_ids", "must name at least one dimension");
      return { kind, dimensionIds: term.option_ids ?? [] };
    case "session":
      return { kind, ending: readEnding(term, refusals), pageKey: term.page_key ?? null };
    default:
      if (op === "answered" || op === "not_answered") return { ...placed, kind, op };
      return readText(placed, op, term.value, refusals);
  }
}

/** [search.outcome] */
function readEnding({ value, outcome }: Partial<SearchTerm>, refusals: Refusals): Ending {
  if (outcome !== undefined) {
    if (value !== undefined) refusals.add("outcome", "cannot stand beside value");
    return { outcome };
  }
  if (value === "completed" || value === "abandoned") return value;
  refusals.add("value", "must be completed or abandoned where kind is session, unless outcome is given");
  return "completed";
}

function readOptions(term: Partial<SearchTerm>, refusals: Refusals): { optionIds: string[]; optionLabels: string[] } {
  const { option_ids: optionIds = [], option_labels: optionLabels = [] } = term;
  if (optionIds.length + optionLabels.length === 0) {
    refusals.add("option_ids", "must name at least one option, unless option_labels does");
  }
  return { optionIds: [...optionIds], optionLabels };
}

function readText(
  placed: Placed,
  op: TermOperator,
  value: string | number | undefined,
  refusals: Refusals,
): Condition | null {
  if (op !== "contains" && op !== "equals" && op !== "matches") return null;
  if (typeof value !== "string") refusals.add("value", "must be a text where kind is text");
  else if (value === "") refusals.add("value", "must not be empty");
  else if (op === "matches" && value.trim() === "") refusals.add("value", "must hold at least one word");
  else return { ...placed, kind: "text", op, text: value };
  return null;
}

type Operand<Value> = { requirement: string; read: (value: string | number) => Value | null };

const numberOperand: Operand<number> = {
  requirement: "must be a number",
  read: (value) => (typeof value === "number" ? value : null),
};
const dayOperand: Operand<string> = {
  requirement: "must be a day as YYYY-MM-DD",
  read: (value) => (typeof value === "string" && isCalendarDay(value) ? value : null),
};

function readRange<Value extends string | number>(
  op: TermOperator,
  term: Partial<SearchTerm>,
  refusals: Refusals,
  operand: Operand<Value>,
): Range<Value> | null {
  const read = (field: "value" | "min" | "max"): Value | null => {
    const input = term[field];
    const value = input === undefined ? null : operand.read(input);
    if (input === undefined) refusals.add(field, `is required where op is ${op}`);
    else if (value === null) refusals.add(field, operand.requirement);
    return value;
  };
  if (op !== "between") {
    const value = read("value");
    const plain = op === "before" ? "lt" : op === "after" ? "gt" : op;
    return value === null || (plain !== "eq" && plain !== "lt" && plain !== "gt") ? null : { op: plain, value };
  }
  const min = read("min");
  const max = read("max");
  if (min === null || max === null) return null;
  if (min > max) refusals.add("min", "must not be above max");
  return { op, min, max };
}
