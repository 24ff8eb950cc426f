import { fitting } from "../../../engine/check-conditions.ts";
import type {
  AnswerLeaf,
  Component,
  Condition,
  OutcomeLeaf,
  QuestionComponent,
  QuizDocument,
} from "../../../engine/document.ts";
import { isChoice, isQuestion, valued } from "../../../engine/kinds/value.ts";

/** Conditions as a form shows them: groups of parts, each with a question, an operator and its operands. */

export type Leaf = AnswerLeaf;
export type Operator = Leaf["op"];

/** Where a part is in a condition: the index in each group on the way to it; the only index in a `not` is 0. */
export type PartPath = readonly number[];

export function partsOf(condition: Condition): readonly Condition[] | null {
  if ("all" in condition) return condition.all;
  if ("any" in condition) return condition.any;
  return "not" in condition ? [condition.not] : null;
}

const withParts = (condition: Condition, parts: readonly Condition[]): Condition => {
  if ("all" in condition) return { all: [...parts] };
  if ("any" in condition) return { any: [...parts] };
  return { not: parts[0] ?? { all: [] } };
};

/** Replaces one part of a condition; null removes it, along with a group that it leaves empty. */
export function withPart(condition: Condition, path: PartPath, part: Condition | null): Condition | null {
  const [step, ...rest] = path;
  if (step === undefined) return part;
  const parts = partsOf(condition);
  const inner = parts?.[step];
  if (!parts || inner === undefined) return condition;
  const changed = withPart(inner, rest, part);
  if (changed !== null) return withParts(condition, parts.with(step, changed));
  return parts.length === 1 ? null : withParts(condition, parts.toSpliced(step, 1));
}

export function partAt(condition: Condition, path: PartPath): Condition | undefined {
  let found: Condition | undefined = condition;
  for (const step of path) found = found && partsOf(found)?.[step];
  return found;
}

/** Adds a part at the end of a group; a single part becomes a group of two. */
export function withMore(condition: Condition | null, path: PartPath, part: Condition): Condition {
  if (condition === null) return { all: [part] };
  const group = partAt(condition, path);
  if (!group) return condition;
  const parts = "not" in group ? null : partsOf(group);
  const grown = parts ? withParts(group, [...parts, part]) : { all: [group, part] };
  return withPart(condition, path, grown) ?? condition;
}

/** Combines a group's parts by `all` or `any`. */
export function joinedBy(condition: Condition, path: PartPath, word: "all" | "any"): Condition {
  const group = partAt(condition, path);
  const parts = group && partsOf(group);
  if (!group || !parts || "not" in group) return condition;
  const joined: Condition = word === "all" ? { all: [...parts] } : { any: [...parts] };
  return withPart(condition, path, joined) ?? condition;
}

/** Negates a part; negating twice gives the part itself. */
export function negated(condition: Condition, path: PartPath): Condition {
  const part = partAt(condition, path);
  if (!part) return condition;
  return withPart(condition, path, "not" in part ? part.not : { not: part }) ?? condition;
}

export const operatorsOf = (component: Component | undefined): readonly Operator[] =>
  component ? fitting(component) : [];

export const operatorWords: Readonly<Record<Operator, string>> = {
  in: "is one of",
  not_in: "is none of",
  eq: "is exactly",
  lt: "is below",
  gt: "is above",
  between: "is from … to …",
  answered: "is answered",
  not_answered: "is not answered",
};

/** A new part about a question, with the operator's default operands. */
export function leafOf(component: QuestionComponent, op: Operator = operatorsOf(component)[0] ?? "answered"): Leaf {
  const { component_key } = component;
  switch (op) {
    case "answered":
    case "not_answered":
      return { component_key, op };
    case "in":
    case "not_in": {
      const first = isChoice(component) ? component.options[0]?.option_id : undefined;
      return { component_key, op, option_ids: first === undefined ? [] : [first] };
    }
    case "between":
      return { component_key, op, min: firstOperand(component), max: firstOperand(component) };
    default:
      return { component_key, op, value: firstOperand(component) };
  }
}

function firstOperand(component: QuestionComponent): string | number {
  const asked = valued(component);
  switch (asked.value) {
    case "options":
      return asked.component.options[0]?.option_id ?? "";
    case "number":
      return asked.component.min ?? 0;
    case "date":
      return "2026-01-01";
    case "text":
    case "contact":
      return "";
  }
}

/** All questions of the document in order, with the index of their page. */
export function questionsOf({ pages }: QuizDocument): { component: QuestionComponent; page: number }[] {
  return pages.flatMap(({ components }, page) =>
    components.filter(isQuestion).map((component) => ({ component, page })),
  );
}

/** Maps each part of a condition, to rename the keys or operands in it. */
export function renamedLeaves(condition: Condition, rename: (leaf: Leaf | OutcomeLeaf) => Condition): Condition {
  if ("kind" in condition || "component_key" in condition) return rename(condition);
  const parts = partsOf(condition) ?? [];
  return withParts(
    condition,
    parts.map((part) => renamedLeaves(part, rename)),
  );
}
