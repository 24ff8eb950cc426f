import { checkDocument } from "./check.ts";
import { circles } from "./check-circles.ts";
import { compileQuiz } from "./compile-quiz.ts";
import type { ChoiceComponent, Component, FormulaComponent, Page } from "./document.ts";
import { parseFormula } from "./expression.ts";
import { type KeyKind, reusedKeys } from "./key-kinds.ts";
import { noDayIn } from "./kinds/read-date-limits.ts";
import { isChoice, isNumber, isQuestion } from "./kinds/value.ts";
import { dimensionsThatCannotWin } from "./lint-dimensions.ts";
import { lintLooks } from "./lint-looks.ts";
import { type Reach, reachOf } from "./lint-reach.ts";
import { lintResults } from "./lint-results.ts";
import { namelessOptions } from "./nameless-options.ts";
import { conditionKeys, type Quiz } from "./quiz.ts";
import { atOnce, type Steps } from "./steps.ts";

export const findingCodes = [
  // refused by checkDocument
  "invalid",
  "duplicate_key",
  "unknown_reference",
  "bad_expression",
  // not allowed in a new version
  "depends_on_itself",
  // not allowed in a later version of the quiz
  "reused_key",
  // valid, but probably not intended
  "no_pages",
  "never_visible",
  "unreachable_page",
  "required_never_asked",
  "asks_later_page",
  "jump_loop",
  "jump_rule_never_used",
  "ends_without_result",
  "choice_without_options",
  "option_without_text",
  "choices_impossible",
  "choice_setting_unused",
  "slider_without_bounds",
  "no_day_allowed",
  "dimension_cannot_win",
  "dimension_without_products",
  "product_block_empty",
  "ambiguous_name",
  "recall_unknown",
  "points_unread",
  "results_overlap",
  "results_gap",
  "result_without_page",
  "low_contrast",
  "image_without_text",
  // removed by the server before it stores a document
  "html_removed",
] as const;
type FindingCode = (typeof findingCodes)[number];

/** A finding; `path` is dotted, as in `Problem`. Errors make a quiz unusable, warnings make it surprising. */
export interface Finding {
  severity: "error" | "warning";
  code: FindingCode;
  path: string;
  message: string;
}

/** Enough for an author, and a bound on the answer to a hostile document. */
export const findingsAtMost = 500;

type Report = (code: FindingCode, path: string, message: string, severity?: Finding["severity"]) => void;

/**
 * Findings that a quiz's author should see before publishing [quiz-documents.lint]. Accepts unknown JSON: problems from
 * `checkDocument` become errors with their codes, and only a valid document is examined further. Never throws.
 *
 * @param earlier the keys of the quiz's versions and what they identify
 */
export const lint = (value: unknown, earlier: readonly KeyKind[] = []): Finding[] => atOnce(lintSteps(value, earlier));

/** The same in steps of some milliseconds each. */
export function* lintSteps(value: unknown, earlier: readonly KeyKind[] = []): Steps<Finding[]> {
  const checked = checkDocument(value);
  yield;
  if (!checked.ok) return checked.problems.map((problem) => ({ severity: "error", ...problem }));
  const findings: Finding[] = [];
  const report: Report = (code, path, message, severity = "warning") => {
    if (findings.length < findingsAtMost) findings.push({ severity, code, path, message });
  };
  const quiz = compileQuiz(checked.document);
  yield;
  const reach = reachOf(quiz);
  yield;
  const dimensions = new Set(checked.document.dimensions.map(({ dimension_id }) => dimension_id));
  const hasResult = checked.document.pages.some(({ kind }) => kind === "result");
  if (checked.document.pages.length === 0) report("no_pages", "pages", "a quiz without pages cannot be published");
  for (const [index, page] of checked.document.pages.entries()) {
    lintPage(quiz, reach, hasResult, page, index, report);
    for (const [place, component] of page.components.entries()) {
      lintComponent(quiz, dimensions, component, `pages.${index}.components.${place}`, report);
    }
  }
  yield;
  lintJumpRules(quiz, reach, report);
  const losing = lintDimensions(quiz, reach, report);
  yield;
  for (const { code, path, message } of lintResults(checked.document, losing)) report(code, path, message);
  yield;
  for (const { code, path, message } of lintLooks(checked.document)) report(code, path, message);
  for (const { path, message } of reusedKeys(checked.document, earlier)) report("reused_key", path, message, "error");
  for (const { path, message } of namelessOptions(checked.document)) {
    report("option_without_text", path, message, "error");
  }
  for (const { path, message } of circles(checked.document)) report("depends_on_itself", path, message, "error");
  return findings;
}

/** @param hasResult whether the quiz has a result page */
function lintPage(quiz: Quiz, reach: Reach, hasResult: boolean, page: Page, index: number, report: Report): void {
  const path = `pages.${index}`;
  if (reach.neverVisible.has(index)) report("never_visible", path, "its condition holds for no shopper");
  else if (!reach.pages.has(index)) report("unreachable_page", path, "no way through the quiz leads here");
  else if (hasResult && page.kind !== "result" && reach.endsAt.has(index)) {
    report("ends_without_result", path, "the quiz can end here, on no result page");
  }
  const keys = page.visible_when === null ? [] : conditionKeys(page.visible_when);
  if (keys.some((key) => (quiz.questions.get(key)?.placed.index ?? -1) >= index)) {
    report("asks_later_page", `${path}.visible_when`, "asks about this page or a later one, not answered yet");
  }
  for (const [place, component] of page.components.entries()) {
    for (const key of component.visible_when ? new Set(conditionKeys(component.visible_when)) : []) {
      const asked = quiz.questions.get(key);
      if (asked === undefined || (asked.placed.index <= index && asked.component !== component)) continue;
      report("asks_later_page", `${path}.components.${place}.visible_when`, "asks about itself or a later page");
      break;
    }
    if (reach.pages.has(index) || !isQuestion(component) || !component.required) continue;
    report("required_never_asked", `${path}.components.${place}`, "is required on a page that nobody reaches");
  }
}

/** Findings about a single question [quiz-documents.lint-questions], products block or formula. */
function lintComponent(
  quiz: Quiz,
  dimensions: ReadonlySet<string>,
  component: Component,
  path: string,
  report: Report,
): void {
  if (isChoice(component)) lintChoice(component, path, report);
  if (
    component.kind === "number" &&
    component.style === "slider" &&
    (component.min === null || component.max === null)
  ) {
    report("slider_without_bounds", path, "a slider needs min and max");
  }
  const noDay = component.kind === "date" ? noDayIn(component) : null;
  if (noDay !== null) report("no_day_allowed", path, noDay);
  if (component.kind === "products" && component.source !== "rules") {
    const { products, source } = component;
    if (products.length === 0) report("product_block_empty", `${path}.products`, "has no products");
    const served = new Set(products.map((product) => product.dimension_id));
    if (source !== "winner" || products.length === 0 || served.has(null)) return;
    for (const { dimension_id, name } of quiz.document.dimensions) {
      if (served.has(dimension_id)) continue;
      report("dimension_without_products", `${path}.products`, `has no product for "${name}" (${dimension_id})`);
    }
  }
  if (component.kind === "formula") lintFormula(quiz, dimensions, component, path, report);
}

/** Settings of a choice that contradict each other, or do nothing [quiz-documents.lint-choices]. */
function lintChoice(
  { options, required, multiple, min_choices, max_choices }: ChoiceComponent,
  path: string,
  report: Report,
) {
  const severity = required ? "error" : "warning";
  if (options.length === 0) report("choice_without_options", `${path}.options`, "there is nothing to choose", severity);
  const together = options.filter(({ exclusive }) => !exclusive).length;
  const most = Math.min(multiple ? (max_choices ?? together) : 1, together);
  if (options.length > 0 && (min_choices ?? 0) > most) {
    // an exclusive option is enough by itself
    const isStuck = required && together === options.length;
    const message = `asks for ${min_choices} options, and at most ${most} can be chosen together`;
    report("choices_impossible", `${path}.min_choices`, message, isStuck ? "error" : "warning");
  }
  if (multiple) return;
  const unused = "has no effect, because only one option can be chosen";
  if (max_choices) report("choice_setting_unused", `${path}.max_choices`, unused);
  for (const [index, { exclusive }] of options.entries()) {
    if (exclusive) report("choice_setting_unused", `${path}.options.${index}.exclusive`, unused);
  }
}

/** @param dimensions the document's dimension ids */
function lintFormula(
  quiz: Quiz,
  dimensions: ReadonlySet<string>,
  formula: FormulaComponent,
  path: string,
  report: Report,
): void {
  const parsed = parseFormula(formula);
  for (const name of new Set(parsed.ok ? parsed.names.map(({ name }) => name) : [])) {
    const asked = quiz.questions.get(name)?.component;
    const isNumeric = asked !== undefined && isNumber(asked);
    if (!dimensions.has(name) || !(isNumeric || quiz.formulas.has(name))) continue;
    report("ambiguous_name", `${path}.expression`, `"${name}" is a component and a dimension; the component is taken`);
  }
}

function lintJumpRules(quiz: Quiz, reach: Reach, report: Report): void {
  for (const [index, rule] of quiz.document.jump_rules.entries()) {
    const path = `jump_rules.${index}`;
    const source = quiz.pages.get(rule.source_page_key)?.index ?? -1;
    const jump = reach.jumps.get(rule);
    if (jump === undefined) {
      report("jump_rule_never_used", path, "never leads anywhere: its page, its condition or a rule before it forbids");
    } else if (jump.landings.some((landing) => landing <= source && reach.leadsTo(landing, source))) {
      const message = "leads back, and with unchanged answers round and round";
      report("jump_loop", path, message, jump.always ? "error" : "warning");
    }
  }
}

/** The dimensions that cannot win. */
function lintDimensions(quiz: Quiz, reach: Reach, report: Report): ReadonlySet<string> {
  const reachable = [...quiz.questions.values()].filter(({ placed }) => reach.pages.has(placed.index));
  const choices = reachable.map(({ component }) => component).filter(isChoice);
  const ids = quiz.document.dimensions.map(({ dimension_id }) => dimension_id);
  const losing = new Set(dimensionsThatCannotWin(ids, choices));
  for (const [index, { dimension_id, name }] of quiz.document.dimensions.entries()) {
    if (!losing.has(dimension_id)) continue;
    report("dimension_cannot_win", `dimensions.${index}`, `no answers make "${name}" the winner`);
  }
  return losing;
}
