import type { DuckDBConnection } from "@duckdb/node-api";
import type pg from "pg";
import { appendRows, type Cell } from "./append.ts";
import { Dictionary } from "./dictionary.ts";
import { byTurns, type Change, type ChangedRows, fetchRows } from "./few-rows.ts";
import { originColumns, tableOf } from "./schema.ts";
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

/** Puts what changed in place of what the copy has of it, or all into an empty one, within the caller's transaction. */
export async function takeFew(
  duck: DuckDBConnection,
  { client, extent }: { client: pg.PoolClient; extent: Extent },
  changes: readonly Change[],
): Promise<void> {
  const old = extent.since === null ? { known: [], profiles: [] } : takeOut(duck, changes);
  const [{ known, profiles }, few] = await both(Promise.resolve(old), fetchRows(client, extent, changes));
  const versions = await versionsOf(duck, { client, storeId: extent.storeId }, few.sessions);
  const products = await numberProducts(duck, few);
  const origins = await numberOrigins(duck, few.sessions);
  const visitors = await numberVisitors(duck, few.sessions);
  const segments = await numberSegments(duck, few);
  const numbers = { versions, products, origins, visitors, segments };
  const rows = await rowsOf(few.sessions, await placesOf(duck, few.sessions, numbers));
  const people = peopleToMark(known, rows.sessions);
  await appendRows(duck, tableOf("people"), few.people);
  for (const [name, cells] of Object.entries(rows)) await appendRows(duck, tableOf(name), cells);
  await takeSold(duck, few, numbers);
  const present = new Set(few.people.map(([number]) => number));
  const gone = profiles.filter((number) => !present.has(number));
  await loosen(duck, gone);
  await correctLatest(duck, people);
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
  const dictionary = await Dictionary.open(duck, "segments", sessions.length + orders.length === 0 ? null : "true");
  for (const { row } of sessions) dictionary.numberOf(...segmentOf(row));
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
  const list = Array.from(texts, literal).join(", ");
  const dictionary = await Dictionary.open(duck, table, texts.size === 0 ? null : `${column} IN (${list})`);
  for (const text of texts) dictionary.numberOf(text);
  await dictionary.save(duck);
  return dictionary;
}

interface Numbers {
  versions: ReadonlyMap<string, KnownVersion>;
  products: Dictionary;
  origins: Dictionary;
  visitors: Dictionary;
  segments: Dictionary;
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
): Promise<void> {
  if (orders.length === 0) return;
  const quizzes = await read<{ id: string; quiz: number }>(duck, "SELECT CAST(id AS VARCHAR) AS id, quiz FROM quizzes");
  const numbers = new Map(quizzes.map(({ id, quiz }) => [id, quiz]));
  const cellsOf = (name: string, row: Record<string, Cell>) => {
    const quiz = numbers.get(String(row["quiz_id"])) ?? null;
    const product = row["product_id"] == null ? null : products.find(String(row["product_id"]));
    const segment = row["session"] === null ? null : given(segments.find(...segmentOf(row)), "a segment");
    const cells: Record<string, Cell> = { ...row, order_id: row["id"] ?? null, quiz, segment, product };
    return tableOf(name).columns.map(([column]) => cells[column] ?? null);
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
