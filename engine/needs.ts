import type {
  AnswerLeaf,
  ChoiceOption,
  Component,
  Condition,
  ConsentBox,
  Dimension,
  FormulaComponent,
  JumpRule,
  OutcomeLeaf,
  Page,
  PickedProducts,
  ProductPick,
  QuizDocument,
  RuledProducts,
} from "./document.ts";
import type { Expression, Operator } from "./evaluate.ts";
import { parseFormula } from "./expression.ts";
import { recallsOf } from "./recall.ts";

/**
 * What a document may need beyond the main part of a player: each is met by a part of its own, or not at all by a
 * player that came before it [player.too-new].
 */
export type Need = "html" | "outcomes" | "questions" | "recall" | "rules" | "sliders";

/**
 * The needs of a document that `checkDocument` accepted, for the player, which knows no fields by name: a document that
 * uses what only a later player knows must name a need [player.needs]. Every field and every word of the document's
 * types is listed below, so that one that is added fails to compile until it is said what it needs.
 */
export function needsOf(document: QuizDocument): Need[] {
  const found = new Set<Need>();
  inDocument(document, found);
  return [...found];
}

/** Adds what a value needs. */
type Judge<Value> = (value: Value, found: Set<Need>) => void;
type IsWord<Value> = [Value] extends [string] ? (string extends Value ? false : true) : false;
/** Null: every player knows it. A need: of any value but null, false, 0 and the empty text. */
type Judged<Value> =
  | Need
  | Judge<NonNullable<Value>>
  | ([NonNullable<Value>] extends [object] ? never : IsWord<NonNullable<Value>> extends true ? never : null);
type Fields<Part> = { [Field in keyof Part]-?: Judged<Part[Field]> };

/** Every field of any of the types. */
type FieldOf<Union> = Union extends unknown ? keyof Union : never;
type Merged<Union> = {
  [Field in FieldOf<Union>]?: Union extends unknown ? (Field extends keyof Union ? Union[Field] : never) : never;
};

function part<Part extends object>(fields: Fields<Part>): Judge<Part> {
  const judges = Object.entries<Need | Judge<never> | null>(fields).filter(([, judge]) => judge !== null);
  return (value, found) => {
    for (const [name, judge] of judges) {
      const own: unknown = value[name as keyof Part];
      if (!own) continue;
      // each judge is listed under the field whose type it takes
      if (typeof judge === "function") judge(own as never, found);
      else if (judge) found.add(judge);
    }
  };
}

const each =
  <Item>(judge: Judge<Item>): Judge<readonly Item[]> =>
  (items, found) => {
    for (const item of items) judge(item, found);
  };

/** What each word needs; null: every player knows it. */
const word =
  <Word extends string>(words: Readonly<Record<Word, Need | null>>): Judge<Word> =>
  (value, found) => {
    const need = words[value];
    if (need) found.add(need);
  };

/** A text that may recall what the shopper answered or reached. */
const recalling: Judge<string> = (text, found) => {
  if (recallsOf(text).length > 0) found.add("recall");
};

/** The name of a result is its page's title with its fallbacks, which a page as it is shown has (outcomes.ts). */
const recallingTitle: Judge<string> = (text, found) => {
  if (recallsOf(text).length > 0) found.add("recall").add("outcomes");
};

/** Lists and records of ids, and what only affects the look. */
const known = (): void => {};

const inAnswerLeaf = part<Merged<AnswerLeaf>>({
  component_key: null,
  op: word<AnswerLeaf["op"]>({
    ...{ in: null, not_in: null, eq: null, lt: null, gt: null, between: null },
    ...{ answered: null, not_answered: null },
  }),
  option_ids: known,
  value: null,
  min: null,
  max: null,
});

const inOutcomeLeaf = part<Merged<OutcomeLeaf>>({
  kind: word<OutcomeLeaf["kind"]>({ winner: "outcomes", points: "outcomes", formula: "outcomes" }),
  op: word<OutcomeLeaf["op"]>({
    ...{ in: null, not_in: null, eq: null, lt: null, gt: null, between: null },
    ...{ answered: null, not_answered: null },
  }),
  dimension_ids: known,
  dimension_id: null,
  component_key: null,
  rank: null,
  value: null,
  min: null,
  max: null,
});

function inCondition(condition: Condition, found: Set<Need>): void {
  if ("all" in condition) for (const entry of condition.all) inCondition(entry, found);
  else if ("any" in condition) for (const entry of condition.any) inCondition(entry, found);
  else if ("not" in condition) inCondition(condition.not, found);
  else if ("kind" in condition) inOutcomeLeaf(condition, found);
  else inAnswerLeaf(condition, found);
}

const inOption = part<ChoiceOption>({
  option_id: null,
  label: recalling,
  image_url: null,
  image_alt: null,
  exclusive: "questions",
  other: "questions",
  points: known,
});

const conditional = {
  visible_when: (condition: Condition, found: Set<Need>): void => {
    found.add("outcomes");
    inCondition(condition, found);
  },
};
const question = {
  component_key: null,
  question: recalling,
  required: null,
  help: "questions",
  ...conditional,
} as const;

/** A component's fields beside its kind. */
type Own<Kind extends Component["kind"]> = Component extends infer Each
  ? Each extends { kind: infer Listed }
    ? Kind extends Listed
      ? Omit<Each, "kind">
      : never
    : never
  : never;

const inChoice = part<Own<"choice">>({
  ...question,
  multiple: null,
  style: word({ list: "questions", dropdown: "questions", chips: "questions" }),
  min_choices: "questions",
  max_choices: "questions",
  shuffle: "questions",
  options: each(inOption),
});
const inContact = part<Own<"email">>({
  ...question,
  consent: part<ConsentBox>({ label: null, required: null }),
});
const inPicked = part<Omit<PickedProducts, "kind">>({
  ...conditional,
  block_key: null,
  source: word({ fixed: null, winner: null, answers: null }),
  products: each(part<ProductPick>({ product_id: null, variant_id: null, when: inCondition, dimension_id: null })),
  limit: null,
});

const operatorNeeds: Readonly<Record<Operator, Need | null>> = {
  ...{ "+": null, "-": null, "*": null, "/": null, negate: null },
  ...{ min: null, max: null, floor: null, ceil: null, abs: null, round: null },
  ...{ "<": null, "<=": null, ">": null, ">=": null, "==": null, "!=": null },
};

const inOperator = word(operatorNeeds);

function inTree(tree: Expression, found: Set<Need>): void {
  if (typeof tree === "number" || typeof tree === "string") return;
  const [operator, ...parts] = tree;
  inOperator(operator, found);
  for (const each of parts) inTree(each, found);
}

const inFormulaFields = part<Own<"formula">>({
  ...conditional,
  component_key: null,
  label: null,
  expression: null,
  unit: "questions",
  decimals: "questions",
});

function inFormula(formula: FormulaComponent, found: Set<Need>): void {
  inFormulaFields(formula, found);
  // no decimals is a form of its own, and not the usual one
  if (formula.decimals === 0) found.add("questions");
  const parsed = parseFormula(formula);
  if (parsed.ok) inTree(parsed.tree, found);
}

/** The server follows the rules, so that their fields are nothing to a player. */
function inRuled({ rules, visible_when }: RuledProducts, found: Set<Need>): void {
  found.add("rules");
  if (visible_when) conditional.visible_when(visible_when, found);
  for (const { when } of rules) if (when) inCondition(when, found);
}

const kinds: Readonly<Record<Component["kind"], Judge<never>>> = {
  choice: inChoice,
  image: inChoice,
  text: part<Own<"text">>({
    ...question,
    max_length: null,
    format: word({ text: null, name: "questions" }),
    placeholder: "questions",
  }),
  email: inContact,
  phone: inContact,
  number: part<Own<"number">>({
    ...question,
    min: null,
    max: null,
    step: null,
    unit: null,
    style: word({ field: null, slider: "sliders", rating: "questions" }),
    icon: "questions",
    min_label: "questions",
    max_label: "questions",
  }),
  date: part<Own<"date">>({
    ...question,
    with_time: null,
    min: "questions",
    max: "questions",
    weekdays: "questions",
    time_from: "questions",
    time_to: "questions",
  }),
  formula: inFormula,
  content: part<Own<"content">>({
    ...conditional,
    component_key: null,
    html_text: (html, found) => {
      found.add("html");
      recalling(html, found);
    },
  }),
  products: (block: PickedProducts | RuledProducts, found) =>
    block.source === "rules" ? inRuled(block, found) : inPicked(block, found),
};

const inDocument = part<QuizDocument>({
  pages: each(
    part<Page>({
      page_key: null,
      title: recallingTitle,
      subtitle: recalling,
      image_url: null,
      headline: recalling,
      outcome: "outcomes",
      next_label: (text, found) => {
        found.add("questions");
        recalling(text, found);
      },
      kind: word({ question: null, content: null, result: null }),
      skippable: null,
      visible_when: inCondition,
      // each judge is listed under the kind that it takes
      components: each((component, found) => kinds[component.kind](component as never, found)),
    }),
  ),
  jump_rules: each(
    part<JumpRule>({ jump_rule_key: null, source_page_key: null, when: inCondition, target_page_key: null }),
  ),
  dimensions: each(part<Dimension>({ dimension_id: null, name: null })),
  property_mappings: known,
  presentation: known,
});
