/**
 * The values that people searches consist of, without their shapes, because a search form needs only these; search.ts.
 */

export const searchLimits = {
  groups: 4,
  slots: 8,
  /** plain terms of one slot, bounded to bound the SQL statement */
  alternatives: 50,
  options: 50,
  text: 200,
  /** different words in all `matches` texts together: each is a pattern, which takes 6 ms and 0.3 MB to prepare */
  words: 200,
  /** counting stops beyond this total */
  total: 5_000,
} as const;

export const termKinds = [
  "choice",
  "number",
  "date",
  "text",
  "email",
  "phone",
  "points",
  "formula",
  "winner",
  "session",
] as const;
export type TermKind = (typeof termKinds)[number];

export const termOperators = [
  "in",
  "not_in",
  "eq",
  "lt",
  "gt",
  "between",
  "before",
  "after",
  "contains",
  "equals",
  "matches",
  "answered",
  "not_answered",
] as const;
export type TermOperator = (typeof termOperators)[number];

export const matchModes = ["any_session", "latest_completed_per_quiz"] as const;
export type MatchMode = (typeof matchModes)[number];

const numeric = ["eq", "lt", "gt", "between"] as const;
const presence = ["answered", "not_answered"] as const;

/** The operators of each kind [search.operators]. */
export const operatorsOf: Record<TermKind, readonly TermOperator[]> = {
  choice: ["in", "not_in"],
  number: numeric,
  points: numeric,
  formula: numeric,
  date: ["eq", "before", "after", "between"],
  text: ["contains", "equals", "matches", ...presence],
  email: presence,
  phone: presence,
  winner: ["in"],
  session: ["equals"],
};

type Target = "page_key" | "component_key" | "dimension_id";
type Operand = "option_ids" | "option_labels" | "min" | "max" | "value" | "outcome";

/** The fields that identify what a kind is about; for `session` the page is optional. */
export function targetsOf(kind: TermKind): readonly Target[] {
  if (kind === "points") return ["dimension_id"];
  if (kind === "winner") return [];
  return kind === "session" ? ["page_key"] : ["page_key", "component_key"];
}

/** The operand fields of a kind and operator [search.operands]. */
export function operandsOf(kind: TermKind, op: TermOperator): readonly Operand[] {
  if (op === "between") return ["min", "max"];
  if (op === "answered" || op === "not_answered") return [];
  if (kind === "choice") return ["option_ids", "option_labels"];
  if (kind === "session") return ["value", "outcome"];
  return kind === "winner" ? ["option_ids"] : ["value"];
}
