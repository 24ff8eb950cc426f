/**
 * The quiz document: what an editor drafts, what a version freezes, and what a shopper's browser runs
 * [engine.anywhere]. Plain types without a dependency, so that the engine also runs in a browser. `checkDocument`
 * (check.ts) turns unknown JSON into one, fills in what a hand-written document may leave out, and enforces the bounds
 * below [quiz-documents.bounds].
 */

/** Those that browsers look at too, by themselves: they download no other. */
export const conditionDepth = 20;
/** of a number question's `min`, `max` and `step`, and of its answers, either sign [storefront.number-bounds] */
export const mostNumber = 1e12;
/** the nearest to 0 that a step, and an answer but 0 itself, may be */
export const leastNumber = 1e-9;

export const bounds = {
  pages: 200,
  componentsPerPage: 100,
  options: 200,
  jumpRules: 500,
  dimensions: 100,
  propertyMappings: 500,
  productsPerBlock: 250,
  productLimit: 1000,
  conditionDepth,
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
  number: mostNumber,
  minStep: leastNumber,
  /** characters of a language tag, as many as RFC 5646 asks a program to take */
  locale: 35,
  /** pixels of a theme's corners and of the quiz at its widest */
  radius: 32,
  minWidth: 320,
  maxWidth: 1200,
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
  /** what the image shows, for those who cannot see it; without it the label says enough */
  image_alt?: string | null;
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
  subtitle?: string | null;
  image_url?: string | null;
  /** of a result page: what stands above the result instead of its title [quiz-documents.headline] */
  headline?: string | null;
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

export const schemes = ["light", "dark", "auto"] as const;
export const progressKinds = ["bar", "steps", "none"] as const;
export const advanceKinds = ["auto", "button"] as const;
export const directions = ["auto", "ltr", "rtl"] as const;

/** Colours are `#rgb`, `#rrggbb` or `#rrggbbaa`; what is left out is the player's own. */
export interface Theme {
  scheme?: (typeof schemes)[number];
  accent?: string | null;
  background?: string | null;
  surface?: string | null;
  text?: string | null;
  /** pixels, `bounds.radius` at most */
  radius?: number | null;
  /** `inherit`: the page's font; or names of fonts that the page has, or `var(--name)` for one that its theme names */
  font?: string | null;
  /** pixels, `bounds.minWidth` to `bounds.maxWidth`: the widest that the quiz becomes */
  width?: number | null;
}

/** How a quiz looks and speaks. The engine does not look at it. */
export interface Presentation {
  /** a language tag of BCP 47 */
  locale?: string | null;
  dir?: (typeof directions)[number];
  theme?: Theme | null;
  progress?: (typeof progressKinds)[number];
  /** whether a page of one single choice goes on by itself once it is answered */
  advance?: (typeof advanceKinds)[number];
  cover_image_url?: string | null;
  description?: string | null;
  /** the document's own words in place of the player's, by name (text-names.ts) */
  texts?: Record<string, string>;
}

export interface QuizDocument {
  pages: Page[];
  /** the first rule of a page whose condition holds wins; else the next visible page */
  jump_rules: JumpRule[];
  dimensions: Dimension[];
  property_mappings: PropertyMapping[];
  presentation?: Presentation | null;
}

/** What a shopper has answered, by `component_key`; an unanswered or cleared question is absent. */
export type Answers = ReadonlyMap<string, AnswerValue>;
export type AnswerValue =
  | { option_ids: readonly string[] }
  | { value: string }
  | { value: number }
  | { value: { date: string; time: string | null } };
