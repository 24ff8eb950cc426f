/**
 * The quiz document: what an editor drafts, what a version freezes, and what a shopper's browser runs.
 * Plain types without a dependency, so that the engine also runs in a browser. `checkDocument` (check.ts) turns
 * unknown JSON into one, fills in what a hand-written document may leave out, and enforces the bounds below
 * [quiz-documents.bounds].
 */

export const bounds = {
  pages: 200,
  componentsPerPage: 100,
  options: 200,
  jumpRules: 500,
  dimensions: 100,
  propertyMappings: 500,
  productsPerBlock: 250,
  productLimit: 1000,
  conditionDepth: 20,
  conditionEntries: 100,
  key: 200,
  text: 1000,
  htmlText: 20_000,
  url: 2000,
  unit: 50,
  expression: 2000,
  maxLength: 10_000,
  defaultMaxLength: 1000,
  /** of one option's points, either sign */
  points: 1_000_000,
  /** of a number question's `min`, `max` and `step`, either sign */
  number: 1e12,
  minStep: 1e-9,
} as const;

/**
 * Operators by the kind of the component asked about: choice and image `in`, `not_in`, `eq` (exactly that one option);
 * number `eq`, `lt`, `gt`, `between`; date the same, with `YYYY-MM-DD` operands compared by the day; text `eq`; each of
 * them and email and phone `answered`, `not_answered`. `between` includes both ends. What they mean: conditions.ts.
 */
export type Condition =
  | { all: Condition[] }
  | { any: Condition[] }
  | { not: Condition }
  | { component_key: string; op: "in" | "not_in"; option_ids: string[] }
  | { component_key: string; op: "eq"; value: string | number }
  | { component_key: string; op: "lt" | "gt"; value: number | string }
  | { component_key: string; op: "between"; min: number | string; max: number | string }
  | { component_key: string; op: "answered" | "not_answered" };

export interface ChoiceOption {
  option_id: string;
  label: string;
  image_url: string | null;
  /** dimension_id -> points that choosing this option adds */
  points: Record<string, number>;
}

export interface ConsentBox {
  label: string;
  required: boolean;
}

interface Question<Kind extends string> {
  kind: Kind;
  component_key: string;
  question: string;
  required: boolean;
}

export interface ChoiceComponent extends Question<"choice" | "image"> {
  multiple: boolean;
  options: ChoiceOption[];
}
export interface TextComponent extends Question<"text"> {
  max_length: number;
}
export interface ContactComponent extends Question<"email" | "phone"> {
  consent: ConsentBox | null;
}
export interface NumberComponent extends Question<"number"> {
  /** null = no lower bound */
  min: number | null;
  /** null = no upper bound */
  max: number | null;
  /** above 0; answers lie whole steps away from `min`, or from 0 without one */
  step: number;
  unit: string | null;
  style: "field" | "slider";
}
export interface DateComponent extends Question<"date"> {
  with_time: boolean;
}
export interface FormulaComponent {
  kind: "formula";
  component_key: string;
  label: string;
  expression: string;
}
export interface ContentComponent {
  kind: "content";
  component_key: string;
  html_text: string;
}
export interface ProductPick {
  product_id: string;
  variant_id: string | null;
  when: Condition | null;
  dimension_id: string | null;
}
export interface ProductsComponent {
  kind: "products";
  block_key: string;
  source: "fixed" | "winner" | "answers";
  products: ProductPick[];
  limit: number;
}

export type QuestionComponent = ChoiceComponent | TextComponent | ContactComponent | NumberComponent | DateComponent;
export type Component = QuestionComponent | FormulaComponent | ContentComponent | ProductsComponent;

export interface Page {
  page_key: string;
  title: string;
  kind: "question" | "content" | "result";
  skippable: boolean;
  visible_when: Condition | null;
  components: Component[];
}

export interface JumpRule {
  jump_rule_key: string;
  source_page_key: string;
  when: Condition;
  target_page_key: string;
}

export interface Dimension {
  dimension_id: string;
  name: string;
}

export interface PropertyMapping {
  component_key: string;
  property_name: string;
  option_values?: Record<string, string>;
}

export interface QuizDocument {
  pages: Page[];
  /** the first rule of a page whose condition holds wins; else the next visible page */
  jump_rules: JumpRule[];
  dimensions: Dimension[];
  property_mappings: PropertyMapping[];
}

/** What a shopper has answered, by `component_key`; an unanswered or cleared question is absent. */
export type Answers = ReadonlyMap<string, AnswerValue>;
export type AnswerValue =
  | { option_ids: readonly string[] }
  | { value: string }
  | { value: number }
  | { value: { date: string; time: string | null } };
