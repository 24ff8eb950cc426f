import type {
  Answers,
  AnswerValue,
  Component,
  Condition,
  OutcomeLeaf,
  Page,
  QuizDocument,
} from "../engine/document.ts";
import { evaluateExpression } from "../engine/evaluate.ts";
import { parseExpression } from "../engine/expression.ts";

/**
 * What counts in a document with conditions on totals and of components, straight from the definition: everything asks
 * for what it needs, each time anew. Null: something needs itself, so that the definition does not say.
 */
export function naiveOutcome(document: QuizDocument, answers: Answers): NaiveOutcome | null {
  try {
    return new Naive(document, answers).outcome();
  } catch (error) {
    if (error instanceof NeedsItself) return null;
    throw error;
  }
}

interface NaiveOutcome {
  pages: string[];
  counted: string[];
  hidden: string[];
  points: Record<string, number>;
  /** the first rule that holds, by page */
  jumps: Record<string, string | null>;
}

class NeedsItself extends Error {}

class Naive {
  readonly #document: QuizDocument;
  readonly #answers: Answers;
  readonly #asking = new Set<unknown>();

  constructor(document: QuizDocument, answers: Answers) {
    this.#document = document;
    this.#answers = answers;
  }

  outcome(): NaiveOutcome {
    const { pages, dimensions, jump_rules } = this.#document;
    const all = pages.flatMap((page) => page.components.map((component) => ({ page, component })));
    const rules = (page: Page) => jump_rules.filter((rule) => rule.source_page_key === page.page_key);
    return {
      pages: pages.filter((page) => this.#isShown(page)).map(({ page_key }) => page_key),
      counted: all.flatMap(({ component }) => {
        const key = "component_key" in component ? component.component_key : "";
        return this.#answer(key) === undefined ? [] : [key];
      }),
      hidden: all
        .filter(({ component }) => !this.#holds(component.visible_when))
        .map(({ component }) => keyOf(component)),
      points: Object.fromEntries(dimensions.map(({ dimension_id: id }) => [id, this.#points(id)])),
      jumps: Object.fromEntries(
        pages.map((page) => [page.page_key, rules(page).find(({ when }) => this.#holds(when))?.jump_rule_key ?? null]),
      ),
    };
  }

  /** Refuses to ask what it is asking already. */
  #once<Value>(subject: unknown, ask: () => Value): Value {
    if (this.#asking.has(subject)) throw new NeedsItself();
    this.#asking.add(subject);
    const value = ask();
    this.#asking.delete(subject);
    return value;
  }

  #isShown(page: Page): boolean {
    return this.#once(page, () => this.#holds(page.visible_when));
  }

  /** The answer to a question if it counts. */
  #answer(key: string): AnswerValue | undefined {
    for (const page of this.#document.pages) {
      for (const component of page.components) {
        if (component.kind === "products" || component.kind === "content" || component.kind === "formula") continue;
        if (component.component_key !== key) continue;
        const counts = this.#isShown(page) && this.#once(component, () => this.#holds(component.visible_when));
        return counts ? this.#answers.get(key) : undefined;
      }
    }
    return undefined;
  }

  #points(id: string): number {
    let sum = 0;
    for (const component of this.#document.pages.flatMap((page) => page.components)) {
      if (component.kind !== "choice" && component.kind !== "image") continue;
      if (component.options.every(({ points }) => (points[id] ?? 0) === 0)) continue;
      const answer = this.#answer(component.component_key);
      for (const option of component.options) {
        if (answer && "option_ids" in answer && answer.option_ids.includes(option.option_id)) {
          sum += option.points[id] ?? 0;
        }
      }
    }
    return rounded(sum);
  }

  #formula(key: string): number | null {
    const all = this.#document.pages.flatMap((page) => page.components);
    const found = all.find((each) => each.kind === "formula" && each.component_key === key);
    const parsed = found?.kind === "formula" ? parseExpression(found.expression) : null;
    if (!parsed?.ok) return null;
    return evaluateExpression(parsed.tree, (name) => {
      const named = all.find((each) => "component_key" in each && each.component_key === name);
      if (named?.kind === "formula") return this.#formula(name);
      if (named?.kind !== "number") return this.#points(name);
      const answer = this.#answer(name);
      return answer && "value" in answer && typeof answer.value === "number" ? answer.value : null;
    });
  }

  #holds(condition: Condition | null | undefined): boolean {
    if (condition === null || condition === undefined) return true;
    // all parts are asked, so that what needs itself is found whatever the others say
    if ("all" in condition) return condition.all.map((part) => this.#holds(part)).every(Boolean);
    if ("any" in condition) return condition.any.map((part) => this.#holds(part)).some(Boolean);
    if ("not" in condition) return !this.#holds(condition.not);
    if ("kind" in condition) return this.#outcomeHolds(condition);
    const answer = this.#answer(condition.component_key);
    if (condition.op === "answered" || condition.op === "not_answered") {
      return (answer !== undefined) === (condition.op === "answered");
    }
    if (answer === undefined) return false;
    if ("option_ids" in answer) {
      const chosen = answer.option_ids;
      if (condition.op === "eq") return chosen.length === 1 && chosen[0] === condition.value;
      if (condition.op !== "in" && condition.op !== "not_in") return false;
      return chosen.some((id) => condition.option_ids.includes(id)) === (condition.op === "in");
    }
    const { value } = answer;
    const given = typeof value === "object" ? value.date : typeof value === "string" ? value.trim() : value;
    if (condition.op === "eq") return given === condition.value;
    if (condition.op === "lt") return given < condition.value;
    if (condition.op === "gt") return given > condition.value;
    return condition.op === "between" && given >= condition.min && given <= condition.max;
  }

  #outcomeHolds(leaf: OutcomeLeaf): boolean {
    const ids = this.#document.dimensions.map(({ dimension_id }) => dimension_id);
    if (leaf.kind === "winner") {
      const totals = ids.map((id, place) => ({ id, place, total: this.#points(id) }));
      const isNone = totals.every(({ total }) => total === 0);
      const ranked = totals.toSorted((a, b) => b.total - a.total || a.place - b.place)[(leaf.rank ?? 1) - 1];
      const isIn = !isNone && ranked !== undefined && leaf.dimension_ids.includes(ranked.id);
      return leaf.op === "in" ? isIn : !isIn;
    }
    if (leaf.kind === "formula" && leaf.op === "answered") return this.#formula(leaf.component_key) !== null;
    if (leaf.kind === "formula" && leaf.op === "not_answered") return this.#formula(leaf.component_key) === null;
    const all = () => rounded(ids.reduce((sum, id) => sum + this.#points(id), 0));
    const value =
      leaf.kind === "formula"
        ? this.#formula(leaf.component_key)
        : leaf.dimension_id === null
          ? all()
          : this.#points(leaf.dimension_id);
    if (value === null || !("value" in leaf || "min" in leaf)) return false;
    if (leaf.op === "between") return leaf.min <= value && value <= leaf.max;
    if (leaf.op === "eq") return value === leaf.value;
    return leaf.op === "lt" ? value < leaf.value : value > leaf.value;
  }
}

const keyOf = (component: Component): string =>
  component.kind === "products" ? component.block_key : component.component_key;

const rounded = (sum: number): number => Number(sum.toFixed(9)) + 0;
