import { leastNumber, mostNumber } from "./number-range.ts";

/**
 * The quiz document: what an editor drafts, a version freezes, and a shopper's browser runs [engine.anywhere]. Plain
 * types without dependencies, so that the engine runs in a browser too. `checkDocument` (check.ts) turns unknown JSON
 * into a document, fills in defaults, and enforces the bounds below [quiz-documents.bounds].
 */

/** Separate from the other bounds because browsers need it and should not download the rest. */
export const conditionDepth = 20;

export const bounds = {
  pages: 200,
  componentsPerPage: 100,
  options: 200,
  jumpRules: 500,
  dimensions: 100,
  propertyMappings: 500,
  productsPerBlock: 250,
  productLimit: 1000,
  productRules: 250,
  /** a block that rules fill shows at most this many */
  ruledProducts: 24,
  /** entries of each list of a selector, and option names */
  selected: 250,
  selectedOptions: 20,
  ruleScore: 1000,
  conditionDepth,
  conditionEntries: 100,
  /** of a condition on the winner: 1 is the winner */
  ranks: 5,
  key: 200,
  text: 1000,
  htmlText: 20_000,
  url: 2000,
  unit: 50,
  expression: 2000,
  /** of all formulas together */
  expressions: 100_000,
  maxLength: 10_000,
  defaultMaxLength: 1000,
  /** the largest absolute value of one option's points */
  points: 1_000_000,
  number: mostNumber,
  minStep: leastNumber,
  /** of a date's bound: about a hundred years */
  daysFromToday: 36_600,
  ratingValues: 11,
  decimals: 9,
  /** characters of a language tag, as many as RFC 5646 asks a program to support */
  locale: 35,
  /** in pixels: a theme's corner radius and the quiz's maximum width */
  radius: 32,
  minWidth: 320,
  maxWidth: 1200,
} as const;

/** A condition on the totals: on the dimension of a rank, on a dimension's points or all of them, on a formula. */
export type OutcomeLeaf =
  | {
      kind: "winner";
      op: "in" | "not_in";
      dimension_ids: string[];
      /** from 1 to 5; 1 if left out */
      rank?: number;
    }
  | ({ kind: "points" /** null: the total of all */; dimension_id: string | null } & Compared)
  | ({ kind: "formula"; component_key: string } & (Compared | { op: "answered" | "not_answered" }));
export type Compared = { op: "eq" | "lt" | "gt"; value: number } | { op: "between"; min: number; max: number };

/** A condition on the answer to a question. */
export type AnswerLeaf =
  | { component_key: string; op: "in" | "not_in"; option_ids: string[] }
  | { component_key: string; op: "eq" | "lt" | "gt"; value: string | number }
  | { component_key: string; op: "between"; min: number | string; max: number | string }
  | { component_key: string; op: "answered" | "not_answered" };

/**
 * Operators by the kind of the component: choice and image `in`, `not_in`, `eq` (exactly that one option); number `eq`,
 * `lt`, `gt`, `between`; date the same, with `YYYY-MM-DD` operands compared by day; text `eq`; all of them, and email
 * and phone, `answered`, `not_answered`. `between` includes both ends. See conditions.ts for their meaning.
 */
export type Condition = { all: Condition[] } | { any: Condition[] } | { not: Condition } | AnswerLeaf | OutcomeLeaf;

export interface ChoiceOption {
  option_id: string;
  label: string;
  image_url: string | null;
  /** describes the image for people who cannot see it; not needed if the label says enough */
  image_alt?: string | null;
  /** cannot be chosen together with others */
  exclusive?: boolean;
  /** has a field for a text of the shopper's own, of at most 200 characters; at most one option */
  other?: boolean;
  /** dimension_id -> points that choosing this option adds */
  points: Record<string, number>;
}

export interface ConsentBox {
  label: string;
  required: boolean;
}

interface Conditional {
  /** a component whose condition does not hold counts like one on a hidden page */
  visible_when?: Condition | null;
}

interface Question<Kind extends string> extends Conditional {
  kind: Kind;
  component_key: string;
  question: string;
  required: boolean;
  /** what helps to answer it, below the question */
  help?: string | null;
}

export const choiceStyles = ["list", "dropdown", "chips"] as const;
export const numberStyles = ["field", "slider", "rating"] as const;
export const ratingIcons = ["star", "heart", "number"] as const;

export interface ChoiceComponent extends Question<"choice" | "image"> {
  multiple: boolean;
  /** left out: a list, or cards for `image`; a dropdown is for one option */
  style?: (typeof choiceStyles)[number];
  /** with fewer the question counts as unanswered; null or left out: no bound */
  min_choices?: number | null;
  max_choices?: number | null;
  /** whether each session has an order of its own; `other` and `exclusive` stay last */
  shuffle?: boolean;
  options: ChoiceOption[];
}
export const textFormats = ["text", "name"] as const;

export interface TextComponent extends Question<"text"> {
  max_length: number;
  /** `name`: browsers fill in the shopper's own; left out: any text */
  format?: (typeof textFormats)[number];
  /** an example, shown while nothing is typed */
  placeholder?: string | null;
}
export interface ContactComponent extends Question<"email" | "phone"> {
  consent: ConsentBox | null;
}
export interface NumberComponent extends Question<"number"> {
  /** null: no lower bound */
  min: number | null;
  /** null: no upper bound */
  max: number | null;
  /** above 0; answers are whole steps away from `min`, or from 0 without one */
  step: number;
  unit: string | null;
  style: (typeof numberStyles)[number];
  /** of a rating; left out: stars */
  icon?: (typeof ratingIcons)[number];
  /** what the lowest and the highest value of a rating mean */
  min_label?: string | null;
  max_label?: string | null;
}
export interface DateComponent extends Question<"date"> {
  with_time: boolean;
  /** a day, or `today`, `today+Nd`, `today-Nd`, by the shopper's own today; null or left out: no bound */
  min?: string | null;
  max?: string | null;
  /** ISO 8601: 1 is Monday, 7 Sunday; null or left out: all */
  weekdays?: number[] | null;
  /** `HH:MM`, both ends included; only with a time */
  time_from?: string | null;
  time_to?: string | null;
}
export interface FormulaComponent extends Conditional {
  kind: "formula";
  component_key: string;
  label: string;
  expression: string;
  /** shown behind the value */
  unit?: string | null;
  /** how many decimals are shown; null or left out: as many as the locale shows */
  decimals?: number | null;
}
export interface ContentComponent extends Conditional {
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
/** A block whose products the author chose one by one. */
export interface PickedProducts extends Conditional {
  kind: "products";
  block_key: string;
  source: "fixed" | "winner" | "answers";
  products: ProductPick[];
  limit: number;
}

/** A decimal text, or the value of a number question or formula; without a value the bound is left out. */
export type PriceBound = string | { component_key: string } | { formula: string };

/** Which products; every part that is there has to hold. Texts compare without case and outer blanks. */
export interface ProductSelector {
  product_ids?: string[];
  tags_any?: string[];
  tags_all?: string[];
  tags_none?: string[];
  vendors?: string[];
  product_types?: string[];
  /** collection ids */
  collections?: string[];
  price?: { min?: PriceBound; max?: PriceBound };
  /** by the option's name: its values, one of which is the variant's */
  options?: Record<string, string[]>;
}

export interface ProductRule {
  rule_key: string;
  when: Condition | null;
  match: ProductSelector;
  effect: "include" | "exclude" | "score";
  /** of a `score` rule */
  score?: number;
}

export const productOrders = ["score", "price_asc", "price_desc", "newest", "title"] as const;

/** A block that the server fills from the shop's catalog; see pick-by-rules.ts. */
export interface RuledProducts extends Conditional {
  kind: "products";
  block_key: string;
  source: "rules";
  /** null: the whole catalog */
  from: ProductSelector | null;
  rules: ProductRule[];
  min_score: number | null;
  order: (typeof productOrders)[number];
  one_per: "product_type" | "vendor" | null;
  limit: number;
  sold_out: "hide" | "last" | "show";
  min_stock: number | null;
  /** shown if nothing else is left */
  fallback: { from: ProductSelector; limit: number } | null;
  unit: "product" | "variant";
}

export type ProductsComponent = PickedProducts | RuledProducts;

export type QuestionComponent = ChoiceComponent | TextComponent | ContactComponent | NumberComponent | DateComponent;
export type Component = QuestionComponent | FormulaComponent | ContentComponent | ProductsComponent;

export interface Page {
  page_key: string;
  title: string;
  subtitle?: string | null;
  image_url?: string | null;
  /** for a result page: shown above the result instead of the page's title [quiz-documents.headline] */
  headline?: string | null;
  /** for a result page: the dimension whose result it is */
  outcome?: { dimension_id: string /** only of a page that a browser shows */; name?: string } | null;
  /** on the button that leads on, instead of the player's own word */
  next_label?: string | null;
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

/** Colours are `#rgb`, `#rrggbb` or `#rrggbbaa`; left out, the player's own apply. */
export interface Theme {
  scheme?: (typeof schemes)[number];
  accent?: string | null;
  background?: string | null;
  surface?: string | null;
  text?: string | null;
  /** in pixels, at most `bounds.radius` */
  radius?: number | null;
  /** `inherit`: the page's font; or font names that the page has, or `var(--name)` for a font of the page's theme */
  font?: string | null;
  /** the maximum width in pixels, from `bounds.minWidth` to `bounds.maxWidth` */
  width?: number | null;
}

/** A quiz's look and texts. The engine ignores it. */
export interface Presentation {
  /** a BCP 47 language tag */
  locale?: string | null;
  dir?: (typeof directions)[number];
  theme?: Theme | null;
  progress?: (typeof progressKinds)[number];
  /** whether a page with a single choice continues by itself once it is answered */
  advance?: (typeof advanceKinds)[number];
  cover_image_url?: string | null;
  description?: string | null;
  /** texts that override the player's, by name (text-names.ts) */
  texts?: Record<string, string>;
}

export interface QuizDocument {
  pages: Page[];
  /** a page's first rule whose condition holds wins; else the next visible page */
  jump_rules: JumpRule[];
  dimensions: Dimension[];
  property_mappings: PropertyMapping[];
  presentation?: Presentation | null;
}

/** A shopper's answers by `component_key`; unanswered and cleared questions are absent. */
export type Answers = ReadonlyMap<string, AnswerValue>;
export type AnswerValue =
  | { option_ids: readonly string[] /** what was written beside the `other` option */; other_text?: string }
  | { value: string }
  | { value: number }
  | { value: { date: string; time: string | null } };
