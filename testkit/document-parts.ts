import type {
  ChoiceComponent,
  ChoiceOption,
  Component,
  ContactComponent,
  ContentComponent,
  DateComponent,
  FormulaComponent,
  NumberComponent,
  Page,
  PickedProducts,
  ProductPick,
  QuizDocument,
  RuledProducts,
  TextComponent,
} from "../engine/document.ts";

/** The parts of quiz documents, with usual defaults for tests; `more` overrides them. */

export const option = (option_id: string, more: Partial<ChoiceOption> = {}): ChoiceOption => ({
  option_id,
  label: option_id,
  image_url: null,
  points: {},
  ...more,
});

const asked = (component_key: string) => ({ component_key, question: `${component_key}?`, required: false });

export const choice = (
  component_key: string,
  options: ChoiceOption[],
  more: Partial<ChoiceComponent> = {},
): ChoiceComponent => ({ kind: "choice", ...asked(component_key), multiple: false, options, ...more });

export const number = (component_key: string, more: Partial<NumberComponent> = {}): NumberComponent => ({
  kind: "number",
  ...asked(component_key),
  min: null,
  max: null,
  step: 1,
  unit: null,
  style: "field",
  ...more,
});

export const text = (component_key: string, more: Partial<TextComponent> = {}): TextComponent => ({
  kind: "text",
  ...asked(component_key),
  max_length: 200,
  ...more,
});

export const date = (component_key: string, more: Partial<DateComponent> = {}): DateComponent => ({
  kind: "date",
  ...asked(component_key),
  with_time: false,
  ...more,
});

/** With a checkbox for news that is not required. */
export const email = (component_key: string, more: Partial<ContactComponent> = {}): ContactComponent => ({
  kind: "email",
  ...asked(component_key),
  question: "Email?",
  consent: { label: "News", required: false },
  ...more,
});

export const phone = (component_key: string, more: Partial<ContactComponent> = {}): ContactComponent => ({
  kind: "phone",
  ...asked(component_key),
  question: "Phone?",
  consent: null,
  ...more,
});

export const content = (
  component_key: string,
  html_text: string,
  more: Partial<ContentComponent> = {},
): ContentComponent => ({ kind: "content", component_key, html_text, ...more });

export const formula = (
  component_key: string,
  label: string,
  expression: string,
  more: Partial<FormulaComponent> = {},
): FormulaComponent => ({ kind: "formula", component_key, label, expression, ...more });

export const pick = (product_id: string, more: Partial<ProductPick> = {}): ProductPick => ({
  product_id,
  variant_id: null,
  when: null,
  dimension_id: null,
  ...more,
});

/** @param picked products, or numbers of products on the commerce platform */
export const products = (
  block_key: string,
  picked: readonly (ProductPick | number)[],
  more: Partial<PickedProducts> = {},
): PickedProducts => ({
  kind: "products",
  block_key,
  source: "fixed",
  products: picked.map((one) => (typeof one === "number" ? pick(`gid://shopify/Product/${one}`) : one)),
  limit: 3,
  ...more,
});

/** A block of the whole catalog by default. */
export const ruled = (block_key: string, more: Partial<RuledProducts> = {}): RuledProducts => ({
  kind: "products",
  block_key,
  source: "rules",
  from: null,
  rules: [],
  min_score: null,
  order: "score",
  one_per: null,
  limit: 24,
  sold_out: "hide",
  min_stock: null,
  fallback: null,
  unit: "product",
  ...more,
});

export const page = (page_key: string, components: Component[], more: Partial<Page> = {}): Page => ({
  page_key,
  title: page_key,
  kind: "question",
  skippable: false,
  visible_when: null,
  components,
  ...more,
});

export const quizDocument = (pages: Page[], more: Partial<QuizDocument> = {}): QuizDocument => ({
  pages,
  jump_rules: [],
  dimensions: [],
  property_mappings: [],
  ...more,
});

/** A jump from one page to another if one of these options was chosen. */
export const jumpWhere = (
  jump_rule_key: string,
  [source_page_key, target_page_key]: readonly [string, string],
  component_key: string,
  ...option_ids: string[]
) => ({ jump_rule_key, source_page_key, when: chosen(component_key, ...option_ids), target_page_key });

/** The condition that one of these options was chosen. */
export const chosen = (component_key: string, ...option_ids: string[]) => ({
  component_key,
  op: "in" as const,
  option_ids,
});
