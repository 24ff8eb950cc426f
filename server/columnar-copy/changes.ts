import { setImmediate as nextTurn } from "node:timers/promises";
import type pg from "pg";
import { appendRows } from "./append.ts";
import { literal, read, type WriteConnection } from "./duck.ts";
import { sessionTables } from "./schema.ts";
import { type ChangedKind, changesSince, type Extent, everything, sessionBytesAtMost } from "./source.ts";

/** Reads what changed in PostgreSQL, and removes the outdated rows of those changes from a copy. */

export interface Change {
  kind: ChangedKind;
  /** UUID */
  id: string;
  /** null for orders and for deleted rows */
  number: number | null;
  /** uncompressed size of a session's fact text */
  bytes: number;
}

/** Facts that are too large are not read, so they count as 0 bytes. */
const roomOf = ({ bytes }: Change): number => (bytes > sessionBytesAtMost ? 0 : bytes);

export const roomOfAll = (changes: readonly Change[]): number =>
  changes.reduce((sum, change) => sum + roomOf(change), 0);

/** All changes, in parts of limited number and size. Only one part is in memory at a time, however much changed. */
export async function* readParts(
  client: pg.PoolClient,
  extent: Extent,
  atOnce: number,
  bytesAtMost: number,
): AsyncGenerator<Change[]> {
  // the cursor is closed with the snapshot's transaction
  await client.query(`DECLARE changed NO SCROLL CURSOR FOR ${selectChanges(extent)}`);
  for (;;) {
    const { rows } = await client.query<Change>(`FETCH ${atOnce} FROM changed`);
    if (rows.length === 0) return;
    yield* inParts(rows, bytesAtMost);
  }
}

/** The changes since the copy's revision, or everything for an empty copy. */
export const selectChanges = ({ storeId, since }: Extent): string =>
  `SELECT kind, id, number, bytes
   FROM (${since === null ? everything(storeId) : changesSince(storeId, since)}) AS c (kind, id, number, bytes)`;

/** Splits changes into parts of limited size. A change that exceeds the limit is a part of its own. */
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

/** Yields items in batches that take some ms each, and lets other work run in between. */
export async function* byTurns<Item>(items: readonly Item[], atOnce = 250): AsyncGenerator<Item> {
  for (let from = 0; from < items.length; from += atOnce) {
    if (from > 0) await nextTurn();
    yield* items.slice(from, from + atOnce);
  }
}

/** The rows of the changes that a copy has. */
export interface Known {
  /** condition for rows of changed sessions; null if no session changed */
  isOfSession: string | null;
  orders: string[];
  people: number[];
  /** the people among them who are deleted in PostgreSQL */
  gone: number[];
}

export async function findKnown(duck: WriteConnection, changes: readonly Change[]): Promise<Known> {
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

/**
 * The rows are removed with the connection's next call.
 *
 * @param hasSessions whether the copy has any of the changed sessions
 */
export async function removeKnown(
  duck: WriteConnection,
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
  duck.sendLater(...statements);
}

/** Rows deleted in PostgreSQL are known by id only, so their numbers are looked up in the copy. */
async function numbersOf(
  duck: WriteConnection,
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

/** A condition that a column of numbers or UUIDs has one of these values. */
export async function isOneOf(
  duck: WriteConnection,
  column: string,
  values: readonly (number | string)[],
): Promise<string> {
  if (values.length === 0) return "false";
  const isIn = `${boundsOf(column, values)} ${column} IN`;
  if (values.length <= listedAtMost)
    return `${isIn} (${values.map((value) => (typeof value === "number" ? value : literal(value))).join(", ")})`;
  const type = typeof values[0] === "number" ? "BIGINT" : "UUID";
  const table = { name: `changed_${column}`, columns: [["value", type]] as const };
  duck.sendLater(`CREATE OR REPLACE TEMP TABLE ${table.name} (value ${type})`);
  await appendRows(
    duck,
    table,
    values.map((value) => [value]),
    { schema: "main", catalog: "temp" },
  );
  return `${isIn} (SELECT value FROM temp.${table.name})`;
}

/** Bounds let DuckDB skip all blocks of older numbers, since most changes are recent. */
function boundsOf(column: string, values: readonly (number | string)[]): string {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (typeof value === "string") return "";
    first = Math.min(first, value);
    last = Math.max(last, value);
  }
  return `${column} BETWEEN ${first} AND ${last} AND`;
}

/** Removes references to deleted people [copy.removed-person]. */
export async function unlinkPeople(duck: WriteConnection, gone: readonly number[]): Promise<void> {
  if (gone.length === 0) return;
  const isGone = await isOneOf(duck, "person", gone);
  duck.sendLater(
    `UPDATE sessions SET person = NULL, latest_completed = false WHERE ${isGone}`,
    ...["answers", "points", "formulas"].map((table) => `UPDATE ${table} SET person = NULL WHERE ${isGone}`),
  );
}

/** Marks each person's most recently completed session of each quiz; on a tie the one with the higher id. */
export async function markLatest(duck: WriteConnection, people: readonly number[]): Promise<void> {
  if (people.length === 0) return;
  const wrong = await read<{ session: number }>(duck, wronglyMarked(await isOneOf(duck, "person", people)));
  const sessions = wrong.map(({ session }) => session);
  if (sessions.length === 0) return;
  const isWrong = await isOneOf(duck, "session", sessions);
  duck.sendLater(`UPDATE sessions SET latest_completed = NOT latest_completed WHERE ${isWrong}`);
}

/** The same for many people, given by a condition, in one statement without reading any rows. */
export function markLatestOf(duck: WriteConnection, people: string): void {
  duck.sendLater(
    `UPDATE sessions AS s SET latest_completed = NOT s.latest_completed
     FROM (${wronglyMarked(people)}) AS m WHERE s.session = m.session`,
  );
}

/** Sessions whose `latest_completed` is wrong. */
const wronglyMarked = (people: string) => `
  SELECT session FROM (
    SELECT session, latest_completed AS before, completed IS NOT NULL AND row_number() OVER (
      PARTITION BY person, quiz ORDER BY completed DESC NULLS LAST, id DESC) = 1 AS latest
    FROM sessions WHERE ${people}) AS m
  WHERE latest <> before`;
