import { isDay } from "./dates.ts";
import {
  type AnswerLeaf,
  bounds,
  type Compared,
  type Component,
  type Condition,
  type OutcomeLeaf,
} from "./document.ts";
import { type Operator, operatorsOfValue } from "./kinds/operators.ts";
import { impossible, isChoice, valueOfKind } from "./kinds/value.ts";
import { Fields, isObject, type Problems, readKey, readNumber } from "./read.ts";

const operators = ["in", "not_in", "eq", "lt", "gt", "between", "answered", "not_answered"] as const;

/** Operators of conditions about a component; one without answers has none. */
export const fitting = ({ kind }: Component): readonly Operator[] => operatorsOfValue[valueOfKind[kind]];

/** Reads a condition's shape, at most `bounds.conditionDepth` deep; `checkCondition` checks its references. */
export function readCondition(value: unknown, path: string, problems: Problems): Condition {
  return readAt(value, path, problems, 1);
}

function readAt(value: unknown, path: string, problems: Problems, depth: number): Condition {
  const nothing: Condition = { all: [] };
  if (depth > bounds.conditionDepth) {
    problems.add(path, `is nested more than ${bounds.conditionDepth} deep`);
    return nothing;
  }
  const fields = new Fields(value, path, problems);
  if (!isObject(value)) return nothing;
  const inner = (part: unknown, at: string): Condition => readAt(part, at, problems, depth + 1);
  const entries = { min: 0, max: bounds.conditionEntries };
  const condition: Condition = fields.has("all")
    ? { all: fields.list("all", entries, inner, "required") }
    : fields.has("any")
      ? { any: fields.list("any", entries, inner, "required") }
      : fields.has("not")
        ? { not: inner(fields.any("not"), fields.at("not")) }
        : fields.has("kind")
          ? readOutcomeLeaf(fields)
          : readLeaf(fields);
  fields.refuseOthers();
  return condition;
}

function readLeaf(fields: Fields): AnswerLeaf {
  if (!fields.has("component_key") && !fields.has("op")) {
    fields.problems.add(fields.path, "must have all, any, not, or component_key and op");
  }
  const component_key = fields.key("component_key");
  const op = fields.oneOf("op", operators);
  switch (op) {
    case "in":
    case "not_in":
      return { component_key, op, option_ids: fields.list("option_ids", { min: 1, max: 200 }, readKey, "required") };
    case "between":
      return { component_key, op, min: readOperand(fields, "min"), max: readOperand(fields, "max") };
    case "answered":
    case "not_answered":
      return { component_key, op };
    default:
      return { component_key, op, value: readOperand(fields, "value") };
  }
}

const compared = ["eq", "lt", "gt", "between"] as const;

function readOutcomeLeaf(fields: Fields): OutcomeLeaf {
  const kind = fields.oneOf("kind", ["winner", "points", "formula"]);
  if (kind === "winner") {
    const op = fields.oneOf("op", ["in", "not_in"]);
    const dimension_ids = fields.list("dimension_ids", { min: 1, max: bounds.dimensions }, readKey, "required");
    return { kind, op, dimension_ids, ...fields.filled("rank", readRank) };
  }
  if (kind === "points") {
    const dimension_id = fields.orNull("dimension_id", readKey);
    return { kind, dimension_id, ...readCompared(fields, fields.oneOf("op", compared)) };
  }
  const component_key = fields.key("component_key");
  const op = fields.oneOf("op", [...compared, "answered", "not_answered"]);
  if (op === "answered" || op === "not_answered") return { kind, component_key, op };
  return { kind, component_key, ...readCompared(fields, op) };
}

function readRank(value: unknown, path: string, problems: Problems): number {
  const rank = readNumber(value, path, problems, { min: 1, max: bounds.ranks });
  if (!Number.isInteger(rank)) problems.add(path, "must be a whole number");
  return rank;
}

function readCompared(fields: Fields, op: Compared["op"]): Compared {
  const range = { min: -Number.MAX_VALUE, max: Number.MAX_VALUE };
  const read = (name: string): number => {
    const value = fields.any(name);
    return value === undefined ? 0 : readNumber(value, fields.at(name), fields.problems, range);
  };
  if (op !== "between") return { op, value: read("value") };
  const [min, max] = [read("min"), read("max")];
  if (min > max) fields.problems.add(fields.at("min"), "is above max");
  return { op, min, max };
}

function readOperand(fields: Fields, name: string): string | number {
  const value = fields.any(name);
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value === "string") return fields.text(name, bounds.text);
  if (value !== undefined) fields.problems.add(fields.at(name), "must be a string or a number");
  return "";
}

/** What conditions may name. */
export interface ConditionKeys {
  components: ReadonlyMap<string, Component>;
  dimensions: ReadonlySet<string>;
}

/**
 * Checks a condition's references: the component exists and can be answered, the operator fits its kind, operands have
 * the kind's type, options exist [quiz-documents.conditions].
 */
export function checkCondition(condition: Condition, path: string, keys: ConditionKeys, problems: Problems): void {
  if ("not" in condition) checkCondition(condition.not, `${path}.not`, keys, problems);
  else if ("kind" in condition) checkOutcomeLeaf(condition, path, keys, problems);
  else if ("component_key" in condition) checkLeaf(condition, path, keys.components, problems);
  else {
    const [name, parts] = "all" in condition ? ["all", condition.all] : ["any", condition.any];
    for (const [index, part] of parts.entries()) {
      checkCondition(part, `${path}.${name}.${index}`, keys, problems);
    }
  }
}

/** Dimensions and formulas that a condition names exist [quiz-documents.outcome-conditions]. */
function checkOutcomeLeaf(leaf: OutcomeLeaf, path: string, keys: ConditionKeys, problems: Problems): void {
  const checkDimension = (id: string, at: string): void => {
    if (!keys.dimensions.has(id)) problems.add(at, "names no dimension of the document", "unknown_reference");
  };
  if (leaf.kind === "winner") {
    for (const [index, id] of leaf.dimension_ids.entries()) checkDimension(id, `${path}.dimension_ids.${index}`);
  } else if (leaf.kind === "points") {
    if (leaf.dimension_id !== null) checkDimension(leaf.dimension_id, `${path}.dimension_id`);
  } else if (keys.components.get(leaf.component_key)?.kind !== "formula") {
    problems.add(`${path}.component_key`, "names no formula of the document", "unknown_reference");
  }
}

function checkLeaf(
  leaf: AnswerLeaf,
  path: string,
  components: ReadonlyMap<string, Component>,
  problems: Problems,
): void {
  const component = components.get(leaf.component_key);
  const fits = component ? fitting(component) : [];
  if (component === undefined || fits.length === 0) {
    problems.add(`${path}.component_key`, "names no question of the document", "unknown_reference");
  } else if (!fits.includes(leaf.op)) {
    problems.add(`${path}.op`, `does not fit a ${component.kind} question, use one of ${fits.join(", ")}`);
  } else {
    checkOperands(leaf, path, component, problems);
  }
}

function checkOperands(leaf: AnswerLeaf, path: string, component: Component, problems: Problems): void {
  const check = (operand: string | number, name: string): void => {
    const problem = operandProblem(component, operand);
    if (problem !== null) problems.add(`${path}.${name}`, problem.message, problem.code);
  };
  if ("option_ids" in leaf) for (const [index, id] of leaf.option_ids.entries()) check(id, `option_ids.${index}`);
  if ("value" in leaf) check(leaf.value, "value");
  if (!("min" in leaf)) return;
  check(leaf.min, "min");
  check(leaf.max, "max");
  if (typeof leaf.min === typeof leaf.max && leaf.min > leaf.max) problems.add(`${path}.min`, "is above max");
}

const optionIds = new WeakMap<Component, ReadonlySet<string>>();

/** A choice's option ids; none for other kinds. Kept, because hundreds of conditions may ask about one question. */
export function optionIdsOf(component: Component): ReadonlySet<string> {
  const known = optionIds.get(component);
  if (known !== undefined) return known;
  const options = isChoice(component) ? component.options : [];
  const ids = new Set(options.map((option) => option.option_id));
  optionIds.set(component, ids);
  return ids;
}

function operandProblem(
  component: Component,
  operand: string | number,
): { message: string; code: "invalid" | "unknown_reference" } | null {
  const value = valueOfKind[component.kind];
  switch (value) {
    case "options":
      return typeof operand === "string" && optionIdsOf(component).has(operand)
        ? null
        : { message: "names no option of the question", code: "unknown_reference" };
    case "number":
      return typeof operand === "number" ? null : { message: "must be a number", code: "invalid" };
    case "text":
      return typeof operand === "string" ? null : { message: "must be a string", code: "invalid" };
    case "date":
      return typeof operand === "string" && isDay(operand)
        ? null
        : { message: "must be a day, YYYY-MM-DD", code: "invalid" };
    case "contact":
    case "none":
      return null;
    default:
      return impossible(value);
  }
}
