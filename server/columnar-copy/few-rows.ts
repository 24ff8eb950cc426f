import { setImmediate as nextTurn } from "node:timers/promises";
import type pg from "pg";
import { type Cell, rowCheck } from "./append.ts";
import type { LeftOut } from "./left-out.ts";
import { tableOf } from "./schema.ts";
import { type CopyTextParts, isCopyText, type ReadSession, type SessionRow } from "./session-rows.ts";
import {
  type ChangedKind,
  type CopiedRows,
  changesSince,
  type Extent,
  everything,
  linesOf,
  ordersOf,
  peopleOf,
  sessionBytesAtMost,
  sessionsOf,
} from "./source.ts";

/** Reads a few changes from PostgreSQL as the driver gives them, within the client's snapshot. */

export interface Change {
  kind: ChangedKind;
  /** UUID */
  id: string;
  /** null for orders, and for what is gone */
  number: number | null;
  /** how much room what a session did takes, written out */
  bytes: number;
}

/** What there is now of what changed, in the forms of source.ts. */
export interface ChangedRows {
  people: Cell[][];
  sessions: ReadSession[];
  orders: Record<string, Cell>[];
  lines: Record<string, Cell>[];
  /** what there is, and cannot be taken */
  leftOut: LeftOut[];
}

/** What their sessions did may take this much room, written out, so that nothing holds up others; 2,000 ordinary ones take half. */
const bytesAtMost = 2 << 20;

/** What is not read because it is too large takes no room. */
const roomOf = ({ bytes }: Change): number => (bytes > sessionBytesAtMost ? 0 : bytes);

/**
 * What changed, everything for a copy that is still empty. Null: more than `atMost`, or more of them than this process
 * should hold at once.
 */
export async function fetchChanges(client: pg.PoolClient, extent: Extent, atMost: number): Promise<Change[] | null> {
  const few = await readChanges(client, extent, `LIMIT ${atMost + 1}`);
  if (few.length > atMost) return null;
  return few.reduce((sum, change) => sum + roomOf(change), 0) > bytesAtMost ? null : few;
}

/** Files that DuckDB reads whole are no larger than those of a first load. */
const fileBytesAtMost = 32 << 20;

/** Whether what changed may be taken over by way of files. */
export async function fitsFiles(client: pg.PoolClient, { storeId, since }: Extent): Promise<boolean> {
  const [[bytes] = []] = await arraysOf(
    client,
    `SELECT coalesce(sum(bytes), 0)::bigint FROM (${changesSince(storeId, since ?? 0).query}) AS c (kind, id, number, bytes)
      WHERE bytes <= ${sessionBytesAtMost}`,
  );
  return Number(bytes) <= fileBytesAtMost;
}

/** All that changed, in parts that this process may hold at once. */
export async function fetchChangesInParts(client: pg.PoolClient, extent: Extent, atOnce: number): Promise<Change[][]> {
  const parts: Change[][] = [];
  let [part, room]: [Change[], number] = [[], 0];
  for await (const change of byTurns(await readChanges(client, extent, ""))) {
    if (part.length === atOnce || (part.length > 0 && room + roomOf(change) > bytesAtMost)) {
      parts.push(part);
      [part, room] = [[], 0];
    }
    part.push(change);
    room += roomOf(change);
  }
  return [...parts, part];
}

async function readChanges(client: pg.PoolClient, { storeId, since }: Extent, limit: string): Promise<Change[]> {
  const all = since === null ? everything(storeId) : changesSince(storeId, since).query;
  const rows = (await arraysOf(client, `SELECT * FROM (${all}) AS c ${limit}`)) as [
    ChangedKind,
    string,
    number | null,
    number,
  ][];
  return rows.map(([kind, id, number, bytes]) => ({ kind, id, number, bytes }));
}

export async function fetchRows(
  client: pg.PoolClient,
  extent: Extent,
  changes: readonly Change[],
): Promise<ChangedRows> {
  const of = (kind: ChangedKind) => idsOf(changes, kind);
  const ids = { session: of("session"), profile: of("profile"), order: of("order") };
  const some = { ...extent, ids };
  const arrays = async (rows: CopiedRows, wanted: number) => (wanted === 0 ? [] : await arraysOf(client, rows.query));
  const objects = async (rows: CopiedRows, wanted: number) => {
    const names = Object.keys(rows.columns);
    return (await arrays(rows, wanted)).map((row) =>
      Object.fromEntries(names.map((name, at) => [name, row[at] ?? null])),
    );
  };
  const sold = ids.order.length + ids.session.length;
  const leftOut: LeftOut[] = [];
  const leave = (kind: ChangedKind, id: Cell | undefined, reason: LeftOut["reason"]) =>
    leftOut.push({ kind, id: String(id), reason });
  const canHold = rowCheck(tableOf("people"));
  const people = (await arrays(peopleOf(some), ids.profile.length)).filter((row) => {
    const fits = canHold(row);
    if (!fits) leave("profile", row[1], "unfit");
    return fits;
  });
  const rows = (await objects(sessionsOf(some), ids.session.length)) as SessionRow[];
  const orders = await objects(ordersOf(some), sold);
  const lines = orders.length === 0 ? [] : await objects(linesOf(some), sold);
  const sessions: ReadSession[] = [];
  for await (const row of byTurns(rows)) {
    const facts = row["facts"] === null ? null : factsOf(String(row["facts"]));
    if (facts) sessions.push({ row, facts });
    else leave("session", row["id"], row["facts"] === null ? "too_large" : "unfit");
  }
  return { people, sessions, orders, lines, leftOut };
}

/** null: no fact text */
function factsOf(text: string): CopyTextParts | null {
  try {
    const facts: unknown = JSON.parse(text);
    return isCopyText(facts) ? facts : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

const idsOf = (changes: readonly Change[], wanted: ChangedKind): string[] =>
  changes.flatMap(({ kind, id }) => (kind === wanted ? [id] : []));

/** Some ms of work at a time; others have their turn in between. */
export async function* byTurns<Item>(items: readonly Item[], atOnce = 250): AsyncGenerator<Item> {
  for (let from = 0; from < items.length; from += atOnce) {
    if (from > 0) await nextTurn();
    yield* items.slice(from, from + atOnce);
  }
}

async function arraysOf(client: pg.PoolClient, text: string): Promise<Cell[][]> {
  return (await client.query<Cell[]>({ text, rowMode: "array" })).rows;
}
