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
export async function readChanges(client: pg.PoolClient, extent: Extent, limit: number): Promise<Change[]> {
  return (await client.query<Change>(`${selectChanges(extent)} LIMIT ${limit}`)).rows;
}

/** The same, all of it, in parts of at most so many changes and so much room: only one lies in memory, however many changed. */
export async function* readParts(
  client: pg.PoolClient,
  extent: Extent,
  atOnce: number,
  bytesAtMost: number,
): AsyncGenerator<Change[]> {
  // it ends with the transaction of the snapshot
  await client.query(`DECLARE changed NO SCROLL CURSOR FOR ${selectChanges(extent)}`);
  for (;;) {
    const { rows } = await client.query<Change>(`FETCH ${atOnce} FROM changed`);
    if (rows.length === 0) return;
    yield* inParts(rows, bytesAtMost);
  }
}

const selectChanges = ({ storeId, since }: Extent): string =>
  `SELECT kind, id, number, bytes
   FROM (${since === null ? everything(storeId) : changesSince(storeId, since)}) AS c (kind, id, number, bytes)`;

/** Parts of so much room; a change that takes more is a part of its own. */
export function inParts(changes: readonly Change[], bytesAtMost: number): Change[][] {
  const parts: Change[][] = [];
  let [part, room]: [Change[], number] = [[], 0];
  for (const change of changes) {
    if (part.length > 0 && room + roomOf(change) > bytesAtMost) {
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

/** What a copy has of what changed. */
export interface Known {
  /** whether a row is of a changed session; null: none changed */
  isOfSession: string | null;
  orders: string[];
  people: number[];
  /** those of the people whom PostgreSQL has no more */
  gone: number[];
}

export async function findKnown(duck: DuckDBConnection, changes: readonly Change[]): Promise<Known> {
  const sessions = await numbersOf(duck, changes, "session", "SELECT session AS number FROM sessions");
  const people = await numbersOf(duck, changes, "profile", "SELECT person AS number FROM people");
  const all = sessions.present.concat(sessions.gone);
  return {
    isOfSession: all.length === 0 ? null : await isOneOf(duck, "session", all),
    orders: changes.flatMap(({ kind, id }) => (kind === "order" ? [id] : [])),
    people: people.present.concat(people.gone),
    gone: people.gone,
  };
}

/** @param hasSessions whether the copy has any of the changed sessions */
export async function removeKnown(
  duck: DuckDBConnection,
  { isOfSession, orders, people }: Known,
  hasSessions: boolean,
): Promise<void> {
  const statements: string[] = [];
  if (hasSessions) statements.push(...sessionTables.map((table) => `DELETE FROM ${table} WHERE ${isOfSession}`));
  if (hasSessions || orders.length > 0) {
    const isOfOne = isOfSession ?? "false";
    statements.push(`DELETE FROM orders WHERE (${isOfOne}) OR ${await isOneOf(duck, "id", orders)}`);
    statements.push(`DELETE FROM lines WHERE (${isOfOne}) OR ${await isOneOf(duck, "order_id", orders)}`);
  }
  if (people.length > 0) statements.push(`DELETE FROM people WHERE ${await isOneOf(duck, "person", people)}`);
  await runAll(duck, statements);
}

/** What PostgreSQL has no more is known by its id only. */
async function numbersOf(
  duck: DuckDBConnection,
  changes: readonly Change[],
  kind: ChangedKind,
  select: string,
): Promise<{ present: number[]; gone: number[] }> {
  const ofKind = changes.filter((change) => change.kind === kind);
  const present = ofKind.flatMap(({ number }) => number ?? []);
  const ids = ofKind.flatMap(({ id, number }) => (number === null ? [id] : []));
  if (ids.length === 0) return { present, gone: [] };
  const found = await read<{ number: number }>(duck, `${select} WHERE ${await isOneOf(duck, "id", ids)}`);
  return { present, gone: found.map(({ number }) => number) };
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

/** Nothing refers to people who are gone [copy.removed-person]. */
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

/** The same of many people, whom a condition tells, in one statement: nothing of them is read. */
export async function markLatestOf(duck: DuckDBConnection, people: string): Promise<void> {
  await duck.run(
    `UPDATE sessions AS s SET latest_completed = NOT s.latest_completed
     FROM (${wronglyMarked(people)}) AS m WHERE s.session = m.session`,
  );
}

/** Sessions whose `latest_completed` says what is not so. */
const wronglyMarked = (people: string) => `
  SELECT session FROM (
    SELECT session, latest_completed AS before, completed IS NOT NULL AND row_number() OVER (
      PARTITION BY person, quiz ORDER BY completed DESC NULLS LAST, id DESC) = 1 AS latest
    FROM sessions WHERE ${people}) AS m
  WHERE latest <> before`;
