import { type AnswerLeaf, type Answers, type AnswerValue, type Condition, conditionDepth } from "./document.ts";
import type { Quiz } from "./quiz.ts";

/**
 * Whether a condition holds for these answers [engine.conditions, engine.unanswered]. The answers are used as they are:
 * to treat hidden questions as unanswered, pass `countedAnswers` (visibility.ts).
 *
 * A question that does not exist or is not answered matches `not_answered` and nothing else: `not_in` means answered
 * with none of these, as in a search. "Unanswered or none of these" is `{not: {op: in}}`. An empty `all` holds, an
 * empty `any` does not. Nothing holds beyond the depth that `checkDocument` allows.
 */
export function holds(condition: Condition, answers: Answers, quiz: Quiz): boolean {
  return holdsAt(condition, answers, quiz, 1);
}

function holdsAt(condition: Condition, answers: Answers, quiz: Quiz, depth: number): boolean {
  if (depth > conditionDepth) return false;
  if ("all" in condition) return condition.all.every((part) => holdsAt(part, answers, quiz, depth + 1));
  if ("any" in condition) return condition.any.some((part) => holdsAt(part, answers, quiz, depth + 1));
  if ("not" in condition) return !holdsAt(condition.not, answers, quiz, depth + 1);
  if ("kind" in condition) return !!quiz.outcomes?.holds(condition, answers, quiz);
  const answer = quiz.questions.has(condition.component_key) ? answers.get(condition.component_key) : undefined;
  return answer === undefined ? condition.op === "not_answered" : leafHolds(condition, answer);
}

function leafHolds(leaf: AnswerLeaf, answer: AnswerValue): boolean {
  switch (leaf.op) {
    case "answered":
      return true;
    case "not_answered":
      return false;
    case "in":
      return "option_ids" in answer && answer.option_ids.some((id) => leaf.option_ids.includes(id));
    case "not_in":
      return "option_ids" in answer && !answer.option_ids.some((id) => leaf.option_ids.includes(id));
    case "eq":
      return "option_ids" in answer
        ? answer.option_ids.length === 1 && answer.option_ids[0] === leaf.value
        : compare(answer, leaf.value) === 0;
    case "lt":
      return compare(answer, leaf.value) < 0;
    case "gt":
      return compare(answer, leaf.value) > 0;
    case "between":
      return compare(answer, leaf.min) >= 0 && compare(answer, leaf.max) <= 0;
  }
}

/**
 * Below, at or above 0 like a comparator; NaN, for which every comparison is false, if the two have different types.
 */
function compare(answer: AnswerValue, operand: string | number): number {
  if ("option_ids" in answer) return Number.NaN;
  const { value } = answer;
  if (typeof value === "number") return typeof operand === "number" ? value - operand : Number.NaN;
  if (typeof operand !== "string") return Number.NaN;
  // A date compares by its day: YYYY-MM-DD sorts as text. Spaces around typed text are ignored.
  const text = typeof value === "string" ? value.trim() : value.date;
  if (text === operand) return 0;
  return text < operand ? -1 : 1;
}
