import { DuckDBInstance, type DuckDBValue } from "@duckdb/node-api";
import type { CopyQuery } from "../server/columnar-copy/public.ts";
import { createTable, tables } from "../server/columnar-copy/schema.ts";
import type { Statement } from "../server/platform/database/sql.ts";
import { foldText } from "../server/platform/fold-text.ts";
import { parseId } from "../server/platform/ids.ts";
import type { ModelFound, ModelStore, ModelTake } from "./search-model.ts";

/** The tables of a store's columnar copy in memory, filled from the search model's data. */
export interface SearchCopy {
  query: CopyQuery;
  fill(store: ModelStore): Promise<void>;
  close(): void;
}

type Cell = string | number | boolean | null;

export async function openSearchCopy(): Promise<SearchCopy> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", autoinstall_known_extensions: "false" });
  const connection = await instance.connect();
  for (const table of tables) await connection.run(createTable(table, "main"));
  const query = async <Row>({ sql, parameters }: Statement<Row>): Promise<Row[]> => {
    const reader = await connection.runAndReadAll(sql, [...parameters] as DuckDBValue[]);
    const plain = ([name, value]: [string, unknown]) => [name, typeof value === "bigint" ? Number(value) : value];
    return reader.getRowObjectsJS().map((row) => Object.fromEntries(Object.entries(row).map(plain)) as Row);
  };
  // a search does not use the last columns, so they stay empty
  const insert = async (table: string, rows: readonly Cell[][]) => {
    await connection.run(`DELETE FROM ${table}`);
    // as literals: an appender requires other types for UUIDs and days than these cells have
    const values = rows.map((row) => `(${row.map(literal).join(", ")})`);
    const first = tables.find(({ name }) => name === table)?.columns.slice(0, rows[0]?.length) ?? [];
    const names = first.map(([name]) => `"${name}"`).join(", ");
    if (values.length > 0) await connection.run(`INSERT INTO ${table} (${names}) VALUES ${values.join(", ")}`);
  };
  return {
    query,
    fill: async (store) => {
      await connection.run("BEGIN");
      for (const [table, rows] of rowsOf(store)) await insert(table, rows);
      await connection.run("COMMIT");
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

function literal(value: Cell): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** Assigns a dictionary's numbers, in order of first use. */
class Dictionary {
  readonly rows: Cell[][] = [];
  readonly #numbers = new Map<string, number>();

  number(...key: Cell[]): number {
    const name = JSON.stringify(key);
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.rows.length + 1;
    this.rows.push([number, ...key]);
    this.#numbers.set(name, number);
    return number;
  }
}

type Rows = [table: string, rows: Cell[][]][];

function rowsOf(store: ModelStore): Rows {
  const labels = store.labels.map((one): Cell[] => [
    parseId("quiz", one.quiz_id),
    one.component_key,
    one.option_id,
    one.label,
    foldText(one.label),
  ]);
  return [["people", store.people.map(personRow)], ["labels", labels], ...takeRows(store)];
}

const personRow = (person: ModelFound, index: number): Cell[] => [
  index + 1,
  parseId("prof", person.id),
  person.last_seen,
  person.first_seen,
  0,
  0,
  person.visits,
  person.orders,
  person.contacts.some(({ kind }) => kind === "email"),
  person.contacts.some(({ kind }) => kind === "phone"),
  person.contacts.some(({ consent }) => consent === true),
];

function takeRows(store: ModelStore): Rows {
  const [quizzes, pages, questions, options, dimensions, outcomes] = Array.from(
    { length: 6 },
    () => new Dictionary(),
  ) as [Dictionary, Dictionary, Dictionary, Dictionary, Dictionary, Dictionary];
  const people = new Map(store.people.map(({ id }, index) => [id, index + 1]));
  const sessions: Cell[][] = [];
  const answers: Cell[][] = [];
  const points: Cell[][] = [];
  const formulas: Cell[][] = [];
  for (const [index, take] of store.takes.entries()) {
    const session = index + 1;
    const person = take.person === null ? null : (people.get(take.person) ?? null);
    const quiz = quizzes.number(parseId("quiz", take.quiz_id));
    const question = (page: string, component: string, kind: string) => questions.number(quiz, page, component, kind);
    const { id, started, completed, status } = take;
    const done = status === "completed";
    const winner = done && take.winner !== null ? dimensions.number(quiz, take.winner) : null;
    const last = pages.number(quiz, take.last_page_key);
    const latest = person !== null && isLatest(take, store.takes);
    sessions.push([
      session,
      id,
      person,
      quiz,
      1,
      session,
      started,
      started,
      completed,
      completed,
      status,
      last,
      winner,
      done && take.outcome !== null ? outcomes.number(quiz, take.outcome) : null,
      latest,
    ]);
    for (const { page_key, component_key, kind, option_ids, value = null } of take.answers) {
      const asked = question(page_key, component_key, kind);
      const of = (wanted: string) => (kind === wanted ? value : null);
      const text = kind === "text" ? foldText(String(value)) : null;
      for (const option of option_ids?.map((one) => options.number(asked, one)) ?? [null]) {
        answers.push([session, person, quiz, started, asked, option, of("number"), of("date"), text]);
      }
    }
    for (const { dimension_id, total } of take.points) {
      points.push([session, person, dimensions.number(quiz, dimension_id), total]);
    }
    for (const { page_key, component_key, value } of take.formulas) {
      const asked = question(page_key, component_key, "formula");
      if (value !== null) formulas.push([session, person, asked, value]);
    }
  }
  const facts: Rows = [
    ["sessions", sessions],
    ["answers", answers],
    ["points", points],
    ["formulas", formulas],
  ];
  const names = { quizzes, pages, questions, options, dimensions, outcomes };
  return [...facts, ...Object.entries(names).map(([name, { rows }]): Rows[number] => [name, rows])];
}

function isLatest(take: ModelTake, takes: readonly ModelTake[]): boolean {
  const own = takes.filter(
    (one) => one.person === take.person && one.quiz_id === take.quiz_id && one.completed !== null,
  );
  own.sort((a, b) => (b.completed ?? 0) - (a.completed ?? 0) || (a.id < b.id ? 1 : -1));
  return own[0] === take;
}
