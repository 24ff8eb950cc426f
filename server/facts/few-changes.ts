import { setImmediate as nextTurn } from "node:timers/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type pg from "pg";
import { appendRows, type Cell } from "./append.ts";
import { tables } from "./schema.ts";
import {
  addSessionRows,
  type Facts,
  type Places,
  type ReadSession,
  type SessionRow,
  type SessionTable,
} from "./session-rows.ts";
import { both } from "./slot.ts";
import {
  type ChangedKind,
  type CopiedRows,
  changesSince,
  type Extent,
  linesOf,
  ordersOf,
  peopleOf,
  sessionsOf,
} from "./source.ts";
import { bySession, literal, markLatest, placeOf, read, runAll } from "./take-over.ts";
import { takeVersions } from "./versions.ts";

/**
 * Takes over a few changes: rows come as the driver reads them and go into the tables as they are, without the statements
 * of take-over.ts, whose planning alone costs DuckDB some sixty ms. A shopper's next answer is such a change.
 */

/** What changed, and what there is of it now. */
export interface FewChanges {
  changed: readonly { kind: ChangedKind; id: string; number: number | null }[];
  people: Cell[][];
  sessions: ReadSession[];
  orders: Record<string, Cell>[];
  lines: Record<string, Cell>[];
}

/** Within the client's snapshot. Null: more than `atMost` changed. */
export async function fetchFew(
  client: pg.PoolClient,
  extent: Extent & { since: number },
  atMost: number,
): Promise<FewChanges | null> {
  const query = `SELECT * FROM (${changesSince(extent.storeId, extent.since).query}) AS c LIMIT ${atMost + 1}`;
  const changes = (await arraysOf(client, query)) as [ChangedKind, string, number | null][];
  if (changes.length > atMost) return null;
  const idsOf = (kind: ChangedKind) => changes.flatMap(([of, id]) => (of === kind ? [id] : []));
  const ids = { session: idsOf("session"), profile: idsOf("profile"), order: idsOf("order") };
  const some = { ...extent, ids };
  const arrays = async (rows: CopiedRows, wanted: number) => (wanted === 0 ? [] : await arraysOf(client, rows.query));
  const objects = async (rows: CopiedRows, wanted: number) => {
    const names = Object.keys(rows.columns);
    return (await arrays(rows, wanted)).map((row) =>
      Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])),
    );
  };
  const sold = ids.order.length + ids.session.length;
  const people = await arrays(peopleOf(some), ids.profile.length);
  const rows = (await objects(sessionsOf(some), ids.session.length)) as SessionRow[];
  const orders = await objects(ordersOf(some), sold);
  const lines = orders.length === 0 ? [] : await objects(linesOf(some), sold);
  const changed = changes.map(([kind, id, number]) => ({ kind, id, number }));
  const sessions: ReadSession[] = [];
  for await (const row of byTurns(rows)) sessions.push({ row, facts: JSON.parse(String(row["facts"])) as Facts });
  return { changed, people, sessions, orders, lines };
}

/** Some ms of work at a time; others have their turn in between. */
async function* byTurns<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (let from = 0; from < items.length; from += 250) {
    if (from > 0) await nextTurn();
    yield* items.slice(from, from + 250);
  }
}

async function arraysOf(client: pg.PoolClient, text: string): Promise<Cell[][]> {
  return (await client.query<Cell[]>({ text, rowMode: "array" })).rows;
}

/** Puts what changed in place of what the copy has of it, within the caller's transaction. */
export async function takeFew(
  duck: DuckDBConnection,
  { client, storeId }: { client: pg.PoolClient; storeId: string },
  few: FewChanges,
): Promise<void> {
  const { known, profiles, statements } = await takeOut(duck, few);
  const versions = await versionsOf(duck, { client, storeId }, few.sessions);
  const products = await numberProducts(duck, few);
  const places = await placesOf(duck, few.sessions, { versions, products });
  // DuckDB works on a thread of its own, the rows are made on this one
  const [, rows] = await both(runAll(duck, statements), rowsOf(few.sessions, places));
  await appendRows(duck, tableOf("people"), few.people);
  for (const [name, cells] of Object.entries(rows)) await appendRows(duck, tableOf(name), cells);
  await takeSold(duck, few, products);
  const present = new Set(few.people.map(([number]) => number));
  const gone = profiles.filter((number) => !present.has(number));
  await loosen(duck, gone);
  const joined = few.sessions.map(({ row }) => row);
  const touched = new Set([...known, ...joined].flatMap(({ person }) => person ?? []));
  if (touched.size > 0) await duck.run(markLatest(`WHERE ${await isOneOf(duck, "person", [...touched])}`));
}

/** What the copy has of what changed, and the statements that take it out. */
async function takeOut(duck: DuckDBConnection, few: FewChanges) {
  const sessions = await numbersOf(duck, few, "session", "SELECT session AS number FROM sessions");
  const profiles = await numbersOf(duck, few, "profile", "SELECT person AS number FROM people");
  const ofSessions = await isOneOf(duck, "session", sessions);
  const known =
    sessions.length === 0
      ? []
      : await read<{ person: number | null }>(duck, `SELECT DISTINCT person FROM sessions WHERE ${ofSessions}`);
  const orders = few.changed.filter(({ kind }) => kind === "order").map(({ id }) => literal(id));
  const isOrder = (column: string) => (orders.length === 0 ? "false" : `${column} IN (${orders.join(", ")})`);
  const statements: string[] = [];
  if (known.length > 0) statements.push(...bySession.map((table) => `DELETE FROM ${table} WHERE ${ofSessions}`));
  if (known.length + orders.length > 0) {
    statements.push(`DELETE FROM orders WHERE (${ofSessions}) OR ${isOrder("id")}`);
    statements.push(`DELETE FROM lines WHERE (${ofSessions}) OR ${isOrder("order_id")}`);
  }
  if (profiles.length > 0) statements.push(`DELETE FROM people WHERE ${await isOneOf(duck, "person", profiles)}`);
  return { known, profiles, statements };
}

function tableOf(name: string) {
  const table = tables.find((one) => one.name === name);
  if (!table) throw new Error(`no table ${name}`);
  return table;
}

/** What PostgreSQL has no more is known by its id only. */
async function numbersOf(
  duck: DuckDBConnection,
  { changed }: FewChanges,
  kind: ChangedKind,
  select: string,
): Promise<number[]> {
  const ofKind = changed.filter((change) => change.kind === kind);
  const gone = ofKind.filter(({ number }) => number === null).map(({ id }) => literal(id));
  const found =
    gone.length === 0 ? [] : await read<{ number: number }>(duck, `${select} WHERE id IN (${gone.join(", ")})`);
  return [...ofKind.flatMap(({ number }) => number ?? []), ...found.map(({ number }) => number)];
}

/** a longer list is planned faster as a table */
const listedAtMost = 64;

/** A condition on a column of numbers. With their bounds DuckDB leaves out all blocks of older ones: most changes are new. */
async function isOneOf(duck: DuckDBConnection, column: string, numbers: readonly number[]): Promise<string> {
  if (numbers.length === 0) return "false";
  const [first, last] = numbers.reduce(
    ([low, high], number) => [Math.min(low, number), Math.max(high, number)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  const within = `${column} BETWEEN ${first} AND ${last} AND ${column} IN`;
  if (numbers.length <= listedAtMost) return `${within} (${numbers.join(", ")})`;
  const table = { name: `changed_${column}`, columns: [["number", "BIGINT"]] as const };
  await duck.run(`CREATE OR REPLACE TEMP TABLE ${table.name} (number BIGINT)`);
  await appendRows(
    duck,
    table,
    numbers.map((number) => [number]),
    { schema: "main", catalog: "temp" },
  );
  return `${within} (SELECT number FROM temp.${table.name})`;
}

const versionKey = ({ quiz_id, version }: { quiz_id: string; version: number }) => `${quiz_id} ${version}`;

interface KnownVersion {
  quiz_id: string;
  version: number;
  quiz: number;
  version_no: number;
}

/** The versions that the copy knows, those of the sessions among them. */
async function versionsOf(
  duck: DuckDBConnection,
  { client, storeId }: { client: pg.PoolClient; storeId: string },
  sessions: readonly ReadSession[],
): Promise<Map<string, KnownVersion>> {
  if (sessions.length === 0) return new Map();
  const sql = "SELECT CAST(quiz_id AS VARCHAR) AS quiz_id, version, quiz, version_no FROM versions";
  const readKnown = async () =>
    new Map((await read<KnownVersion>(duck, sql)).map((known) => [versionKey(known), known]));
  const known = await readKnown();
  const unknown = new Map(sessions.flatMap(({ row }) => (known.has(versionKey(row)) ? [] : [[versionKey(row), row]])));
  if (unknown.size === 0) return known;
  const missing = Array.from(unknown.values(), ({ quiz_id: quizId, version: number }) => ({ quizId, number }));
  await takeVersions(duck, client, storeId, missing);
  return readKnown();
}

/** The numbers of all products that the changes name; those that the copy lacks are numbered. */
async function numberProducts(duck: DuckDBConnection, { sessions, lines }: FewChanges): Promise<Map<string, number>> {
  const shown = sessions.flatMap(({ facts }) => facts.g ?? []);
  const ids = new Set([
    ...shown,
    ...lines.flatMap(({ product_id }) => (product_id === null ? [] : String(product_id))),
  ]);
  if (ids.size === 0) return new Map();
  const list = Array.from(ids, literal).join(", ");
  const known = await read<{ product_id: string; product: number }>(
    duck,
    `SELECT product_id, product FROM products WHERE product_id IN (${list})`,
  );
  const numbers = new Map(known.map(({ product_id, product }) => [product_id, product]));
  const missing = [...ids].filter((id) => !numbers.has(id));
  if (missing.length === 0) return numbers;
  const [{ last = 0 } = {}] = await read<{ last: number }>(
    duck,
    "SELECT coalesce(max(product), 0) AS last FROM products",
  );
  for (const [index, id] of missing.entries()) numbers.set(id, last + 1 + index);
  await appendRows(
    duck,
    tableOf("products"),
    missing.map((id) => [numbers.get(id) ?? null, id]),
  );
  return numbers;
}

interface Numbers {
  versions: ReadonlyMap<string, KnownVersion>;
  products: ReadonlyMap<string, number>;
}

async function rowsOf(sessions: readonly ReadSession[], places: Places): Promise<Record<SessionTable, Cell[][]>> {
  const rows: Record<SessionTable, Cell[][]> = {
    ...{ sessions: [], visits: [], moves: [], hidden: [], answers: [], points: [], formulas: [], shown: [] },
  };
  for await (const session of byTurns(sessions)) addSessionRows(rows, session, places);
  return rows;
}

async function placesOf(
  duck: DuckDBConnection,
  sessions: readonly ReadSession[],
  { versions, products }: Numbers,
): Promise<Places> {
  const version = (row: SessionRow) => {
    const found = versions.get(versionKey(row));
    if (!found) throw new Error("a copy lacks the version of a session");
    return { quiz: found.quiz, versionNo: found.version_no };
  };
  const bounds = Array.from(
    new Set(sessions.map(({ row }) => version(row).versionNo)),
    (no) => `place >= ${placeOf(String(no), "0", "0")} AND place < ${placeOf(String(no + 1), "0", "0")}`,
  );
  const found =
    bounds.length === 0
      ? []
      : await read<{ kind: string; place: number; number: number }>(
          duck,
          `SELECT kind, place, number FROM places WHERE (${bounds.join(") OR (")})`,
        );
  const numbers = new Map<string, Map<number, number>>();
  for (const { kind, place, number } of found) {
    const ofKind = numbers.get(kind) ?? new Map<number, number>();
    numbers.set(kind, ofKind.set(place, number));
  }
  return {
    version,
    place: (versionNo, kind, index, sub = 0) =>
      index == null ? null : (numbers.get(kind)?.get(versionNo * 2 ** 28 + index * 256 + (sub ?? 0)) ?? null),
    product: (id) => {
      const number = products.get(id);
      if (number === undefined) throw new Error("a product has no number");
      return number;
    },
  };
}

async function takeSold(
  duck: DuckDBConnection,
  { orders, lines }: FewChanges,
  products: ReadonlyMap<string, number>,
): Promise<void> {
  if (orders.length === 0) return;
  const quizzes = await read<{ id: string; quiz: number }>(duck, "SELECT CAST(id AS VARCHAR) AS id, quiz FROM quizzes");
  const numbers = new Map(quizzes.map(({ id, quiz }) => [id, quiz]));
  const cellsOf = (name: string, row: Record<string, Cell>) => {
    const quiz = numbers.get(String(row["quiz_id"])) ?? null;
    const product = row["product_id"] == null ? null : (products.get(String(row["product_id"])) ?? null);
    const given: Record<string, Cell> = { ...row, order_id: row["id"] ?? null, quiz, product };
    return tableOf(name).columns.map(([column]) => given[column] ?? null);
  };
  await appendRows(
    duck,
    tableOf("orders"),
    orders.map((row) => cellsOf("orders", row)),
  );
  await appendRows(
    duck,
    tableOf("lines"),
    lines.map((row) => cellsOf("lines", row)),
  );
}

/** Nothing refers to people who are gone. */
async function loosen(duck: DuckDBConnection, gone: readonly number[]): Promise<void> {
  if (gone.length === 0) return;
  const isGone = await isOneOf(duck, "person", gone);
  await runAll(duck, [
    `UPDATE sessions SET person = NULL, latest_completed = false WHERE ${isGone}`,
    ...["answers", "points", "formulas"].map((table) => `UPDATE ${table} SET person = NULL WHERE ${isGone}`),
  ]);
}
