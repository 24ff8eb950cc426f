import { normaliseAnswer, type RawAnswer } from "./answers.ts";
import type {
  Answers,
  AnswerValue,
  ChoiceOption,
  Component,
  Condition,
  FormulaComponent,
  JumpRule,
  OutcomeLeaf,
  Page,
  ProductPick,
  ProductsComponent,
  QuestionComponent,
  QuizDocument,
} from "./document.ts";
import type { Expression } from "./evaluate.ts";
import type { NormalisedAnswer } from "./kinds/normalised.ts";
import { isChoice, isQuestion } from "./kinds/value.ts";

/** A page with its place: `index` counts from 0. */
export interface PlacedPage {
  page: Page;
  index: number;
  /** the jump rules that leave this page, in document order */
  rules: readonly JumpRule[];
}

export interface PlacedQuestion {
  component: QuestionComponent;
  placed: PlacedPage;
  /** for a choice or image question: its options by id; empty for other kinds */
  options: ReadonlyMap<string, ChoiceOption>;
}

export interface PlacedFormula {
  component: FormulaComponent;
  placed: PlacedPage;
  /** null if the expression does not parse, which `checkDocument` refuses */
  tree: Expression | null;
}

export interface PlacedBlock {
  block: ProductsComponent;
  placed: PlacedPage;
}

/** Parts of the engine that only some documents need (needs.ts), which browsers load apart [player.outcomes-apart]. */
export interface QuizParts {
  /** for a document that needs `outcomes` */
  outcomes?: Outcomes | undefined;
  /** for a document that needs `questions` */
  choiceLimits?: ChoiceLimits | undefined;
}

/** How many options a choice takes, and what may be written beside one (choice-limits.ts). */
export interface ChoiceLimits {
  /** an answer that is otherwise right, with what was written beside an option */
  within(component: QuestionComponent, read: NormalisedAnswer, raw: RawAnswer): NormalisedAnswer;
  /** whether a question with this answer counts as answered */
  isEnough(component: QuestionComponent, answer: AnswerValue): boolean;
}

/** A quiz document with the indexes that the engine needs. Immutable; callers cache one per version. */
export interface Quiz extends QuizParts {
  document: QuizDocument;
  /** by page_key, in document order */
  pages: ReadonlyMap<string, PlacedPage>;
  /** by component_key, in document order */
  questions: ReadonlyMap<string, PlacedQuestion>;
  /** by component_key, in document order */
  formulas: ReadonlyMap<string, PlacedFormula>;
  /** by block_key, in document order */
  blocks: ReadonlyMap<string, PlacedBlock>;
  /** pages in the order in which their visibility is decided, see visibility.ts */
  decisionOrder: readonly PlacedPage[];
}

/** The page keys that are visible and the answers that count. */
export interface Visibility {
  page_keys: ReadonlySet<string>;
  counted: Answers;
  /** components whose own condition does not hold [engine.hidden-components] */
  hidden?: ReadonlySet<Component>;
}

/** What documents need that have conditions on totals or conditions of components (outcomes.ts). */
export interface Outcomes {
  decide(quiz: Quiz, answers: Answers): Visibility;
  holds(leaf: OutcomeLeaf, answers: Answers, quiz: Quiz): boolean;
  /** a page as it is shown: without hidden components */
  shown(quiz: Quiz, page: Page, seen: Visibility): Page;
}

/** The products that a block names one by one. */
export const picksOf = (block: ProductsComponent): readonly ProductPick[] =>
  block.source === "rules" ? [] : block.products;

/**
 * Indexes a document that `checkDocument` accepted. Never throws.
 *
 * @param readFormula returns null for an expression that cannot be parsed
 * @param parts those that the document needs
 */
export function indexQuiz(
  document: QuizDocument,
  readFormula: (formula: FormulaComponent) => Expression | null,
  parts: QuizParts,
): Quiz {
  const pages = new Map<string, PlacedPage>();
  const questions = new Map<string, PlacedQuestion>();
  const formulas = new Map<string, PlacedFormula>();
  const blocks = new Map<string, PlacedBlock>();
  // no iterators, because scripts on old shops' pages replace them
  for (let index = 0; index < document.pages.length; index += 1) {
    const page = document.pages[index];
    if (page === undefined) continue;
    const rules = document.jump_rules.filter((rule) => rule.source_page_key === page.page_key);
    const placed = { page, index, rules };
    pages.set(page.page_key, placed);
    for (const component of page.components) {
      if (component.kind === "products") blocks.set(component.block_key, { block: component, placed });
      else if (component.kind === "formula") {
        formulas.set(component.component_key, { component, placed, tree: readFormula(component) });
      } else if (isQuestion(component)) questions.set(component.component_key, placeQuestion(component, placed));
    }
  }
  return {
    document,
    pages,
    questions,
    formulas,
    blocks,
    decisionOrder: pageDecisionOrder(pages, questions),
    ...parts,
  };
}

function placeQuestion(component: QuestionComponent, placed: PlacedPage): PlacedQuestion {
  const options = isChoice(component) ? component.options : [];
  return { component, placed, options: new Map(options.map((option) => [option.option_id, option])) };
}

/**
 * The order in which page visibility is decided: a page after the pages that its `visible_when` asks about. Cycles are
 * entered at the earliest page of the document, so that the order is always the same.
 */
function pageDecisionOrder(
  pages: ReadonlyMap<string, PlacedPage>,
  questions: ReadonlyMap<string, PlacedQuestion>,
): PlacedPage[] {
  const seen = new Set<PlacedPage>();
  const order: PlacedPage[] = [];
  const decide = (placed: PlacedPage): void => {
    if (seen.has(placed)) return;
    seen.add(placed);
    const keys = placed.page.visible_when === null ? [] : conditionKeys(placed.page.visible_when);
    const asks = new Set(keys.map((key) => questions.get(key)?.placed).filter((page) => page !== undefined));
    for (const page of [...asks].sort((a, b) => a.index - b.index)) decide(page);
    order.push(placed);
  };
  for (const placed of pages.values()) decide(placed);
  return order;
}

/** The key of every question whose answer a condition asks about, repeats included. */
export function conditionKeys(condition: Condition): string[] {
  if ("all" in condition) return condition.all.flatMap(conditionKeys);
  if ("any" in condition) return condition.any.flatMap(conditionKeys);
  if ("not" in condition) return conditionKeys(condition.not);
  // points and winners have none, and a formula's is no question's
  return "component_key" in condition ? [condition.component_key] : [];
}

/** Like `normaliseAnswer`, for an answer to a quiz's question, within its limits [engine.choice-limits, engine.other-text]. */
export function answerOf(
  { choiceLimits }: QuizParts,
  component: QuestionComponent,
  raw: RawAnswer,
  acceptedBefore?: boolean,
): NormalisedAnswer {
  const read = normaliseAnswer(component, raw, acceptedBefore);
  return choiceLimits?.within(component, read, raw) ?? read;
}
