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

type Part =
  | QuizDocument
  | Page
  | Component
  | ChoiceOption
  | ConsentBox
  | ProductPick
  | Condition
  | JumpRule
  | Dimension
  | PropertyMapping;
type FieldOf<Shape> = Shape extends unknown ? keyof Shape : never;

/** Every field of every part, so that one that is added to a document's types is missing here until it is known. */
const fields: Readonly<Record<FieldOf<Part>, 1>> = {
  pages: 1,
  jump_rules: 1,
  dimensions: 1,
  property_mappings: 1,
  presentation: 1,
  page_key: 1,
  title: 1,
  subtitle: 1,
  image_url: 1,
  headline: 1,
  kind: 1,
  skippable: 1,
  visible_when: 1,
  components: 1,
  component_key: 1,
  question: 1,
  required: 1,
  multiple: 1,
  options: 1,
  max_length: 1,
  consent: 1,
  min: 1,
  max: 1,
  step: 1,
  unit: 1,
  style: 1,
  with_time: 1,
  label: 1,
  expression: 1,
  html_text: 1,
  block_key: 1,
  source: 1,
  products: 1,
  limit: 1,
  option_id: 1,
  image_alt: 1,
  points: 1,
  product_id: 1,
  variant_id: 1,
  when: 1,
  dimension_id: 1,
  all: 1,
  any: 1,
  not: 1,
  op: 1,
  option_ids: 1,
  value: 1,
  jump_rule_key: 1,
  source_page_key: 1,
  target_page_key: 1,
  name: 1,
  property_name: 1,
  option_values: 1,
};

/** What `kind` and `op` may say, by their field. */
const words: {
  kind: Readonly<Record<Component["kind"] | Page["kind"], 1>>;
  op: Readonly<Record<Extract<Condition, { op: string }>["op"], 1>>;
} = {
  kind: {
    question: 1,
    content: 1,
    result: 1,
    choice: 1,
    image: 1,
    text: 1,
    email: 1,
    phone: 1,
    number: 1,
    date: 1,
    formula: 1,
    products: 1,
  },
  op: { in: 1, not_in: 1, eq: 1, lt: 1, gt: 1, between: 1, answered: 1, not_answered: 1 },
};

/** Their keys are ids of the document's own, or say only how it looks. */
const own = ["presentation", "points", "option_values"];

function isKnown(part: unknown): boolean {
  if (Array.isArray(part)) return part.every(isKnown);
  if (part === null || typeof part !== "object") return true;
  return Object.entries(part).every(([name, value]) => {
    const allowed = name === "kind" || name === "op" ? words[name] : null;
    if (!Object.hasOwn(fields, name) || (allowed && !Object.hasOwn(allowed, value))) return false;
    return own.includes(name) || isKnown(value);
  });
}

/**
 * The quiz of a document; null where the document holds what this player does not know [player.too-new]: it was made for
 * a later one, may hang on what this one would pass over, and would lead a shopper astray. How a quiz looks is not
 * looked at.
 */
export async function readQuiz(given: QuizDocument): Promise<Quiz | null> {
  if (!isKnown(given)) return null;
  const hasFormula = given.pages.some((one) => one.components.some(({ kind }) => kind === "formula"));
  // most quizzes have none, and their shoppers fetch no reader of them
  const read = hasFormula ? (await import("../../engine/compile-quiz.ts")).readFormula : null;
  const quiz = indexQuiz(given, read);
  return [...quiz.formulas.values()].every((formula) => formula.read !== null) ? quiz : null;
}
