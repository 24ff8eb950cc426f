import { impossible, valueOfKind } from "../../engine/kinds/value.ts";
import { type Numbering, numberingOf } from "../../engine/numbering.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { foldText } from "../platform/fold-text.ts";
import type { Exit, Move, MoveCause, SessionState } from "./state.ts";

/**
 * A session in the form that the columnar copy reads: one short JSON text of numbers, in which keys are the numbers
 * that `numberingOf` assigns in the session's version. It is a sixth the size of the state, the database need not parse
 * JSON to read it (which took most of the time of a first load), and the copy need not look up keys by text.
 * `CopyText.facts` below describes each part.
 */
export interface CopyText {
  facts: string;
  /** answers to text questions, case-folded; stored separately, because an erasure removes them; null: none */
  texts: string | null;
}

/**
 * The parts of a session's `facts`, each absent when empty; keys are numbers of their version (engine/numbering.ts):
 *
 *   i  last page, winner (of completed sessions), exit page, exit reason, and in ms when it left an email, a phone and
 *      a contact that its checkbox denies; any of them null
 *   v  visits: page, entries, entries by jump, first by jump, time in ms or null, skipped, went back
 *   m  moves by edge: from page, to page, cause, rule or null, moves
 *   h  hidden pages: page, times
 *   a  options: question, option, when; and answers without content here (email, phone): question, null, when
 *   n  numbers: question, value, when
 *   d  dates: question, days since 1970, when
 *   p  points of completed sessions: dimension, total
 *   f  formulas with a value, of completed sessions: formula, value
 *   s  shown products: block, index in g, ms after the opening
 *   g  ids of the products in s
 *
 * `when` is in ms after the opening. Yes and no are 1 and 0; causes and reasons are indexes into the lists below, to
 * which entries may only be appended.
 */
export const copyMoveCauses: readonly MoveCause[] = ["next", "jump", "skip", "back", "restart"];
export const copyExitReasons: readonly Exit["reason"][] = [
  "finished",
  "closed",
  "restarted",
  "timed_out",
  "still_here",
];

type Numbers = (number | null)[];

export function copyText(quiz: Quiz, state: SessionState): CopyText {
  const numbering = numberingOf(quiz);
  const page = (key: string | null) => numberOf(numbering.pages, key);
  const { outcome, exit, opt_ins: optIns } = state;
  const completed = state.completed_at !== null;
  const winner = completed ? numberOf(numbering.dimensions, outcome.winner?.dimension_id ?? null) : null;
  const answers = answerParts(numbering, state);
  const parts: Record<string, (string | number | null)[] | Numbers[]> = {
    i: [
      page(state.last_page_key),
      winner,
      page(exit?.page_key ?? null),
      exit === null ? null : copyExitReasons.indexOf(exit.reason),
      optIns.email_at,
      optIns.phone_at,
      optIns.denied_at,
    ],
    v: state.visits.map((visit) => [
      page(visit.page_key),
      visit.entries,
      visit.entries_by_jump,
      Number(visit.first_cause === "jump"),
      visit.time_ms,
      Number(visit.skipped),
      Number(visit.went_back),
    ]),
    m: edges(numbering, state.moves),
    h: state.hidden.map(({ page_key, times }) => [page(page_key), times]),
    a: answers.picked,
    n: answers.numbers,
    d: answers.days,
    p: completed
      ? outcome.points.map((entry) => [numberOf(numbering.dimensions, entry.dimension_id), entry.total])
      : [],
    f: completed ? formulas(numbering, outcome) : [],
    ...shownParts(numbering, state),
  };
  const filled = Object.entries(parts).filter(([, part]) => part.length > 0);
  const texts = answers.texts.length > 0 ? JSON.stringify(answers.texts) : null;
  return { facts: JSON.stringify(Object.fromEntries(filled)), texts };
}

const numberOf = (numbers: ReadonlyMap<string, number> | undefined, key: string | null): number | null =>
  key === null ? null : (numbers?.get(key) ?? null);

/** Moves along the same edge become one row, since only their number is needed. */
function edges(numbering: Numbering, moves: readonly Move[]): Numbers[] {
  const rows = new Map<string, { row: Numbers; moves: number }>();
  for (const move of moves) {
    const row = [
      numberOf(numbering.pages, move.from_page_key),
      numberOf(numbering.pages, move.to_page_key),
      copyMoveCauses.indexOf(move.cause),
      numberOf(numbering.rules, move.jump_rule_key),
    ];
    const known = rows.get(row.join());
    const { times = 1 } = move as Partial<Move>;
    if (known) known.moves += times;
    else rows.set(row.join(), { row, moves: times });
  }
  return Array.from(rows.values(), ({ row, moves: used }) => [...row, used]);
}

interface AnswerParts {
  picked: Numbers[];
  numbers: Numbers[];
  days: Numbers[];
  texts: { q: number | null; t: string; w: number }[];
}

function answerParts(numbering: Numbering, { answers, opened_at }: SessionState): AnswerParts {
  const parts: AnswerParts = { picked: [], numbers: [], days: [], texts: [] };
  for (const answer of answers) {
    const question = numberOf(numbering.questions, answer.component_key);
    const when = answer.time - opened_at;
    if ("option_ids" in answer) {
      const options = numbering.options.get(answer.component_key);
      for (const id of answer.option_ids) parts.picked.push([question, numberOf(options, id), when]);
    } else if (!addContent(parts, answer, question, when)) {
      parts.picked.push([question, null, when]);
    }
  }
  return parts;
}

/** Adds what an answer without options says, by the value of its kind; false: nothing of it belongs in the copy. */
function addContent(
  parts: AnswerParts,
  { kind, value }: Extract<SessionState["answers"][number], { value: unknown }>,
  question: number | null,
  when: number,
): boolean {
  const asked = valueOfKind[kind];
  switch (asked) {
    case "number":
      if (typeof value === "number") parts.numbers.push([question, value, when]);
      return typeof value === "number";
    case "date":
      if (typeof value !== "object") return false;
      parts.days.push([question, Date.parse(`${value.date}T00:00:00Z`) / 86_400_000, when]);
      return true;
    case "text":
      if (typeof value === "string") parts.texts.push({ q: question, t: foldText(value), w: when });
      return typeof value === "string";
    case "options":
    case "contact":
      return false;
    default:
      return impossible(asked);
  }
}

const formulas = (numbering: Numbering, { formulas: results }: SessionState["outcome"]): Numbers[] =>
  results
    .filter(({ value }) => value !== null)
    .map(({ component_key, value }) => [numberOf(numbering.formulas, component_key), value]);

/** Each product once per block, with its variants combined. */
function shownParts(numbering: Numbering, { shown, opened_at }: SessionState): { s: Numbers[]; g: string[] } {
  const products = new Map<string, number>();
  const rows = new Map<string, Numbers>();
  for (const { block_key, product_id, first_at } of shown) {
    const block = numberOf(numbering.blocks, block_key);
    const product = products.get(product_id) ?? products.size;
    products.set(product_id, product);
    const key = `${block},${product}`;
    if (!rows.has(key)) rows.set(key, [block, product, first_at - opened_at]);
  }
  return { s: [...rows.values()], g: [...products.keys()] };
}
