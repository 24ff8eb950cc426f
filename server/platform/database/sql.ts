import { isUuid } from "../ids.ts";
import { assertTimeOf } from "../own-time.ts";

/**
 * SQL statements as tagged templates: each value becomes a parameter, so that nobody numbers them and no outside text
 * becomes part of a statement [database.given-time]. A statement about a store refers to it by `ownStore`, which the
 * runner fills in with the store it is bound to: no statement can reach another store.
 */

/** A statement whose rows have a known type. */
export interface Statement<Row = unknown> {
  readonly sql: string;
  /** without the store's id, which is `$1` if the statement refers to its store */
  readonly parameters: readonly unknown[];
  readonly namesStore?: boolean;
  /** never set; carries the type of the rows */
  readonly row?: Row;
}

/** Stands for the id of the store that a statement's runner is bound to [database.one-store]. */
export const ownStore = Symbol("the runner's store");

/** A fragment of a statement, possibly with values of its own. */
class Part<Row> implements Statement<Row> {
  readonly namesStore: boolean;
  /** the texts between values, and the values, from which an enclosing statement is assembled */
  readonly texts: readonly string[];
  readonly values: readonly unknown[];

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts;
    this.values = values;
    this.namesStore = values.includes(ownStore);
  }

  get sql(): string {
    return textOf(this.texts, this.values, this.namesStore);
  }

  get parameters(): readonly unknown[] {
    return this.namesStore ? this.values.filter((value) => value !== ownStore) : this.values;
  }
}

/**
 * A statement or a fragment: sql`SELECT ... WHERE store_id = ${ownStore} AND id = ${id}`. A fragment in place of a
 * value is inserted. The caller declares the rows' type; it is not checked.
 */
export function sql<Row = unknown>(texts: TemplateStringsArray, ...values: unknown[]): Statement<Row> {
  if (!values.some((value) => value instanceof Part)) return new Part<Row>(texts, values);
  const flatValues = values.flatMap((value) => (value instanceof Part ? value.values : [value]));
  return new Part<Row>(putTogether(texts, values), flatValues);
}

interface Assembled {
  inner: readonly (readonly string[] | null)[];
  texts: readonly string[];
}

/** Caches the last assembly of a template with the same fragments, because most templates always have the same ones. */
const assembled = new WeakMap<readonly string[], Assembled>();

function putTogether(texts: readonly string[], values: readonly unknown[]): readonly string[] {
  const inner = values.map((value) => (value instanceof Part ? value.texts : null));
  const last = assembled.get(texts);
  if (last?.inner.every((part, index) => isSame(part, inner[index] ?? null))) return last.texts;
  const flat = [texts[0] ?? ""];
  inner.forEach((part, index) => {
    const after = texts[index + 1] ?? "";
    if (part === null) {
      flat.push(after);
      return;
    }
    const [first = "", ...others] = part;
    flat[flat.length - 1] += first;
    flat.push(...others);
    flat[flat.length - 1] += after;
  });
  assembled.set(texts, { inner, texts: flat });
  return flat;
}

const isSame = (a: readonly string[] | null, b: readonly string[] | null): boolean =>
  a === b || (a !== null && b !== null && a.length === b.length && a.every((text, index) => text === b[index]));

/** Inserts text that the program itself wrote, such as a list of columns. Never use it for outside text. */
export const raw = (text: string | number): Statement<never> => new Part<never>([String(text)], []);

/** A UUID as a literal, for statements that take no parameters. */
export function uuidLiteral(uuid: string): string {
  if (!isUuid(uuid)) throw new Error("not a UUID");
  return `'${uuid}'::uuid`;
}

/**
 * An array literal for ids and words that the program itself chose, which need no escaping; the driver would check each
 * one.
 */
export const plainArray = (words: readonly string[]): string => `{${words.join()}}`;

/**
 * The right side of `=` for a column that may have any of these values, an array or what `plainArray` made, for
 * statements that run often and name few rows. The subquery hides how many there are: PostgreSQL would plan anew for each
 * statement to suit their number, which takes longer than reading those rows [database.young-tables]. Where thousands are
 * named, as by exports, it should know.
 */
export const anyOf = (values: readonly string[] | string, type: "uuid" | "text" = "uuid"): Statement<never> => {
  const array = raw(`${type}[]`);
  return sql`ANY ((SELECT ${values}::${array})::${array})`;
};

/** Fragments with a separator between them; empty if there are none. */
export const joined = (parts: readonly Statement<unknown>[], between = ", "): Statement<never> => {
  const texts = [""];
  const values: unknown[] = [];
  parts.forEach((part, index) => {
    if (!(part instanceof Part)) throw new Error("only what sql`...` returns can be part of a statement");
    const [first = "", ...others] = part.texts;
    texts[texts.length - 1] += (index === 0 ? "" : between) + first;
    texts.push(...others);
    values.push(...part.values);
  });
  return new Part<never>(texts, values);
};

interface Numbered {
  /** which values were the runner's store: the same place may hold the store once and another value later */
  ofStore: readonly boolean[];
  text: string;
}

/** Caches the numbered texts of templates from their last use. */
const numbered = new WeakMap<readonly string[], Numbered>();

function textOf(texts: readonly string[], values: readonly unknown[], namesStore: boolean): string {
  const last = numbered.get(texts);
  if (last !== undefined && values.every((value, index) => (value === ownStore) === last.ofStore[index])) {
    return last.text;
  }
  let number = namesStore ? 1 : 0;
  let text = texts[0] ?? "";
  values.forEach((value, index) => {
    if (value !== ownStore) number += 1;
    text += `$${value === ownStore ? 1 : number}${texts[index + 1] ?? ""}`;
  });
  numbered.set(texts, { ofStore: values.map((value) => value === ownStore), text });
  return text;
}

/** What runs statements. */
export interface Runner {
  all<Row>(statement: Statement<Row>): Promise<Row[]>;
  first<Row>(statement: Statement<Row>): Promise<Row | undefined>;
  /** The same, bound to a store; throws if it is already bound to another one. */
  forStore(storeId: string): StoreRunner;
}

export interface StoreRunner extends Runner {
  readonly storeId: string;
}

/** Kinds of work that a transaction may leave to background workers. */
export type DueWork = "outbox" | "deliveries" | "exports";

interface TransactionHooks {
  /** Announces work of this kind: listeners learn of it once this is committed. */
  announce(work: DueWork): void;
  /** Runs after the commit, never after a rollback; for wake-ups and caches. An error in it is logged. */
  afterCommit(action: () => void): void;
  /**
   * For statements that were sent but are not awaited: COMMIT is sent right behind them, and the server rolls back if
   * one of them fails. Statements after that are refused.
   */
  beforeCommit(sent: Promise<unknown>): void;
}

/** A transaction under way. */
export interface Transaction extends Runner, TransactionHooks {
  forStore(storeId: string): StoreTransaction;
}

export interface StoreTransaction extends Transaction {
  readonly storeId: string;
}

type Run = <Row>(statement: Statement<Row>) => Promise<Row[]>;

/** A runner that executes statements with `run`: those of no store, and through `forStore` those of one. */
export function runnerOf(run: Run): Runner {
  const unbound: Run = (statement) => {
    if (statement.namesStore) throw new Error("the statement uses ownStore, but its runner is bound to no store");
    return run(statement);
  };
  return { ...reading(unbound), forStore: (storeId) => boundTo(storeId, run, {}) };
}

export function transactionOf(run: Run, hooks: TransactionHooks): Transaction {
  return { ...runnerOf(run), ...hooks, forStore: (storeId) => boundTo(storeId, run, hooks) };
}

type Bound<Hooks> = Pick<Runner, "all" | "first"> &
  Hooks & { storeId: string; forStore(storeId: string): Bound<Hooks> };

function boundTo<Hooks extends object>(storeId: string, run: Run, hooks: Hooks): Bound<Hooks> {
  const fill: Run = <Row>(statement: Statement<Row>) => {
    if (!statement.namesStore) return run(statement);
    assertTimeOf(storeId);
    return run<Row>({ sql: statement.sql, parameters: [storeId, ...statement.parameters] });
  };
  const bound: Bound<Hooks> = {
    ...reading(fill),
    ...hooks,
    storeId,
    forStore: (id) => {
      if (id !== storeId) throw new Error("a runner bound to one store was used for another one");
      return bound;
    },
  };
  return bound;
}

const reading = (all: Run) => ({
  all,
  first: async <Row>(statement: Statement<Row>) => (await all(statement))[0],
});
