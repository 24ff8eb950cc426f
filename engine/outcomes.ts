import { holds as conditionHolds } from "./conditions.ts";
import { type Decision, decisionOrder, dependenciesOf } from "./dependencies.ts";
import type { Answers, AnswerValue, Component, FormulaComponent, Page } from "./document.ts";
import type { Outcomes, Quiz, Visibility } from "./quiz.ts";
import { withFallbacks } from "./recall.ts";
import { Totals } from "./totals.ts";

/** Of answers that no longer change. */
const totals = new WeakMap<Answers, Totals>();
const totalsOf = (quiz: Quiz, answers: Answers): Totals => totals.get(answers) ?? new Totals(quiz, answers);

const orders = new WeakMap<Quiz, readonly Decision[]>();

function orderOf(quiz: Quiz): readonly Decision[] {
  const order = orders.get(quiz) ?? decisionOrder(dependenciesOf(quiz));
  orders.set(quiz, order);
  return order;
}

/**
 * Decides pages and components with a condition, each after all that its condition depends on [engine.decision-order].
 * A hidden component counts like one on a hidden page: its answer is as if it had never been given
 * [engine.hidden-components].
 */
function decide(quiz: Quiz, answers: Answers): Visibility {
  const page_keys = new Set<string>();
  const hidden = new Set<Component>();
  const counted = new Map<string, AnswerValue>();
  for (const [key, answer] of answers) if (quiz.questions.has(key)) counted.set(key, answer);
  const sums = new Totals(quiz, counted);
  totals.set(counted, sums);
  const drop = (component: Component): void => {
    if (component.kind === "products") return;
    sums.forget(component.component_key);
    counted.delete(component.component_key);
  };
  for (const { placed, component, condition } of orderOf(quiz)) {
    const isVisible = condition === null || conditionHolds(condition, counted, quiz);
    if (component === null && isVisible) page_keys.add(placed.page.page_key);
    else if (component === null) for (const part of placed.page.components) drop(part);
    else if (!isVisible) {
      hidden.add(component);
      drop(component);
    }
  }
  return { page_keys, counted, hidden };
}

/**
 * Stands where a hidden component is: a formula without a value draws nothing, so that what follows keeps its place
 * and its fields.
 */
const nothing: FormulaComponent = { kind: "formula", component_key: "", label: "", expression: "" };

const drawn = new WeakMap<Page, Page>();

/**
 * A page as it is shown: without hidden components, its outcome with a name. The same object each time, since a screen
 * knows by it that the page is still there.
 */
function shown({ document }: Quiz, page: Page, { hidden }: Visibility): Page {
  const { outcome } = page;
  const result = outcome && document.dimensions.find(({ dimension_id }) => dimension_id === outcome.dimension_id);
  const same = drawn.get(page) ?? { ...page };
  drawn.set(page, same);
  return Object.assign(same, {
    ...(page.kind === "result" && { outcome: { ...outcome, name: result?.name || withFallbacks(page.title) } }),
    components: page.components.map((component) => (hidden?.has(component) ? nothing : component)),
  });
}

/** Whether a condition on totals holds. */
const holds: Outcomes["holds"] = (leaf, answers, quiz) => totalsOf(quiz, answers).holds(leaf);

export const outcomes: Outcomes = { decide, holds, shown };
