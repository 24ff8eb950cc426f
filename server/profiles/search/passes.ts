import { joined, raw, sql } from "../../platform/database/sql.ts";
import { allOf, among, anyOf, keyOf, type Part } from "./parts.ts";

/**
 * Single reads of the copy's tables. Each returns rows (person, mask) with the bits that one row, or one session,
 * meets.
 */

type Table = "answers" | "formulas" | "points" | "sessions";

const newestCompleted = sql`session IN (SELECT session FROM sessions WHERE latest_completed)`;

/** bits per column of an aggregate; few enough for an exact JavaScript number */
const columnBits = 50;
const placeOf = (index: number) => ({ column: Math.floor(index / columnBits), bit: 2 ** (index % columnBits) });

/**
 * Combines masks as a balanced tree: a plain chain of as many masks as a search may have nests deeper than DuckDB
 * parses.
 */
function union(masks: readonly Part[]): Part {
  const [first = sql`0`] = masks;
  if (masks.length <= 1) return first;
  const half = Math.ceil(masks.length / 2);
  return sql`(${union(masks.slice(0, half))} | ${union(masks.slice(half))})`;
}

/** Parts and the bits each one sets, by `keyOf`. */
type Bits = Map<string, { part: Part; bits: number }>;

const addBit = (into: Bits, part: Part, bit: number): void => {
  const key = keyOf(part);
  into.set(key, { part, bits: orBits(into.get(key)?.bits ?? 0, bit) });
};

const orBits = (a: number, b: number): number => Number(BigInt(a) | BigInt(b));

/** The terms about one key's rows: the bits that each condition sets, and the bits that each value of a column sets. */
interface KeyTerms {
  numbers: readonly number[];
  conditions: Bits;
  /** by column */
  values: Map<string, Bits>;
}

/**
 * Terms that a single row can decide, grouped by the row's key, so that no row is checked against terms of another
 * question.
 */
export class KeyedPass {
  readonly #table: Table;
  readonly #key: string;
  readonly #rows: Part;
  /** by the key's numbers */
  readonly #terms = new Map<string, KeyTerms>();

  /** @param rows a subquery to read instead of the whole table */
  constructor(table: Table, key: string, rows: Part = raw(table)) {
    this.#table = table;
    this.#key = key;
    this.#rows = rows;
  }

  /** Returns false, and adds nothing, if there is no such key. */
  add(numbers: readonly number[], condition: Part, bit: number): boolean {
    if (numbers.length === 0) return false;
    addBit(this.#termsOf(numbers).conditions, condition, bit);
    return true;
  }

  /**
   * Requires a column to have one of these values. Values are collected across terms: DuckDB takes minutes for as many
   * separate IN lists as a search may have.
   */
  addAmong(numbers: readonly number[], column: string, values: readonly (Part | number)[], bit: number): boolean {
    if (numbers.length === 0 || values.length === 0) return false;
    const { values: known } = this.#termsOf(numbers);
    const bits: Bits = known.get(column) ?? new Map();
    known.set(column, bits);
    for (const value of values) addBit(bits, typeof value === "number" ? raw(value) : value, bit);
    return true;
  }

  #termsOf(numbers: readonly number[]): KeyTerms {
    const name = numbers.join();
    const known = this.#terms.get(name) ?? { numbers, conditions: new Map(), values: new Map() };
    this.#terms.set(name, known);
    return known;
  }

  sql(latestOnly: boolean): Part | null {
    const keys = [...this.#terms.values()].map(({ numbers, ...terms }) => ({ numbers, conditions: byBits(terms) }));
    if (keys.length === 0) return null;
    const all = keys.flatMap(({ numbers }) => numbers);
    const where = [sql`person IS NOT NULL`, raw(among(this.#key, all))];
    if (latestOnly) where.push(this.#table === "sessions" ? sql`latest_completed` : newestCompleted);
    const [first] = keys;
    if (keys.length === 1 && first?.conditions.size === 1) {
      const [[bits, conditions] = [0, []]] = first.conditions;
      return sql`SELECT person, ${raw(bits)} AS mask FROM ${this.#rows} WHERE ${allOf([...where, anyOf(conditions)])}`;
    }
    const branches = keys.map(({ numbers, conditions }) => {
      const masks = Array.from(conditions, ([bits, own]) => sql`CASE WHEN ${anyOf(own)} THEN ${raw(bits)} ELSE 0 END`);
      return sql`WHEN ${raw(among(this.#key, numbers))} THEN ${union(masks)}`;
    });
    return sql`SELECT person, CASE ${joined(branches, " ")} END AS mask FROM ${this.#rows} WHERE ${allOf(where)}`;
  }
}

/**
 * Groups conditions by the bits that they set, which takes a fifth of the time of one CASE each at the maximum number
 * of terms.
 */
function byBits({ conditions, values }: Omit<KeyTerms, "numbers">): Map<number, Part[]> {
  const found = Map.groupBy(conditions.values(), ({ bits }) => bits);
  for (const [column, own] of values) {
    for (const [bits, entries] of Map.groupBy(own.values(), (entry) => entry.bits)) {
      const part = sql`${raw(column)} IN (${joined(entries.map((entry) => entry.part))})`;
      found.set(bits, [...(found.get(bits) ?? []), { part, bits }]);
    }
  }
  return new Map(Array.from(found, ([bits, entries]) => [bits, entries.map(({ part }) => part)]));
}

/** Requires all of these words in an answer. */
export interface WordsTerm {
  questions: readonly number[];
  /** each a condition on the column "text" */
  words: readonly Part[];
  bit: number;
}

/**
 * A pass for terms that share words. It checks each text once per word, however many terms contain the word, since
 * patterns are expensive to prepare. The GROUP BY keeps DuckDB from inlining the patterns wherever the column is used.
 */
export function sharedWordsPass(terms: readonly WordsTerm[]): KeyedPass {
  const keys = [...new Set(terms.flatMap(({ words }) => words.map(keyOf)))];
  const places = new Map(keys.map((key, index) => [key, placeOf(index)]));
  const found = new Map(terms.flatMap(({ words }) => words.map((word) => [keyOf(word), word] as const)));
  const columns = [...Map.groupBy(places, ([, { column }]) => column)].map(([column, own]) => {
    const masks = own.map(
      ([key, { bit }]) => sql`CASE WHEN ${found.get(key) ?? sql`false`} THEN ${raw(bit)} ELSE 0 END`,
    );
    return sql`bit_or(${union(masks)}) AS words_${raw(column)}`;
  });
  const questions = terms.flatMap((term) => term.questions);
  const pass = new KeyedPass(
    "answers",
    "question",
    sql`(SELECT person, session, question, ${joined(columns)}
    FROM answers WHERE ${raw(among("question", questions))} AND "text" IS NOT NULL
    GROUP BY person, session, question, "text")`,
  );
  for (const { questions, words, bit } of terms) {
    const byColumn = Map.groupBy(
      words.flatMap((word) => places.get(keyOf(word)) ?? []),
      ({ column }) => column,
    );
    const conditions = Array.from(byColumn, ([column, own]) => {
      const bits = own.reduce((sum, place) => sum + place.bit, 0);
      return raw(`(words_${column} & ${bits}) = ${bits}`);
    });
    pass.add(questions, allOf(conditions), bit);
  }
  return pass;
}

interface WholeTerm {
  /** empty: any quiz, as determined by the questions */
  quiz: readonly number[];
  questions: readonly number[];
  /** none of these was picked; null: the question was not answered */
  options: readonly number[] | null;
  bits: number;
}

/** Terms about what a session lacks, which can be decided only from all of its answers. */
export class SessionPass {
  readonly #terms = new Map<string, WholeTerm>();

  /** The question was answered, and none of the options was picked [search.choice]. */
  addNoneOf(questions: readonly number[], options: readonly number[], bit: number): void {
    this.#add({ quiz: [], questions, options: [...new Set(options)].sort((a, b) => a - b), bits: bit });
  }

  /** The quiz was taken, and the question was not answered. */
  addUnanswered(quiz: readonly number[], questions: readonly number[], bit: number): void {
    this.#add({ quiz, questions, options: null, bits: bit });
  }

  #add(term: WholeTerm): void {
    const name = JSON.stringify([term.quiz, term.questions, term.options]);
    const known = this.#terms.get(name);
    if (known) known.bits = orBits(known.bits, term.bits);
    else this.#terms.set(name, term);
  }

  sql(latestOnly: boolean): Part | null {
    const terms = [...this.#terms.values()].map((term, index) => new PlacedTerm(term, index));
    if (terms.length === 0) return null;
    const open = terms.some(({ term }) => term.options === null);
    const alike = Map.groupBy(
      terms,
      ({ column, term }) => `${column} ${term.bits} ${term.options && "in"} ${term.quiz.join()}`,
    );
    const mask = union(
      Array.from(
        alike.values(),
        (own) => sql`CASE WHEN ${anyHolds(own)} THEN ${raw(own[0]?.term.bits ?? 0)} ELSE 0 END`,
      ),
    );
    const sessions = sessionBits(terms, latestOnly && !open);
    if (!open) return sql`SELECT a.person, ${mask} AS mask FROM (${sessions}) a`;
    const quizzes = terms.flatMap(({ term }) => term.quiz);
    // an unanswered question limits the quizzes only if all terms are of that kind; the others apply to any quiz
    const where: Part[] = [sql`s.person IS NOT NULL`];
    if (terms.every(({ term }) => term.options === null)) where.push(raw(among("s.quiz", quizzes)));
    if (latestOnly) where.push(sql`s.latest_completed`);
    return sql`SELECT s.person, ${mask} AS mask FROM sessions s LEFT JOIN (${sessions}) a ON a.session = s.session
      WHERE ${allOf(where)}`;
  }
}

/**
 * One row per session that answered any of the questions: which it answered, and for which it picked a named option.
 */
function sessionBits(terms: readonly PlacedTerm[], latestOnly: boolean): Part {
  const columns = [...Map.groupBy(terms, ({ column }) => column)].flatMap(([column, own]) => {
    const answered = own.filter(({ term }) => term.questions.length > 0);
    const picked = own.filter(({ term }) => (term.options ?? []).length > 0);
    return [
      sql`bit_or(${bitsOf(answered, ({ term }) => among("question", term.questions))}) AS answered_${raw(column)}`,
      sql`bit_or(${bitsOf(picked, ({ term }) => among('"option"', term.options ?? []))}) AS picked_${raw(column)}`,
    ];
  });
  const questions = terms.flatMap(({ term }) => term.questions);
  const where = [sql`person IS NOT NULL`, raw(among("question", questions)), ...(latestOnly ? [newestCompleted] : [])];
  return sql`SELECT session, any_value(person) AS person, ${joined(columns)} FROM answers
    WHERE ${allOf(where)} GROUP BY session`;
}

/** The bits of the terms that one answer meets. Terms with the same condition share one check. */
function bitsOf(terms: readonly PlacedTerm[], conditionOf: (term: PlacedTerm) => string): Part {
  const masks = Array.from(Map.groupBy(terms, conditionOf), ([condition, own]) => {
    return raw(`CASE WHEN ${condition} THEN ${own.reduce((sum, { bit }) => sum + bit, 0)} ELSE 0 END`);
  });
  return union(masks);
}

class PlacedTerm {
  readonly term: WholeTerm;
  readonly column: number;
  readonly bit: number;

  constructor(term: WholeTerm, index: number) {
    this.term = term;
    ({ column: this.column, bit: this.bit } = placeOf(index));
  }
}

/**
 * Whether one of these terms holds, on a row of the aggregate or of sessions joined to it. All terms must have the same
 * column, kind and quiz.
 */
function anyHolds(terms: readonly PlacedTerm[]): Part {
  const [{ column, term } = { column: 0, term: null }] = terms;
  const bits = terms.reduce((sum, { bit }) => sum + bit, 0);
  if (term?.options != null) return raw(`(a.answered_${column} & ~a.picked_${column} & ${bits}) > 0`);
  const isOpen = raw(`(a.session IS NULL OR (a.answered_${column} & ${bits}) <> ${bits})`);
  return allOf([raw(among("s.quiz", term?.quiz ?? [])), isOpen]);
}
