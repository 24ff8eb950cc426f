import type { CopyQuery } from "../../columnar-copy/public.ts";
import { joined, type Statement, sql } from "../../platform/database/sql.ts";
import { foldText } from "../../platform/fold-text.ts";
import { type Part, textValue, uuidValue } from "./parts.ts";
import type { Search, Term } from "./terms.ts";

/** Maps what a search names to the copy's numbers. Numbers are valid only within one read of the copy. */

interface NumberRow {
  what: "quiz" | "page" | "outcome" | "dimension" | "question" | "option" | "label";
  quiz_id: string;
  /** page_key, dimension_id, component_key or an outcome; empty for a quiz */
  key: string;
  /** option_id or folded label; otherwise empty */
  option: string;
  number: number;
}

/** @param put runs a statement on the copy */
export async function readNumbers(put: CopyQuery, search: Search): Promise<Numbers> {
  const lookUp = numbersQuestion(search);
  return new Numbers(lookUp ? await put(lookUp) : []);
}

/** Returns null if the search names nothing that has a number. */
function numbersQuestion(search: Search): Statement<NumberRow> | null {
  const terms = search.groups.flat(2);
  const quizIds = new Set(terms.map((term) => term.quizId));
  if (search.span.quizId !== null) quizIds.add(search.span.quizId);
  if (quizIds.size === 0) return null;
  const parts = [sql`SELECT 'quiz' AS what, id AS quiz_id, '' AS "key", '' AS "option", quiz AS number FROM z`];
  const endings = conditionsOf(terms, "session");
  const pages = endings.flatMap(({ pageKey }) => pageKey ?? []);
  if (pages.length > 0) {
    parts.push(sql`SELECT 'page', z.id, t.page_key, '', t.page FROM pages t JOIN z USING (quiz)
      WHERE t.page_key IN (${values(pages, textValue)})`);
  }
  const outcomes = endings.flatMap(({ ending }) => (typeof ending === "string" ? [] : ending.outcome));
  if (outcomes.some(canBeStored)) {
    parts.push(sql`SELECT 'outcome', z.id, t.value, '', t.outcome FROM outcomes t JOIN z USING (quiz)
      WHERE t.value IN (${values(outcomes.filter(canBeStored), textValue)})`);
  }
  const dimensions = [
    ...conditionsOf(terms, "points").map(({ dimensionId }) => dimensionId),
    ...conditionsOf(terms, "winner").flatMap(({ dimensionIds }) => dimensionIds.filter(canBeStored)),
  ];
  if (dimensions.length > 0) {
    parts.push(sql`SELECT 'dimension', z.id, t.dimension_id, '', t.dimension FROM dimensions t JOIN z USING (quiz)
      WHERE t.dimension_id IN (${values(dimensions, textValue)})`);
  }
  const components = terms.flatMap(({ condition }) => ("componentKey" in condition ? [condition.componentKey] : []));
  if (components.length > 0) {
    const named = sql`t.component_key IN (${values(components, textValue)})`;
    parts.push(sql`SELECT 'question', z.id, t.component_key, '', t.question FROM questions t JOIN z USING (quiz)
      WHERE ${named}`);
    parts.push(...optionNumbers(conditionsOf(terms, "choice"), named));
  }
  return sql`WITH z AS (SELECT quiz, id FROM quizzes WHERE id IN (${values(quizIds, uuidValue)}))
    SELECT what, CAST(quiz_id AS VARCHAR) AS quiz_id, "key", "option", number FROM (${joined(parts, " UNION ALL ")})`;
}

const values = (items: Iterable<string>, toPart: (value: string) => Part): Part =>
  joined([...new Set(items)].map(toPart));

/** Reads all options of the questions rather than the named ones: a question has few, while a term may name 100. */
function optionNumbers(choices: readonly { optionIds: string[]; optionLabels: string[] }[], named: Part): Part[] {
  const parts: Part[] = [];
  if (choices.some(({ optionIds }) => optionIds.length > 0)) {
    parts.push(sql`SELECT 'option', z.id, t.component_key, o.option_id, o."option"
      FROM questions t JOIN z USING (quiz) JOIN options o USING (question) WHERE ${named}`);
  }
  if (choices.some(({ optionLabels }) => optionLabels.length > 0)) {
    parts.push(sql`SELECT 'label', z.id, t.component_key, l.folded, o."option"
      FROM questions t JOIN z USING (quiz) JOIN options o USING (question)
      JOIN labels l ON l.quiz_id = z.id AND l.component_key = t.component_key AND l.option_id = o.option_id
      WHERE ${named}`);
  }
  return parts;
}

type Condition = Term["condition"];
const conditionsOf = <Kind extends Condition["kind"]>(terms: readonly Term[], kind: Kind) =>
  terms.map((term) => term.condition).filter((condition) => condition.kind === kind) as Extract<
    Condition,
    { kind: Kind }
  >[];

/** Neither the database nor the copy can hold NUL or lone surrogates, so a text with one equals no stored text. */
export const canBeStored = (text: string): boolean => !text.includes("\u0000") && text.isWellFormed();

export class Numbers {
  readonly #numbers: Map<string, number[]>;

  constructor(rows: readonly NumberRow[]) {
    this.#numbers = new Map();
    for (const row of rows) {
      const name = nameOf(row.what, row.quiz_id, row.key, row.option);
      const known = this.#numbers.get(name);
      if (known) known.push(row.number);
      else this.#numbers.set(name, [row.number]);
    }
  }

  quiz = (id: string): number[] => this.#find("quiz", id);
  page = (quizId: string, key: string): number[] => this.#find("page", quizId, key);
  outcome = (quizId: string, value: string): number[] => this.#find("outcome", quizId, value);
  dimension = (quizId: string, id: string): number[] => this.#find("dimension", quizId, id);
  /** one for each page on which the question has been */
  question = (quizId: string, key: string): number[] => this.#find("question", quizId, key);

  options(quizId: string, key: string, ids: readonly string[], labels: readonly string[]): number[] {
    return [
      ...ids.flatMap((id) => this.#find("option", quizId, key, id)),
      ...labels.flatMap((label) => this.#find("label", quizId, key, foldText(label))),
    ];
  }

  #find(what: NumberRow["what"], quizId: string, key = "", option = ""): number[] {
    return this.#numbers.get(nameOf(what, quizId, key, option)) ?? [];
  }
}

const nameOf = (...parts: string[]): string => JSON.stringify(parts);
