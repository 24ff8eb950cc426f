import { assertTimeOf } from "../own-time.ts";

/**
 * Statements, written as tagged templates: each value becomes a parameter, so that nobody counts them and nothing from
 * outside becomes part of a text [database.given-time]. A statement about a store names it by `ownStore`, which whoever
 * is bound to a store fills in: no statement can reach another one.
 */

/** A statement whose rows have a known type. */
export interface Statement<Row = unknown> {
  readonly sql: string;
  /** without the store's, which is `$1` where the statement names its store */
  readonly parameters: readonly unknown[];
  readonly namesStore?: boolean;
  /** never set; carries the type of the rows */
  readonly row?: Row;
}

/** Stands in a statement for the id of the store that its runner is bound to [database.one-store]. */
export const ownStore = Symbol("the runner's store");

/** A part of a statement, which may have values of its own. */
class Part<Row> implements Statement<Row> {
  readonly namesStore: boolean;
  /** the texts between values, and the values: what a statement around it is put together from */
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
 * A statement or a part of one: sql`SELECT ... WHERE store_id = ${ownStore} AND id = ${id}`. A part in place of a value is
 * put in as it is. The type of the rows is for the caller to say; it is not checked.
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

/** What a template was put together to the last time, with the same parts: most have the same ones each time. */
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

/** Text that the program itself wrote, such as a list of columns. Never anything from outside. */
export const raw = (text: string | number): Statement<never> => new Part<never>([String(text)], []);

/**
 * An array as PostgreSQL reads it, of ids and words that the program itself chose, which need no marks: the driver looks
 * at each for what would have to be marked.
 */
export const plainArray = (words: readonly string[]): string => `{${words.join()}}`;

/** Parts one after the other; nothing where there are none. */
export const joined = (parts: readonly Statement<unknown>[], between = ", "): Statement<never> => {
  const texts = [""];
  const values: unknown[] = [];
  parts.forEach((part, index) => {
    if (!(part instanceof Part)) throw new Error("only what sql`...` made can be part of a statement");
    const [first = "", ...others] = part.texts;
    texts[texts.length - 1] += (index === 0 ? "" : between) + first;
    texts.push(...others);
    values.push(...part.values);
  });
  return new Part<never>(texts, values);
};

interface Numbered {
  /** which values were the runner's store: a place may hold it one time and another value the next */
  ofStore: readonly boolean[];
  text: string;
}

/** The texts of templates, with numbers in place of values, as they were the last time. */
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
  /** The same, bound to a store; throws where it is bound to another one. */
  forStore(storeId: string): StoreRunner;
}

export interface StoreRunner extends Runner {
  readonly storeId: string;
}

/** Work that a transaction may leave to whoever does work that is due. */
export type DueWork = "outbox" | "deliveries" | "exports";

interface TransactionHooks {
  /** There is work of this kind once this is committed: whoever hears announcements is told then. */
  announce(work: DueWork): void;
  /** Runs after the commit, never after a rollback; for wake-ups and caches. A failure in it is logged. */
  afterCommit(action: () => void): void;
  /**
   * Given statements that are sent already and whose answers nobody waits for: COMMIT goes out behind them at once, and
   * rolls back where one of them fails. One that is sent after that is refused.
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

/** Runs statements by `run`: those of no store, and through `forStore` those that name one. */
export function runnerOf(run: Run): Runner {
  const unbound: Run = (statement) => {
    if (statement.namesStore) throw new Error("a statement names its store, its runner none");
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
      if (id !== storeId) throw new Error("a runner that is bound to a store is asked for another one");
      return bound;
    },
  };
  return bound;
}

const reading = (all: Run) => ({
  all,
  first: async <Row>(statement: Statement<Row>) => (await all(statement))[0],
});
