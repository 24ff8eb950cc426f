import type { AnswerLeaf } from "../document.ts";
import type { Value } from "./value.ts";

export type Operator = AnswerLeaf["op"];

const presence = ["answered", "not_answered"] as const satisfies readonly Operator[];
const ordered = ["eq", "lt", "gt", "between", ...presence] as const satisfies readonly Operator[];

/** The operators of conditions about answers with each value [quiz-documents.conditions]. */
export const operatorsOfValue: Readonly<Record<Value, readonly Operator[]>> = {
  options: ["in", "not_in", "eq", ...presence],
  text: ["eq", ...presence],
  number: ordered,
  date: ordered,
  contact: presence,
  none: [],
};
