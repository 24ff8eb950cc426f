import { allOf, among, anyOf } from "./parameters.ts";

/** Single reads of the copy's tables, each answering rows (person, mask): the bits of what one row, or session, meets. */

type Table = "answers" | "formulas" | "points" | "sessions";

const newestTakes = "session IN (SELECT session FROM sessions WHERE latest_completed)";
const union = (masks: readonly string[]) => (masks.length === 1 ? masks.join() : `(${masks.join(" | ")})`);

/** Terms that a single row tells, sorted by the row's key: no row is held against the terms of another question. */
export class KeyedPass {
  readonly #table: Table;
  readonly #key: string;
  /** by the key's numbers: bits by condition */
  readonly #terms = new Map<string, { numbers: readonly number[]; conditions: Map<string, number> }>();

  constructor(table: Table, key: string) {
    this.#table = table;
    this.#key = key;
  }

  /** False, and nothing to read, when there is no such key. */
  add(numbers: readonly number[], condition: string, bit: number): boolean {
    if (numbers.length === 0) return false;
    const name = numbers.join();
    const terms = this.#terms.get(name) ?? { numbers, conditions: new Map<string, number>() };
    this.#terms.set(name, terms);
    terms.conditions.set(condition, orBits(terms.conditions.get(condition) ?? 0, bit));
    return true;
  }

  sql(latestOnly: boolean): string | null {
    const keys = [...this.#terms.values()];
    if (keys.length === 0) return null;
    const all = keys.flatMap(({ numbers }) => numbers);
    const where = ["person IS NOT NULL", among(this.#key, all)];
    if (latestOnly) where.push(this.#table === "sessions" ? "latest_completed" : newestTakes);
    const [first] = keys;
    if (keys.length === 1 && first?.conditions.size === 1) {
      const [[condition, bits] = ["false", 0]] = first.conditions;
      return `SELECT person, ${bits} AS mask FROM ${this.#table} WHERE ${allOf([...where, condition])}`;
    }
    const branches = keys.map(({ numbers, conditions }) => {
      const masks = Array.from(conditions, ([condition, bits]) => `CASE WHEN ${condition} THEN ${bits} ELSE 0 END`);
      return `WHEN ${among(this.#key, numbers)} THEN ${union(masks)}`;
    });
    return `SELECT person, CASE ${branches.join(" ")} END AS mask FROM ${this.#table} WHERE ${allOf(where)}`;
  }
}

const orBits = (a: number, b: number): number => Number(BigInt(a) | BigInt(b));

interface WholeTerm {
  /** empty: any, as the questions name it */
  quiz: readonly number[];
  questions: readonly number[];
  /** none of these; null: the question itself was left open */
  options: readonly number[] | null;
  bits: number;
}

/** bits of one column of the aggregate below, few enough for a number to be exact */
const columnBits = 50;

/** Terms about what a session lacks: they need all of its answers. */
export class SessionPass {
  readonly #terms = new Map<string, WholeTerm>();

  /** Answered the question, and picked none of the options. */
  addNoneOf(questions: readonly number[], options: readonly number[], bit: number): void {
    this.#add({ quiz: [], questions, options: [...new Set(options)].sort((a, b) => a - b), bits: bit });
  }

  /** Took the quiz, and did not answer the question. */
  addUnanswered(quiz: readonly number[], questions: readonly number[], bit: number): void {
    this.#add({ quiz, questions, options: null, bits: bit });
  }

  #add(term: WholeTerm): void {
    const name = JSON.stringify([term.quiz, term.questions, term.options]);
    const known = this.#terms.get(name);
    if (known) known.bits = orBits(known.bits, term.bits);
    else this.#terms.set(name, term);
  }

  sql(latestOnly: boolean): string | null {
    const terms = [...this.#terms.values()].map((term, index) => new PlacedTerm(term, index));
    if (terms.length === 0) return null;
    const open = terms.some(({ term }) => term.options === null);
    const mask = union(terms.map((placed) => `CASE WHEN ${placed.holds()} THEN ${placed.term.bits} ELSE 0 END`));
    const sessions = this.#sessionBits(terms, latestOnly && !open);
    if (!open) return `SELECT a.person, ${mask} AS mask FROM (${sessions}) a`;
    const quizzes = terms.flatMap(({ term }) => term.quiz);
    // where something else than an open question is asked for too, it may be asked of any quiz
    const where = ["s.person IS NOT NULL"];
    if (terms.every(({ term }) => term.options === null)) where.push(among("s.quiz", quizzes));
    if (latestOnly) where.push("s.latest_completed");
    return `SELECT s.person, ${mask} AS mask FROM sessions s LEFT JOIN (${sessions}) a ON a.session = s.session
      WHERE ${allOf(where)}`;
  }

  /** One row a session that answered any of the questions: which it answered, and where it picked a named option. */
  #sessionBits(terms: readonly PlacedTerm[], latestOnly: boolean): string {
    const columns = [...Map.groupBy(terms, ({ column }) => column)].flatMap(([column, own]) => {
      const answered = own.filter(({ term }) => term.questions.length > 0);
      const picked = own.filter(({ term }) => (term.options ?? []).length > 0);
      return [
        `bit_or(${bitsOf(answered, ({ term }) => among("question", term.questions))}) AS answered_${column}`,
        `bit_or(${bitsOf(picked, ({ term }) => among('"option"', term.options ?? []))}) AS picked_${column}`,
      ];
    });
    const questions = terms.flatMap(({ term }) => term.questions);
    const where = ["person IS NOT NULL", among("question", questions), ...(latestOnly ? [newestTakes] : [])];
    return `SELECT session, any_value(person) AS person, ${columns.join(", ")} FROM answers
      WHERE ${allOf(where)} GROUP BY session`;
  }
}

/** The bits of the terms that one answer meets; terms with the same condition share one look. */
function bitsOf(terms: readonly PlacedTerm[], conditionOf: (term: PlacedTerm) => string): string {
  if (terms.length === 0) return "0";
  const masks = Array.from(Map.groupBy(terms, conditionOf), ([condition, own]) => {
    return `CASE WHEN ${condition} THEN ${own.reduce((sum, { bit }) => sum + bit, 0)} ELSE 0 END`;
  });
  return union(masks);
}

class PlacedTerm {
  readonly term: WholeTerm;
  readonly column: number;
  readonly bit: number;

  constructor(term: WholeTerm, index: number) {
    this.term = term;
    this.column = Math.floor(index / columnBits);
    this.bit = 2 ** (index % columnBits);
  }

  /** on a row of the aggregate, or of sessions beside it */
  holds(): string {
    const { column, bit, term } = this;
    const answered = `a.answered_${column} & ${bit}`;
    if (term.options !== null) return `(a.answered_${column} & ~a.picked_${column} & ${bit}) > 0`;
    return allOf([among("s.quiz", term.quiz), anyOf([`a.session IS NULL`, `(${answered}) = 0`])]);
  }
}
