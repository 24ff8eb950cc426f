import { foldText } from "../../platform/fold-text.ts";
import { canBeStored, type Numbers } from "./numbers.ts";
import { allOf, among, type Parameters } from "./parameters.ts";
import { KeyedPass, SessionPass } from "./passes.ts";
import type { Condition, Range, Search, Term } from "./terms.ts";
import { wordsOf } from "./words.ts";

/**
 * Which slots hold for whom. Every slot is one bit; each table is read once, whatever the number of terms, and the bits
 * of a person's rows are united. A subquery for each slot costs a pass and a hash table a slot: the worst legal body
 * took ten times as long.
 */
export interface Hits {
  /** rows (person, mask), several a person; null: no slot can hold */
  sql: string | null;
  /** per group, the bits that it needs; a group that cannot hold is left out */
  groups: number[];
}

export interface Around {
  numbers: Numbers;
  parameters: Parameters;
  latestOnly: boolean;
}

export function findHits(groups: Search["groups"], around: Around): Hits {
  const passes = new Passes(around);
  let slots = 0;
  const needed = groups.map((group) => {
    let bits = 0;
    let possible = true;
    for (const slot of group) {
      const bit = 2 ** slots;
      slots += 1;
      bits += bit;
      const held = slot.map((term) => passes.add(term, bit));
      if (!held.includes(true)) possible = false;
    }
    return possible ? bits : null;
  });
  return { sql: passes.sql(), groups: needed.filter((bits) => bits !== null) };
}

type Asking = Exclude<Condition, { kind: "session" | "winner" | "points" }>;

class Passes {
  readonly #around: Around;
  readonly #answers = new KeyedPass("answers", "question");
  readonly #formulas = new KeyedPass("formulas", "question");
  readonly #points = new KeyedPass("points", "dimension");
  readonly #sessions = new KeyedPass("sessions", "quiz");
  readonly #whole = new SessionPass();

  constructor(around: Around) {
    this.#around = around;
  }

  sql(): string | null {
    const { latestOnly } = this.#around;
    const keyed = [this.#answers, this.#formulas, this.#points, this.#sessions];
    const parts = [...keyed.map((pass) => pass.sql(latestOnly)), this.#whole.sql(latestOnly)];
    const used = parts.filter((part) => part !== null);
    return used.length === 0 ? null : used.join(" UNION ALL ");
  }

  /** False: nobody can meet the term, as far as the copy knows its names. */
  add({ quizId, condition }: Term, bit: number): boolean {
    const { numbers, parameters } = this.#around;
    const quiz = numbers.quiz(quizId);
    // nobody took it: not even `not_answered` holds for anyone
    if (quiz.length === 0) return false;
    switch (condition.kind) {
      case "session": {
        const pages = condition.pageKey === null ? null : numbers.page(quizId, condition.pageKey);
        const status = condition.completed ? "status = 'completed'" : "status = 'left'";
        if (pages?.length === 0) return false;
        return this.#sessions.add(quiz, allOf([status, ...(pages ? [among("last_page", pages)] : [])]), bit);
      }
      case "winner": {
        const dimensions = condition.dimensionIds.flatMap((id) => numbers.dimension(quizId, id));
        return dimensions.length > 0 && this.#sessions.add(quiz, among("winner", dimensions), bit);
      }
      case "points": {
        const total = within("total", condition.range, (value) => parameters.double(value));
        return this.#points.add(numbers.dimension(quizId, condition.dimensionId), total, bit);
      }
      default: {
        const questions = numbers.question(quizId, condition.componentKey);
        if ("op" in condition && condition.op === "not_answered") {
          this.#whole.addUnanswered(quiz, questions, bit);
          return true;
        }
        return questions.length > 0 && this.#addAnswered(quizId, condition, questions, bit);
      }
    }
  }

  #addAnswered(quizId: string, condition: Asking, questions: readonly number[], bit: number): boolean {
    const { numbers, parameters } = this.#around;
    switch (condition.kind) {
      case "choice": {
        const { componentKey, optionIds, optionLabels } = condition;
        const options = numbers.options(quizId, componentKey, optionIds, optionLabels);
        if (condition.op === "not_in") this.#whole.addNoneOf(questions, options, bit);
        else return options.length > 0 && this.#answers.add(questions, among('"option"', options), bit);
        return true;
      }
      case "formula":
        return this.#formulas.add(
          questions,
          within("value", condition.range, (v) => parameters.double(v)),
          bit,
        );
      case "number":
        return this.#answers.add(
          questions,
          within("number", condition.range, (v) => parameters.double(v)),
          bit,
        );
      case "date":
        return this.#answers.add(
          questions,
          within('"day"', condition.range, (day) => parameters.day(day)),
          bit,
        );
      default:
        if (!("text" in condition)) return this.#answers.add(questions, "true", bit);
        if (!canBeStored(condition.text)) return false;
        return this.#answers.add(questions, textHolds(condition.op, condition.text, parameters), bit);
    }
  }
}

function within<Value>(column: string, range: Range<Value>, parameter: (value: Value) => string): string {
  if (range.op === "between") return `${column} BETWEEN ${parameter(range.min)} AND ${parameter(range.max)}`;
  return `${column} ${{ eq: "=", lt: "<", gt: ">" }[range.op]} ${parameter(range.value)}`;
}

function textHolds(op: "contains" | "equals" | "matches", text: string, parameters: Parameters): string {
  if (op === "equals") return `"text" = ${parameters.text(foldText(text))}`;
  if (op === "contains") return `contains("text", ${parameters.text(foldText(text))})`;
  // plain finding goes first: it costs a tenth of a pattern, and most texts lack the word
  const words = wordsOf(text).flatMap((word) => [
    `contains("text", ${parameters.text(word.text)})`,
    ...(word.pattern === null ? [] : [`regexp_matches("text", ${parameters.text(word.pattern)})`]),
  ]);
  return allOf(words);
}
