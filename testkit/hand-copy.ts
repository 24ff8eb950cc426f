import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import { unknownValue } from "../contract/analytics-filters.ts";
import { planAllowances } from "../contract/limits.ts";
import { Ranges } from "../server/analytics/range.ts";
import { noFilters } from "../server/analytics/read-selection.ts";
import type { Filters, Selection } from "../server/analytics/selection.ts";
import type { CopyQuery } from "../server/columnar-copy/public.ts";
import { createTable, originColumns, tables } from "../server/columnar-copy/schema.ts";
import { maybeUnknown, segmentColumns } from "../server/columnar-copy/schema-dictionaries.ts";
import type { StoreRunner } from "../server/platform/database/sql.ts";
import { openTestApp, type TestApp, type TestStore } from "./app.ts";
import { makeQuiz } from "./quizzes.ts";
import { sampleQuiz } from "./sample-quiz.ts";

/**
 * A columnar copy whose rows a test writes itself, with the database that knows the names, for questions that use both.
 */

type Row = Record<string, unknown>;

/** Default values of rows. */
const usual: Record<string, Row> = {
  sessions: {
    quiz: 1,
    version: 1,
    visitor: "00000000-0000-7000-8000-000000000001",
    status: "left",
    latest_completed: false,
    channel: "onsite",
    device: "mobile",
    is_returning: false,
  },
  visits: { quiz: 1, entries: 1, entries_by_jump: 0, first_by_jump: false, skipped: false, went_back: false },
  moves: { quiz: 1, cause: "next", moves: 1 },
  hidden: { quiz: 1, times: 1 },
  shown: { quiz: 1, block: 1, first: true },
  orders: { quiz: 1, tier: "cart", in_currency: true, after_start_ms: 1000 },
  lines: { quiz: 1, tier: "cart", in_currency: true, after_start_ms: 1000, units: 1, bucket: "added_from_quiz" },
  answers: { quiz: 1 },
};

/** The time of a text such as `2026-03-01T10:00` in UTC, in ms. */
export const at = (text: string): number => Date.parse(`${text}Z`);

/** A UUID that contains this number. */
export const uuid = (number: number): string => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`;

export class HandCopy {
  readonly #connection: DuckDBConnection;
  readonly #instance: DuckDBInstance;
  /** by table: a dictionary's keys, each at the index of its number less 1 */
  #known = new Map<string, string[]>();
  /** segments by session */
  #segments = new Map<unknown, number>();

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(): Promise<HandCopy> {
    const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    for (const table of tables) await connection.run(createTable(table, "main"));
    return new HandCopy(instance, connection);
  }

  /** In the form that `CopyReader.read` passes to its callback. */
  readonly query: CopyQuery = async <Answered>({ sql, parameters }: Parameters<CopyQuery>[0]) => {
    const values = parameters.length === 0 ? undefined : ([...parameters] as DuckDBValue[]);
    const reader = await this.#connection.runAndReadAll(sql, values);
    return reader
      .getRowObjectsJS()
      .map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
        ),
      ) as Answered[];
  };

  /**
   * A session's visitor is given as a UUID, and its origin as text; its segment, and that of its later rows, are
   * derived.
   */
  async put(table: string, ...rows: Row[]): Promise<void> {
    const columns = new Map(tables.find(({ name }) => name === table)?.columns);
    for (const given of rows) {
      const row: Row = { ...usual[table], ...given };
      if (table === "sessions") await this.#numberKeys(row);
      else if (columns.has("segment") && table !== "segments")
        row["segment"] = this.#segments.get(row["session"]) ?? null;
      const names = Object.keys(row);
      const casts = names.map((name, index) => `CAST($${index + 1} AS ${columns.get(name) ?? "no such column"})`);
      const values = Object.values(row).map((value) => (value === null ? null : String(value)));
      const into = names.map((name) => `"${name}"`).join(", ");
      await this.#connection.run(`INSERT INTO ${table} (${into}) VALUES (${casts.join(", ")})`, values);
    }
  }

  async #numberKeys(row: Row): Promise<void> {
    for (const column of originColumns) {
      if (row[column]) row[column] = await this.#numberOf("origins", "origin", { value: row[column] });
    }
    row["visitor"] = await this.#numberOf("visitors", "visitor", { id: row["visitor"] });
    const facts = Object.fromEntries(
      segmentColumns.map((column) => [
        column,
        row[column] ?? (maybeUnknown.includes(column) ? unknownValue : undefined),
      ]),
    );
    this.#segments.set(row["session"], await this.#numberOf("segments", "segment", facts));
  }

  async #numberOf(table: string, number: string, key: Row): Promise<number> {
    const known = this.#known.get(table) ?? [];
    this.#known.set(table, known);
    const text = JSON.stringify(key);
    if (!known.includes(text)) await this.put(table, { [number]: known.push(text), ...key });
    return known.indexOf(text) + 1;
  }

  async empty(): Promise<void> {
    this.#known.clear();
    this.#segments.clear();
    for (const { name } of tables) await this.#connection.run(`DELETE FROM ${name}`);
  }

  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}

export interface HandStore {
  t: TestApp;
  copy: HandCopy;
  db: StoreRunner;
  store: TestStore;
  /** UUID of the published quiz whose number in the copy is 1 */
  quizId: string;
  /** resets the copy to its initial state */
  begin(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A store with one quiz, whose number in the copy is 1 and whose pages are numbered from 1, and an otherwise empty
 * copy.
 */
export async function openHandStore(
  document: unknown = sampleQuiz(),
  pages: readonly string[] = [],
): Promise<HandStore> {
  const t = await openTestApp();
  const store = await t.store();
  const quiz = await makeQuiz(t, store, { document, publish: true });
  const copy = await HandCopy.open();
  const begin = async () => {
    await copy.empty();
    await copy.put("quizzes", { quiz: 1, id: quiz.uuid });
    await copy.put("pages", ...pages.map((page_key, index) => ({ page: index + 1, quiz: 1, page_key })));
  };
  await begin();
  const close = async () => {
    copy.close();
    await t.close();
  };
  return { t, copy, db: t.database.reader().forStore(store.uuid), store, quizId: quiz.uuid, begin, close };
}

const ranges = new Ranges();

/** By default, days of UTC and no filters. */
export function askedOf<QuizId extends string | null>(
  { store, currency = "USD" }: { store: TestStore; currency?: string },
  quizId: QuizId,
  from: string,
  to: string,
  { timezone = "UTC", ...filters }: Partial<Filters> & { timezone?: string } = {},
): Selection & { quizId: QuizId } {
  return {
    store: {
      id: store.uuid,
      name: "Shop",
      shopDomain: "shop.example.com",
      plan: "plus",
      currency,
      timezone: "UTC",
      allowances: planAllowances.plus,
    },
    quizId,
    range: ranges.of(from, to, timezone),
    filters: { ...noFilters, ...filters },
  };
}
