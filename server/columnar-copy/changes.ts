import { setImmediate as nextTurn } from "node:timers/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import type pg from "pg";
import { appendRows } from "./append.ts";
import { literal, read, runAll } from "./duck.ts";
import { sessionTables } from "./schema.ts";
import { type ChangedKind, changesSince, type Extent, everything, sessionBytesAtMost } from "./source.ts";

/** What changed, as PostgreSQL tells it, and what of it a copy has, which goes before it is inserted anew. */

export interface Change {
  kind: ChangedKind;
  /** UUID */
  id: string;
  /** null for orders, and for what is gone */
  number: number | null;
  /** how much room what a session did takes, written out */
  bytes: number;
}

/** What is not read because it is too large takes no room. */
const roomOf = ({ bytes }: Change): number => (bytes > sessionBytesAtMost ? 0 : bytes);

export const roomOfAll = (changes: readonly Change[]): number =>
  changes.reduce((sum, change) => sum + roomOf(change), 0);

/** What changed, everything for a copy that is still empty; at most `limit` of it. */
export async function readChanges(
  client: pg.PoolClient,
  { storeId, since }: Extent,
  limit: number | "ALL",
): Promise<Change[]> {
  const all = since === null ? everything(storeId) : changesSince(storeId, since);
  const text = `SELECT kind, id, number, bytes FROM (${all}) AS c (kind, id, number, bytes) LIMIT ${limit}`;
  return (await client.query<Change>(text)).rows;
}

/** Parts of at most so many changes and so much room; a change that takes more is a part of its own. */
export function inParts(changes: readonly Change[], atOnce: number, bytesAtMost: number): Change[][] {
  const parts: Change[][] = [];
  let [part, room]: [Change[], number] = [[], 0];
  for (const change of changes) {
    if (part.length === atOnce || (part.length > 0 && room + roomOf(change) > bytesAtMost)) {
      parts.push(part);
      [part, room] = [[], 0];
    }
    part.push(change);
    room += roomOf(change);
  }
  return [...parts, part];
}

/** Some ms of work at a time; others have their turn of the event loop in between. */
export async function* byTurns<Item>(items: readonly Item[], atOnce = 250): AsyncGenerator<Item> {
  for (let from = 0; from < items.length; from += atOnce) {
    if (from > 0) await nextTurn();
    yield* items.slice(from, from + atOnce);
  }
}

/** A session's cells that decide which session of a person is the newest, and whether it was. */
export interface Mark {
  session: number;
  person: number | null;
  quiz: number;
  completed: number | null;
  latest: boolean;
}

/** What a copy had of what changed. */
export interface Removed {
  sessions: Mark[];
  people: number[];
}

export async function removeChanged(duck: DuckDBConnection, changes: readonly Change[]): Promise<Removed> {
  const sessions = await numbersOf(duck, changes, "session", "SELECT session AS number FROM sessions");
  const people = await numbersOf(duck, changes, "profile", "SELECT person AS number FROM people");
  const ofSessions = await isOneOf(duck, "session", sessions);
  const known =
    sessions.length === 0
      ? []
      : await read<Mark>(
          duck,
          `SELECT session, person, quiz, completed, latest_completed AS latest FROM sessions WHERE ${ofSessions}`,
        );
  const orders = changes.filter(({ kind }) => kind === "order").map(({ id }) => id);
  const statements: string[] = [];
  if (known.length > 0) statements.push(...sessionTables.map((table) => `DELETE FROM ${table} WHERE ${ofSessions}`));
  if (known.length + orders.length > 0) {
    statements.push(`DELETE FROM orders WHERE (${ofSessions}) OR ${await isOneOf(duck, "id", orders)}`);
    statements.push(`DELETE FROM lines WHERE (${ofSessions}) OR ${await isOneOf(duck, "order_id", orders)}`);
  }
  if (people.length > 0) statements.push(`DELETE FROM people WHERE ${await isOneOf(duck, "person", people)}`);
  await runAll(duck, statements);
  return { sessions: known, people };
}

/** What PostgreSQL has no more is known by its id only. */
async function numbersOf(
  duck: DuckDBConnection,
  changes: readonly Change[],
  kind: ChangedKind,
  select: string,
): Promise<number[]> {
  const ofKind = changes.filter((change) => change.kind === kind);
  const gone = ofKind.filter(({ number }) => number === null).map(({ id }) => id);
  const found =
    gone.length === 0 ? [] : await read<{ number: number }>(duck, `${select} WHERE ${await isOneOf(duck, "id", gone)}`);
  return [...ofKind.flatMap(({ number }) => number ?? []), ...found.map(({ number }) => number)];
}

/** a longer list is planned faster as a table */
const listedAtMost = 64;

/** A condition on a column of numbers, or of UUIDs. */
export async function isOneOf(
  duck: DuckDBConnection,
  column: string,
  values: readonly (number | string)[],
): Promise<string> {
  if (values.length === 0) return "false";
  const isIn = `${boundsOf(column, values)} ${column} IN`;
  if (values.length <= listedAtMost)
    return `${isIn} (${values.map((value) => (typeof value === "number" ? value : literal(value))).join(", ")})`;
  const type = typeof values[0] === "number" ? "BIGINT" : "UUID";
  const table = { name: `changed_${column}`, columns: [["value", type]] as const };
  await duck.run(`CREATE OR REPLACE TEMP TABLE ${table.name} (value ${type})`);
  await appendRows(
    duck,
    table,
    values.map((value) => [value]),
    { schema: "main", catalog: "temp" },
  );
  return `${isIn} (SELECT value FROM temp.${table.name})`;
}

/** With the bounds of numbers DuckDB leaves out all blocks of older ones: most changes are new. */
function boundsOf(column: string, values: readonly (number | string)[]): string {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (typeof value === "string") return "";
    first = Math.min(first, value);
    last = Math.max(last, value);
  }
  return `${column} BETWEEN ${first} AND ${last} AND`;
}

/** Nothing refers to people who are gone. */
export async function unlinkPeople(duck: DuckDBConnection, gone: readonly number[]): Promise<void> {
  if (gone.length === 0) return;
  const isGone = await isOneOf(duck, "person", gone);
  await runAll(duck, [
    `UPDATE sessions SET person = NULL, latest_completed = false WHERE ${isGone}`,
    ...["answers", "points", "formulas"].map((table) => `UPDATE ${table} SET person = NULL WHERE ${isGone}`),
  ]);
}

/** Marks the session of each person and quiz that was completed last, the higher id on a tie. */
export async function markLatest(duck: DuckDBConnection, people: readonly number[]): Promise<void> {
  if (people.length === 0) return;
  const wrong = await read<{ session: number }>(duck, wronglyMarked(await isOneOf(duck, "person", people)));
  const sessions = wrong.map(({ session }) => session);
  if (sessions.length === 0) return;
  const isWrong = await isOneOf(duck, "session", sessions);
  await duck.run(`UPDATE sessions SET latest_completed = NOT latest_completed WHERE ${isWrong}`);
}

/** The same of everybody. */
export async function markAllLatest(duck: DuckDBConnection): Promise<void> {
  await duck.run(
    `UPDATE sessions AS s SET latest_completed = NOT s.latest_completed
     FROM (${wronglyMarked("person IS NOT NULL")}) AS m WHERE s.session = m.session`,
  );
}

/** Sessions whose `latest_completed` says what is not so. */
const wronglyMarked = (people: string) => `
  SELECT session FROM (
    SELECT session, latest_completed AS before, completed IS NOT NULL AND row_number() OVER (
      PARTITION BY person, quiz ORDER BY completed DESC NULLS LAST, id DESC) = 1 AS latest
    FROM sessions WHERE ${people}) AS m
  WHERE latest <> before`;
