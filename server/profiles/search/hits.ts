import { searchLimits } from "../../../contract/search-terms.ts";
import { joined, raw, sql } from "../../platform/database/sql.ts";
import { foldText } from "../../platform/fold-text.ts";
import { canBeStored, type Numbers } from "./numbers.ts";
import { allOf, among, dayValue, doubleValue, type Part, textValue } from "./parts.ts";
import { KeyedPass, SessionPass, sharedWordsPass, type WordsTerm } from "./passes.ts";
import type { Condition, Range, Search, Term } from "./terms.ts";
import { type Word, wordsOf } from "./words.ts";

/**
 * Determines which slots hold for which people. Each slot is one bit. Each table is read once, whatever the number of
 * terms, and the bits of a person's rows are combined. A subquery per slot would cost one pass and one hash table each:
 * the largest allowed body took ten times as long.
 */
export interface Hits {
  /** rows (person, mask), several per person; null if no slot can hold */
  sql: Part | null;
  groups: HitGroup[];
}

export interface HitGroup {
  /** the bit of each slot */
  slots: number[];
  /** whether each of its slots can hold for someone */
  possible: boolean;
}

/** The bits that a person's mask must have for the group to hold. */
export const bitsOfGroup = ({ slots }: HitGroup): number => slots.reduce((sum, bit) => sum + bit, 0);

export interface Around {
  numbers: Numbers;
  latestOnly: boolean;
}

export function findHits(groups: Search["groups"], around: Around): Hits {
  const passes = new Passes(around);
  let slots = 0;
  const found = groups.map((group): HitGroup => {
    const own: HitGroup = { slots: [], possible: true };
    for (const slot of group) {
      const bit = 2 ** slots;
      slots += 1;
      own.slots.push(bit);
      const satisfiable = slot.map((term) => passes.add(term, bit));
      if (!satisfiable.includes(true)) own.possible = false;
    }
    return own;
  });
  return { sql: passes.sql(), groups: found };
}

type Asking = Exclude<Condition, { kind: "session" | "winner" | "points" }>;

class Passes {
  readonly #around: Around;
  readonly #answers = new KeyedPass("answers", "question");
  readonly #formulas = new KeyedPass("formulas", "question");
  readonly #points = new KeyedPass("points", "dimension");
  readonly #sessions = new KeyedPass("sessions", "quiz");
  readonly #whole = new SessionPass();
  readonly #words: WordsTerm[] = [];

  constructor(around: Around) {
    this.#around = around;
  }

  sql(): Part | null {
    const { latestOnly } = this.#around;
    const keyed = [this.#answers, this.#formulas, this.#points, this.#sessions];
    const wordCount = this.#words.reduce((sum, { words }) => sum + words.length, 0);
    if (wordCount > searchLimits.words) keyed.push(sharedWordsPass(this.#words));
    else for (const { questions, words, bit } of this.#words) this.#answers.add(questions, allOf(words), bit);
    const parts = [...keyed.map((pass) => pass.sql(latestOnly)), this.#whole.sql(latestOnly)];
    const used = parts.filter((part) => part !== null);
    return used.length === 0 ? null : joined(used, " UNION ALL ");
  }

  /** Returns false if nobody can meet the term, judging by the names that the copy knows. */
  add({ quizId, condition }: Term, bit: number): boolean {
    const { numbers } = this.#around;
    const quiz = numbers.quiz(quizId);
    // nobody took the quiz, so not even `not_answered` holds for anyone
    if (quiz.length === 0) return false;
    switch (condition.kind) {
      case "session": {
        const pages = condition.pageKey === null ? null : numbers.page(quizId, condition.pageKey);
        const { ending } = condition;
        if (pages?.length === 0) return false;
        if (typeof ending === "object") {
          const column = pages === null ? "outcome" : `CASE WHEN ${among("last_page", pages)} THEN outcome END`;
          return this.#sessions.addAmong(quiz, column, numbers.outcome(quizId, ending.outcome), bit);
        }
        const status = ending === "completed" ? sql`status = 'completed'` : sql`status = 'left'`;
        if (pages === null) return this.#sessions.add(quiz, status, bit);
        return this.#sessions.addAmong(quiz, `CASE WHEN ${status.sql} THEN last_page END`, pages, bit);
      }
      case "winner": {
        const dimensions = condition.dimensionIds.flatMap((id) => numbers.dimension(quizId, id));
        return this.#sessions.addAmong(quiz, "winner", dimensions, bit);
      }
      case "points": {
        const dimension = numbers.dimension(quizId, condition.dimensionId);
        return addWithin(this.#points, dimension, { column: "total", bit }, condition.range, doubleValue);
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
    const { numbers } = this.#around;
    switch (condition.kind) {
      case "choice": {
        const { componentKey, optionIds, optionLabels } = condition;
        const options = numbers.options(quizId, componentKey, optionIds, optionLabels);
        if (condition.op === "not_in") this.#whole.addNoneOf(questions, options, bit);
        else return this.#answers.addAmong(questions, '"option"', options, bit);
        return true;
      }
      case "formula":
        return addWithin(this.#formulas, questions, { column: "value", bit }, condition.range, doubleValue);
      case "number":
        return addWithin(this.#answers, questions, { column: "number", bit }, condition.range, doubleValue);
      case "date":
        return addWithin(this.#answers, questions, { column: '"day"', bit }, condition.range, dayValue);
      default:
        if (!("text" in condition)) return this.#answers.add(questions, sql`true`, bit);
        if (!canBeStored(condition.text)) return false;
        if (condition.op === "equals") {
          return this.#answers.addAmong(questions, '"text"', [textValue(foldText(condition.text))], bit);
        }
        if (condition.op === "contains") {
          return this.#answers.add(questions, sql`contains("text", ${textValue(foldText(condition.text))})`, bit);
        }
        this.#words.push({ questions, words: wordsOf(condition.text).map(textHolds), bit });
        return true;
    }
  }
}

function addWithin<Value>(
  pass: KeyedPass,
  numbers: readonly number[],
  { column, bit }: { column: string; bit: number },
  range: Range<Value>,
  toPart: (value: Value) => Part,
): boolean {
  const tested = raw(column);
  if (range.op === "between")
    return pass.add(numbers, sql`${tested} BETWEEN ${toPart(range.min)} AND ${toPart(range.max)}`, bit);
  if (range.op === "eq") return pass.addAmong(numbers, column, [toPart(range.value)], bit);
  return pass.add(numbers, sql`${tested} ${raw({ lt: "<", gt: ">" }[range.op])} ${toPart(range.value)}`, bit);
}

function textHolds({ text, pattern }: Word): Part {
  const isThere = sql`contains("text", ${textValue(text)})`;
  // the plain search goes first: it costs a tenth of a pattern, and most texts lack the word
  return pattern === null ? isThere : allOf([isThere, sql`regexp_matches("text", ${textValue(pattern)})`]);
}
