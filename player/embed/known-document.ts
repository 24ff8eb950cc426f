import type {
  ChoiceOption,
  Component,
  Condition,
  ConsentBox,
  Dimension,
  JumpRule,
  Page,
  ProductPick,
  PropertyMapping,
  QuizDocument,
} from "../../engine/document.ts";
import { indexQuiz, type Quiz } from "../../engine/quiz.ts";

/** Every field of a shape, so that a field that is added to a document's types is missing here until it is known. */
type Fields<Shape> = Readonly<Record<Shape extends unknown ? keyof Shape : never, 1>>;
type OfKind<Kind, Shape = Component> = Shape extends { kind: infer Own } ? (Kind extends Own ? Shape : never) : never;

const question = { kind: 1, component_key: 1, question: 1, required: 1 } as const;
const choice = { ...question, multiple: 1, options: 1 } as const;
const contact = { ...question, consent: 1 } as const;
const components: { readonly [Kind in Component["kind"]]: Fields<OfKind<Kind>> } = {
  choice,
  image: choice,
  text: { ...question, max_length: 1 },
  email: contact,
  phone: contact,
  number: { ...question, min: 1, max: 1, step: 1, unit: 1, style: 1 },
  date: { ...question, with_time: 1 },
  formula: { kind: 1, component_key: 1, label: 1, expression: 1 },
  content: { kind: 1, component_key: 1, html_text: 1 },
  products: { kind: 1, block_key: 1, source: 1, products: 1, limit: 1 },
};
const document: Fields<QuizDocument> = {
  pages: 1,
  jump_rules: 1,
  dimensions: 1,
  property_mappings: 1,
  presentation: 1,
};
const page: Fields<Page> = {
  page_key: 1,
  title: 1,
  subtitle: 1,
  image_url: 1,
  headline: 1,
  kind: 1,
  skippable: 1,
  visible_when: 1,
  components: 1,
};
const option: Fields<ChoiceOption> = { option_id: 1, label: 1, image_url: 1, image_alt: 1, points: 1 };
const consent: Fields<ConsentBox> = { label: 1, required: 1 };
const pick: Fields<ProductPick> = { product_id: 1, variant_id: 1, when: 1, dimension_id: 1 };
const rule: Fields<JumpRule> = { jump_rule_key: 1, source_page_key: 1, when: 1, target_page_key: 1 };
const dimension: Fields<Dimension> = { dimension_id: 1, name: 1 };
const mapping: Fields<PropertyMapping> = { component_key: 1, property_name: 1, option_values: 1 };
const kinds: Readonly<Record<Page["kind"], 1>> = { question: 1, content: 1, result: 1 };
type Leaf = Extract<Condition, { op: string }>;
const operators: Readonly<Record<Leaf["op"], 1>> = {
  in: 1,
  not_in: 1,
  eq: 1,
  lt: 1,
  gt: 1,
  between: 1,
  answered: 1,
  not_answered: 1,
};

const has = (known: object, key: string): boolean => Object.hasOwn(known, key);
const fits = (value: object | null, known: object): boolean =>
  value === null || Object.keys(value).every((key) => has(known, key));
const allFit = (values: readonly object[], known: object): boolean => values.every((value) => fits(value, known));

function knowsCondition(condition: Condition | null): boolean {
  if (condition === null) return true;
  if ("all" in condition) return condition.all.every(knowsCondition);
  if ("any" in condition) return condition.any.every(knowsCondition);
  return "not" in condition ? knowsCondition(condition.not) : has(operators, condition.op);
}

function knowsComponent(component: Component): boolean {
  if (!has(components, component.kind) || !fits(component, components[component.kind])) return false;
  if ("options" in component) return allFit(component.options, option);
  if ("consent" in component) return fits(component.consent, consent);
  if (component.kind !== "products") return true;
  return component.products.every((product) => fits(product, pick) && knowsCondition(product.when));
}

const knowsDocument = (given: QuizDocument): boolean =>
  fits(given, document) &&
  given.pages.every(
    (one) =>
      fits(one, page) &&
      has(kinds, one.kind) &&
      knowsCondition(one.visible_when) &&
      one.components.every(knowsComponent),
  ) &&
  given.jump_rules.every((one) => fits(one, rule) && knowsCondition(one.when)) &&
  allFit(given.dimensions, dimension) &&
  allFit(given.property_mappings, mapping);

/**
 * The quiz of a document; null where the document holds what this player does not know [player.too-new]: it was made for
 * a later one, may hang on what this one would pass over, and would lead a shopper astray. How a quiz looks is not
 * looked at.
 */
export async function readQuiz(given: QuizDocument): Promise<Quiz | null> {
  if (!knowsDocument(given)) return null;
  const hasFormula = given.pages.some((one) => one.components.some(({ kind }) => kind === "formula"));
  // most quizzes have none, and their shoppers fetch no reader of them
  const read = hasFormula ? (await import("../../engine/compile-quiz.ts")).readFormula : null;
  const quiz = indexQuiz(given, read);
  return [...quiz.formulas.values()].every((formula) => formula.read !== null) ? quiz : null;
}
