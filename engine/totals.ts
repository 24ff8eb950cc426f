import type { Answers, Compared, OutcomeLeaf } from "./document.ts";
import { evaluateExpression } from "./evaluate.ts";
import type { PlacedQuestion, Quiz } from "./quiz.ts";

/**
 * Points, ranks and formulas of answers, each computed when it is asked for and kept. While pages are decided answers
 * stop counting; what depends on them is then computed anew.
 */
export class Totals {
  readonly #quiz: Quiz;
  readonly #answers: Answers;
  readonly #points = new Map<string, number>();
  readonly #formulas = new Map<string, number | null>();
  /** questions and dimensions that the kept formulas have read */
  readonly #read = new Set<string>();
  #ranks: readonly string[] | null = null;

  constructor(quiz: Quiz, answers: Answers) {
    this.#quiz = quiz;
    this.#answers = answers;
  }

  /** Whether a condition on totals holds [engine.outcome-conditions]. */
  holds(leaf: OutcomeLeaf): boolean {
    if (leaf.kind === "winner") {
      const ranked = this.ranked(leaf.rank ?? 1);
      return (ranked !== null && leaf.dimension_ids.includes(ranked)) === (leaf.op === "in");
    }
    if (leaf.kind === "points") {
      return compares(leaf, leaf.dimension_id === null ? this.all() : this.of(leaf.dimension_id));
    }
    const value = this.formula(leaf.component_key);
    if (!("value" in leaf || "min" in leaf)) return (value !== null) === (leaf.op === "answered");
    return value !== null && compares(leaf, value);
  }

  of(dimension_id: string): number {
    const kept = this.#points.get(dimension_id);
    if (kept !== undefined) return kept;
    let sum = 0;
    for (const question of feedersOf(this.#quiz).get(dimension_id) ?? []) {
      const answer = this.#answers.get(question.component.component_key);
      if (answer === undefined || !("option_ids" in answer)) continue;
      for (const id of new Set(answer.option_ids)) sum += question.options.get(id)?.points[dimension_id] ?? 0;
    }
    const total = rounded(sum);
    this.#points.set(dimension_id, total);
    return total;
  }

  /** The sum over all dimensions; 0 without any. */
  all(): number {
    return rounded(this.#quiz.document.dimensions.reduce((sum, { dimension_id }) => sum + this.of(dimension_id), 0));
  }

  /** The dimension of a rank, from 1; null: there is no such rank, or all totals are 0 [engine.ranks]. */
  ranked(rank: number): string | null {
    if (this.#ranks === null) {
      const ids = this.#quiz.document.dimensions.map(({ dimension_id }) => dimension_id);
      const hasNone = ids.every((id) => this.of(id) === 0);
      this.#ranks = hasNone ? [] : ids.sort((a, b) => this.of(b) - this.of(a));
    }
    return this.#ranks[rank - 1] ?? null;
  }

  formula(component_key: string): number | null {
    const kept = this.#formulas.get(component_key);
    if (kept !== undefined) return kept;
    // set before it is computed: a circle of formulas, which checkDocument refuses, has no value
    this.#formulas.set(component_key, null);
    const tree = this.#quiz.formulas.get(component_key)?.tree ?? null;
    const value = tree === null ? null : evaluateExpression(tree, (name) => this.#named(name));
    this.#formulas.set(component_key, value);
    return value;
  }

  #named(name: string): number | null {
    const isNumber = this.#quiz.questions.get(name)?.component.kind === "number";
    if (!isNumber && this.#quiz.formulas.has(name)) return this.formula(name);
    this.#read.add(name);
    if (isNumber) {
      const answer = this.#answers.get(name);
      return answer && "value" in answer && typeof answer.value === "number" ? answer.value : null;
    }
    return dimensionsOf(this.#quiz).has(name) ? this.of(name) : null;
  }

  /** The answer to a question is about to stop counting. */
  forget(component_key: string): void {
    const answer = this.#answers.get(component_key);
    if (answer === undefined) return;
    let changed = [component_key];
    if ("option_ids" in answer) {
      const { options } = this.#quiz.questions.get(component_key) ?? { options: new Map() };
      changed = answer.option_ids.flatMap((id) => Object.keys(options.get(id)?.points ?? {}));
      if (changed.length > 0) this.#ranks = null;
      for (const id of changed) this.#points.delete(id);
    }
    if (!changed.some((name) => this.#read.has(name))) return;
    this.#formulas.clear();
    this.#read.clear();
  }
}

function compares(test: Compared, value: number): boolean {
  if (test.op === "between") return value >= test.min && value <= test.max;
  if (test.op === "eq") return value === test.value;
  return test.op === "lt" ? value < test.value : value > test.value;
}

/** As points are (score.ts), without being shared: browsers load this only for some quizzes. */
const rounded = (sum: number): number => Number(sum.toFixed(9)) + 0;

const dimensions = new WeakMap<Quiz, ReadonlySet<string>>();
const feeders = new WeakMap<Quiz, ReadonlyMap<string, readonly PlacedQuestion[]>>();

function dimensionsOf(quiz: Quiz): ReadonlySet<string> {
  const found = dimensions.get(quiz) ?? new Set(quiz.document.dimensions.map(({ dimension_id }) => dimension_id));
  dimensions.set(quiz, found);
  return found;
}

/** By dimension: the questions that have points for it, in document order. */
function feedersOf(quiz: Quiz): ReadonlyMap<string, readonly PlacedQuestion[]> {
  const known = feeders.get(quiz);
  if (known !== undefined) return known;
  const found = new Map<string, PlacedQuestion[]>();
  for (const question of quiz.questions.values()) {
    const ids = new Set([...question.options.values()].flatMap(({ points }) => Object.keys(points)));
    for (const id of ids) {
      const those = found.get(id) ?? [];
      those.push(question);
      found.set(id, those);
    }
  }
  feeders.set(quiz, found);
  return found;
}
