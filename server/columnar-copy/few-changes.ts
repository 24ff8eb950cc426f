import type { DuckDBConnection } from "@duckdb/node-api";
import type pg from "pg";
import { appendRows, type Cell, rowCheck } from "./append.ts";
import { Dictionary } from "./dictionary.ts";
import { byTurns, type Change, type ChangedRows, fetchRows } from "./few-rows.ts";
import type { LeftOut } from "./left-out.ts";
import { columnsSql, originColumns, tableOf } from "./schema.ts";
import { segmentColumns, unknownCountry } from "./schema-dictionaries.ts";
import { addSessionRows, type Places, type ReadSession, type SessionRow, type SessionTable } from "./session-rows.ts";
import { both } from "./slot.ts";
import type { ChangedKind, Extent } from "./source.ts";
import { bySession, literal, placeNumber, read, runAll, wronglyMarked } from "./take-over.ts";
import { takeVersions } from "./versions.ts";

/**
 * Takes over a few changes, or a store that has no more than that: rows come as the driver reads them and go into the
 * tables as they are, without the statements of take-over.ts, whose planning alone costs DuckDB some sixty ms. A shopper's
 * next answer is such a change.
 */

/**
 * Puts what changed in place of what the copy has of it, or all into an empty one, within the caller's transaction. Answers
 * what there is and the copy cannot hold.
 */
export async function takeFew(
  duck: DuckDBConnection,
  { client, extent }: { client: pg.PoolClient; extent: Extent },
  changes: readonly Change[],
): Promise<LeftOut[]> {
  const old = extent.since === null ? { known: [], profiles: [] } : takeOut(duck, changes);
  const [{ known, profiles }, few] = await both(Promise.resolve(old), fetchRows(client, extent, changes));
  const versions = await versionsOf(duck, { client, storeId: extent.storeId }, few.sessions);
  const products = await numberProducts(duck, few);
  const origins = await numberOrigins(duck, few.sessions);
  const visitors = await numberVisitors(duck, few.sessions);
  const segments = await numberSegments(duck, few);
  const numbers = { versions, products, origins, visitors, segments };
  const { rows, leftOut } = await rowsOf(few.sessions, await placesOf(duck, few.sessions, numbers));
  const people = peopleToMark(known, rows.sessions);
  await appendRows(duck, tableOf("people"), few.people);
  for (const [name, cells] of Object.entries(rows)) await appendRows(duck, tableOf(name), cells);
  const unsold = await takeSold(duck, few, numbers);
  const present = new Set(few.people.map(([number]) => number));
  const gone = profiles.filter((number) => !present.has(number));
  await loosen(duck, gone);
  await correctLatest(duck, people);
  return [...few.leftOut, ...leftOut, ...unsold];
}

/** A session's cells that decide which take of a person is the newest, and whether it was. */
interface Mark {
  session: number;
  person: number | null;
  quiz: number;
  completed: number | null;
  latest: boolean;
}

const cellAt = (name: string) => tableOf("sessions").columns.findIndex(([column]) => column === name);

/**
 * People whose newest take of a quiz may be another one now. A session that is as it was in this keeps its mark: most
 * changes are answers of a session that is not completed.
 */
function peopleToMark(before: readonly Mark[], after: Cell[][]): number[] {
  const places = { session: cellAt("session"), person: cellAt("person"), quiz: cellAt("quiz") };
  const [completedAt, latestAt] = [cellAt("completed"), cellAt("latest_completed")];
  const left = new Map(before.map((mark) => [mark.session, mark]));
  const people = new Set<number>();
  const note = (person: Cell | undefined, completed: Cell | undefined) => {
    if (typeof person === "number" && completed != null) people.add(person);
  };
  for (const cells of after) {
    const was = left.get(Number(cells[places.session]));
    const [person, completed] = [cells[places.person], cells[completedAt]];
    if (was && was.person === person && was.quiz === cells[places.quiz] && was.completed === completed) {
      cells[latestAt] = was.latest;
      left.delete(was.session);
    } else {
      note(person, completed);
    }
  }
  for (const { person, completed } of left.values()) note(person, completed);
  return [...people];
}

async function correctLatest(duck: DuckDBConnection, people: readonly number[]): Promise<void> {
  if (people.length === 0) return;
  const wrong = await read<{ session: number }>(duck, wronglyMarked(`WHERE ${await isOneOf(duck, "person", people)}`));
  if (wrong.length === 0) return;
  const isWrong = await isOneOf(
    duck,
    "session",
    wrong.map(({ session }) => session),
  );
  await duck.run(`UPDATE sessions SET latest_completed = NOT latest_completed WHERE ${isWrong}`);
}

/** Takes out what the copy has of what changed; answers what there was. */
async function takeOut(
  duck: DuckDBConnection,
  changes: readonly Change[],
): Promise<{ known: Mark[]; profiles: number[] }> {
  const sessions = await numbersOf(duck, changes, "session", "SELECT session AS number FROM sessions");
  const profiles = await numbersOf(duck, changes, "profile", "SELECT person AS number FROM people");
  const ofSessions = await isOneOf(duck, "session", sessions);
  const known =
    sessions.length === 0
      ? []
      : await read<Mark>(
          duck,
          `SELECT session, person, quiz, completed, latest_completed AS latest FROM sessions WHERE ${ofSessions}`,
        );
  const orders = changes.filter(({ kind }) => kind === "order").map(({ id }) => literal(id));
  const isOrder = (column: string) => (orders.length === 0 ? "false" : `${column} IN (${orders.join(", ")})`);
  const statements: string[] = [];
  if (known.length > 0) statements.push(...bySession.map((table) => `DELETE FROM ${table} WHERE ${ofSessions}`));
  if (known.length + orders.length > 0) {
    statements.push(`DELETE FROM orders WHERE (${ofSessions}) OR ${isOrder("id")}`);
    statements.push(`DELETE FROM lines WHERE (${ofSessions}) OR ${isOrder("order_id")}`);
  }
  if (profiles.length > 0) statements.push(`DELETE FROM people WHERE ${await isOneOf(duck, "person", profiles)}`);
  await runAll(duck, statements);
  return { known, profiles };
}

/** What PostgreSQL has no more is known by its id only. */
async function numbersOf(
  duck: DuckDBConnection,
  changes: readonly Change[],
  kind: ChangedKind,
  select: string,
): Promise<number[]> {
  const ofKind = changes.filter((change) => change.kind === kind);
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

async function numberProducts(duck: DuckDBConnection, { sessions, lines }: ChangedRows): Promise<Dictionary> {
  const shown = sessions.flatMap(({ facts }) => facts.g ?? []);
  const sold = lines.flatMap(({ product_id }) => (product_id === null ? [] : String(product_id)));
  return numbered(duck, "products", "product_id", new Set([...shown, ...sold]));
}

function numberOrigins(duck: DuckDBConnection, sessions: readonly ReadSession[]): Promise<Dictionary> {
  const said = sessions.flatMap(({ row }) => originColumns.flatMap((column) => row[column] || []));
  return numbered(duck, "origins", "value", new Set(said.map(String)));
}

function numberVisitors(duck: DuckDBConnection, sessions: readonly ReadSession[]): Promise<Dictionary> {
  return numbered(duck, "visitors", "id", new Set(sessions.map(({ row }) => String(row["visitor"]))));
}

/** A session's columns as `segments` has them. */
const segmentOf = (row: Readonly<Record<string, Cell>>): Cell[] =>
  segmentColumns.map((column) => (column === "country" ? (row[column] ?? unknownCountry) : (row[column] ?? null)));

/** Of sessions, and of orders' sessions: those of an order that has one were taken over with it, or before. */
async function numberSegments(duck: DuckDBConnection, { sessions, orders }: ChangedRows): Promise<Dictionary> {
  const own = sessions.map(({ row }) => segmentOf(row));
  const sold = orders.flatMap((row) => (row["session"] == null ? [] : [segmentOf(row)]));
  const wanted = new Map([...own, ...sold].map((cells) => [JSON.stringify(cells), cells]));
  const dictionary = await Dictionary.open(duck, "segments", await isWanted(duck, "segments", [...wanted.values()]));
  for (const cells of own) dictionary.numberOf(...cells);
  await dictionary.save(duck);
  return dictionary;
}

/** The numbers of all texts that the changes name; those that the copy lacks are numbered. */
async function numbered(
  duck: DuckDBConnection,
  table: string,
  column: string,
  texts: ReadonlySet<string>,
): Promise<Dictionary> {
  const few = texts.size <= textsListedAtMost;
  const rows = few ? [] : Array.from(texts, (text) => [text]);
  const listed = () => `${column} IN (${Array.from(texts, literal).join(", ")})`;
  const where = texts.size === 0 ? null : few ? listed() : await isWanted(duck, table, rows);
  const dictionary = await Dictionary.open(duck, table, where);
  for (const text of texts) dictionary.numberOf(text);
  await dictionary.save(duck);
  return dictionary;
}

/** as many as the sessions of a few changes; a statement of a hundred thousand texts takes seconds to be read */
const textsListedAtMost = 2_500;

/** a longer list of keys is read faster as a table */
const keysListedAtMost = 16;
const sqlOf = (cell: Cell): string => (typeof cell === "string" ? literal(cell) : String(cell));

/** Whether a row of a dictionary has one of these keys. Null without any. */
async function isWanted(duck: DuckDBConnection, name: string, keys: readonly Cell[][]): Promise<string | null> {
  if (keys.length === 0) return null;
  if (keys.length <= keysListedAtMost) {
    const columns = tableOf(name).columns.slice(1);
    const isKey = (key: readonly Cell[]) =>
      columns.map(([column], index) => `"${column}" = ${sqlOf(key[index] ?? null)}`).join(" AND ");
    return `(${keys.map(isKey).join(") OR (")})`;
  }
  const table = { name: `wanted_${name}`, columns: tableOf(name).columns.slice(1) };
  await duck.run(`CREATE OR REPLACE TEMP TABLE ${table.name} (${columnsSql(table)})`);
  await appendRows(duck, table, keys, { schema: "main", catalog: "temp" });
  const equal = table.columns.map(([column]) => `w."${column}" = ${name}."${column}"`);
  return `EXISTS (SELECT 1 FROM temp.${table.name} AS w WHERE ${equal.join(" AND ")})`;
}

interface Numbers {
  versions: ReadonlyMap<string, KnownVersion>;
  products: Dictionary;
  origins: Dictionary;
  visitors: Dictionary;
  segments: Dictionary;
}

type SessionRows = Record<SessionTable, Cell[][]>;

const noRows = (): SessionRows => ({
  ...{ sessions: [], visits: [], moves: [], hidden: [], answers: [], points: [], formulas: [], shown: [] },
});

async function rowsOf(
  sessions: readonly ReadSession[],
  places: Places,
): Promise<{ rows: SessionRows; leftOut: LeftOut[] }> {
  const rows = noRows();
  const checks = new Map(Object.keys(rows).map((name) => [name, rowCheck(tableOf(name))]));
  const leftOut: LeftOut[] = [];
  for await (const session of byTurns(sessions)) {
    const own = noRows();
    const tables = Object.entries(own) as [SessionTable, Cell[][]][];
    if (
      addSessionRows(own, session, places) &&
      tables.every(([name, cells]) => cells.every((row) => checks.get(name)?.(row)))
    ) {
      for (const [name, cells] of tables) for (const row of cells) rows[name].push(row);
    } else {
      leftOut.push({ kind: "session", id: String(session.row["id"]), reason: "unfit" });
    }
  }
  return { rows, leftOut };
}

async function placesOf(
  duck: DuckDBConnection,
  sessions: readonly ReadSession[],
  { versions, products, origins, visitors, segments }: Numbers,
): Promise<Places> {
  const version = (row: SessionRow) => {
    const found = versions.get(versionKey(row));
    if (!found) throw new Error("a copy lacks the version of a session");
    return { quiz: found.quiz, versionNo: found.version_no };
  };
  const bounds = Array.from(
    new Set(sessions.map(({ row }) => version(row).versionNo)),
    (no) => `place >= ${placeNumber(no, 0, 0)} AND place < ${placeNumber(no + 1, 0, 0)}`,
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
      index == null ? null : (numbers.get(kind)?.get(placeNumber(versionNo, index, sub ?? 0)) ?? null),
    product: (id) => given(products.find(id), "a product"),
    origin: (text) => (text ? origins.find(text) : null),
    visitor: (id) => given(visitors.find(id), "a visitor"),
    segment: (row) => given(segments.find(...segmentOf(row)), "a segment"),
  };
}

function given(number: number | null, what: string): number {
  if (number === null) throw new Error(`${what} has no number`);
  return number;
}

async function takeSold(
  duck: DuckDBConnection,
  { orders, lines }: ChangedRows,
  { products, segments }: Numbers,
): Promise<LeftOut[]> {
  if (orders.length === 0) return [];
  const quizzes = await read<{ id: string; quiz: number }>(duck, "SELECT CAST(id AS VARCHAR) AS id, quiz FROM quizzes");
  const numbers = new Map(quizzes.map(({ id, quiz }) => [id, quiz]));
  const cellsOf = (name: string, row: Record<string, Cell>) => {
    const quiz = numbers.get(String(row["quiz_id"])) ?? null;
    const product = row["product_id"] == null ? null : products.find(String(row["product_id"]));
    // a session that was left out may have been the only one of its segment
    const segment = row["session"] === null ? null : segments.find(...segmentOf(row));
    const cells: Record<string, Cell> = { ...row, order_id: row["id"] ?? null, quiz, segment, product };
    return tableOf(name).columns.map(([column]) => cells[column] ?? null);
  };
  const sold = [
    ["orders", orders.map((row) => ({ id: String(row["id"]), cells: cellsOf("orders", row) }))],
    ["lines", lines.map((row) => ({ id: String(row["id"]), cells: cellsOf("lines", row) }))],
  ] as const;
  const unfit = new Set(
    sold.flatMap(([name, rows]) => {
      const canHold = rowCheck(tableOf(name));
      return rows.flatMap(({ id, cells }) => (canHold(cells) ? [] : [id]));
    }),
  );
  for (const [name, rows] of sold) {
    const fitting = rows.filter(({ id }) => !unfit.has(id));
    await appendRows(
      duck,
      tableOf(name),
      fitting.map(({ cells }) => cells),
    );
  }
  return Array.from(unfit, (id) => ({ kind: "order", id, reason: "unfit" }));
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
