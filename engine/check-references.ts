import { checkCondition, optionIdsOf } from "./check-conditions.ts";
import { checkRules } from "./check-product-rules.ts";
import { cyclicNodes } from "./cycles.ts";
import {
  bounds,
  type Component,
  type FormulaComponent,
  type ProductsComponent,
  type PropertyMapping,
  type QuizDocument,
} from "./document.ts";
import { parseFormula } from "./expression.ts";
import { isChoice, isQuestion } from "./kinds/value.ts";
import type { Problems } from "./read.ts";

/** The keys that a document defines; if a key occurs twice, the first counts. */
interface Keys {
  pages: ReadonlySet<string>;
  components: ReadonlyMap<string, Component>;
  dimensions: ReadonlySet<string>;
}

/** Checks a well-formed document for repeated keys, references and expressions [quiz-documents.references]. */
export function checkReferences(document: QuizDocument, problems: Problems): void {
  const unique = (): Unique => new Unique(problems);
  const pages = unique();
  const blocks = unique();
  const components = unique();
  const byKey = new Map<string, Component>();
  for (const [index, page] of document.pages.entries()) {
    pages.claim(page.page_key, `pages.${index}.page_key`);
    for (const [place, component] of page.components.entries()) {
      const path = `pages.${index}.components.${place}`;
      if (component.kind === "products") blocks.claim(component.block_key, `${path}.block_key`);
      else if (components.claim(component.component_key, `${path}.component_key`)) {
        byKey.set(component.component_key, component);
      }
      if (!isChoice(component)) continue;
      const options = unique();
      for (const [at, option] of component.options.entries()) {
        options.claim(option.option_id, `${path}.options.${at}.option_id`);
      }
    }
  }
  const dimensions = unique();
  for (const [index, { dimension_id }] of document.dimensions.entries()) {
    dimensions.claim(dimension_id, `dimensions.${index}.dimension_id`);
  }
  const keys = { pages: pages.seen, components: byKey, dimensions: dimensions.seen };
  checkPages(document, keys, problems);
  checkJumpRules(document, keys, problems);
  for (const [index, mapping] of document.property_mappings.entries()) {
    checkMapping(mapping, `property_mappings.${index}`, keys, problems);
  }
}

class Unique {
  readonly seen = new Set<string>();
  private readonly problems: Problems;

  constructor(problems: Problems) {
    this.problems = problems;
  }

  /** False, and adds a problem, if the key occurred before. */
  claim(key: string, path: string): boolean {
    if (this.seen.has(key)) this.problems.add(path, "occurs twice", "duplicate_key");
    const isNew = !this.seen.has(key);
    this.seen.add(key);
    return isNew;
  }
}

function checkPages(document: QuizDocument, keys: Keys, problems: Problems): void {
  const formulas = new Formulas(keys, problems);
  for (const [index, page] of document.pages.entries()) {
    const path = `pages.${index}`;
    if (page.visible_when !== null) {
      checkCondition(page.visible_when, `${path}.visible_when`, keys, problems);
    }
    if (page.outcome) checkDimension(page.outcome.dimension_id, `${path}.outcome.dimension_id`, keys, problems);
    for (const [place, component] of page.components.entries()) {
      const at = `${path}.components.${place}`;
      if (component.visible_when) checkCondition(component.visible_when, `${at}.visible_when`, keys, problems);
      if (component.kind === "formula") formulas.check(component, `${at}.expression`);
      if (component.kind === "products") checkBlock(component, at, keys, problems);
      if (!isChoice(component)) continue;
      for (const [nth, option] of component.options.entries()) {
        for (const id of Object.keys(option.points))
          checkDimension(id, `${at}.options.${nth}.points.${id}`, keys, problems);
      }
    }
  }
}

function checkBlock(block: ProductsComponent, path: string, keys: Keys, problems: Problems): void {
  if (block.source === "rules") {
    checkRules(block, path, keys, problems);
    return;
  }
  for (const [index, { when, dimension_id }] of block.products.entries()) {
    const at = `${path}.products.${index}`;
    if (when !== null) checkCondition(when, `${at}.when`, keys, problems);
    if (dimension_id !== null) checkDimension(dimension_id, `${at}.dimension_id`, keys, problems);
  }
}

function checkDimension(id: string, path: string, keys: Keys, problems: Problems): void {
  if (!keys.dimensions.has(id)) problems.add(path, "names no dimension of the document", "unknown_reference");
}

function checkJumpRules(document: QuizDocument, keys: Keys, problems: Problems): void {
  const rules = new Unique(problems);
  for (const [index, rule] of document.jump_rules.entries()) {
    const path = `jump_rules.${index}`;
    rules.claim(rule.jump_rule_key, `${path}.jump_rule_key`);
    for (const field of ["source_page_key", "target_page_key"] as const) {
      if (!keys.pages.has(rule[field])) {
        problems.add(`${path}.${field}`, "names no page of the document", "unknown_reference");
      }
    }
    checkCondition(rule.when, `${path}.when`, keys, problems);
  }
}

function checkMapping(mapping: PropertyMapping, path: string, keys: Keys, problems: Problems): void {
  const component = keys.components.get(mapping.component_key);
  if (component === undefined || !isQuestion(component)) {
    problems.add(`${path}.component_key`, "names no question of the document", "unknown_reference");
    return;
  }
  for (const id of Object.keys(mapping.option_values ?? {})) {
    if (optionIdsOf(component).has(id)) continue;
    problems.add(`${path}.option_values.${id}`, "names no option of the question", "unknown_reference");
  }
}

/** Checks expressions: that they parse, that their names exist, and that no formula depends on itself. */
class Formulas {
  private readonly keys: Keys;
  private readonly problems: Problems;
  /** by component_key: formulas that need their own value */
  readonly #cyclic: ReadonlySet<string>;
  /** of the expressions that were checked */
  #characters = 0;

  constructor(keys: Keys, problems: Problems) {
    this.keys = keys;
    this.problems = problems;
    const needs = new Map<string, string[]>();
    let characters = 0;
    for (const [key, component] of keys.components) {
      if (component.kind !== "formula") continue;
      characters += component.expression.length;
      if (characters > bounds.expressions) break;
      const parsed = parseFormula(component);
      if (!parsed.ok) continue;
      const names = parsed.names.map(({ name }) => name);
      needs.set(
        key,
        names.filter((name) => keys.components.get(name)?.kind === "formula"),
      );
    }
    this.#cyclic = cyclicNodes(needs);
  }

  check(formula: FormulaComponent, path: string): void {
    this.#characters += formula.expression.length;
    if (this.#characters > bounds.expressions) {
      this.problems.add(path, `makes all formulas together longer than ${bounds.expressions} characters`);
      return;
    }
    const parsed = parseFormula(formula);
    if (!parsed.ok) {
      this.problems.add(path, `${parsed.message} (character ${parsed.at + 1})`, "bad_expression");
      return;
    }
    for (const { name, at } of parsed.names) {
      const kind = this.keys.components.get(name)?.kind;
      if (kind === "number" || kind === "formula" || this.keys.dimensions.has(name)) continue;
      const message = `names "${name}" (character ${at + 1}), which is no number question, formula or dimension`;
      this.problems.add(path, message, "unknown_reference");
    }
    if (this.#cyclic.has(formula.component_key)) this.problems.add(path, "needs its own value", "bad_expression");
  }
}
