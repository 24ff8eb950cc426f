import { setImmediate as nextTurn } from "node:timers/promises";
import type pg from "pg";
import type { Cell } from "./append.ts";
import type { Facts, ReadSession, SessionRow } from "./session-rows.ts";
import {
  type ChangedKind,
  type CopiedRows,
  changesSince,
  type Extent,
  everything,
  linesOf,
  ordersOf,
  peopleOf,
  roomOf,
  sessionsOf,
} from "./source.ts";

/** Reads a few changes from PostgreSQL as the driver gives them, within the client's snapshot. */

export interface Change {
  kind: ChangedKind;
  /** UUID */
  id: string;
  /** null for orders, and for what is gone */
  number: number | null;
}

/** What there is now of what changed, in the forms of source.ts. */
export interface ChangedRows {
  people: Cell[][];
  sessions: ReadSession[];
  orders: Record<string, Cell>[];
  lines: Record<string, Cell>[];
}

/** What their sessions did may take up this much room in the database; 2,000 ordinary ones take a tenth of it. */
const bytesAtMost = 8 << 20;

/**
 * What changed, everything for a copy that is still empty. Null: more than `atMost`, or more of them than this process
 * should hold at once.
 */
export async function fetchChanges(client: pg.PoolClient, extent: Extent, atMost: number): Promise<Change[] | null> {
  const { storeId, since } = extent;
  const all = since === null ? everything(storeId) : changesSince(storeId, since).query;
  const query = `SELECT * FROM (${all}) AS c LIMIT ${atMost + 1}`;
  const changes = (await arraysOf(client, query)) as [ChangedKind, string, number | null][];
  if (changes.length > atMost) return null;
  const few = changes.map(([kind, id, number]) => ({ kind, id, number }));
  const sessions = idsOf(few, "session");
  if (sessions.length === 0) return few;
  const [[bytes] = []] = await arraysOf(client, roomOf(extent.storeId, sessions));
  return Number(bytes) > bytesAtMost ? null : few;
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
  const people = await arrays(peopleOf(some), ids.profile.length);
  const rows = (await objects(sessionsOf(some), ids.session.length)) as SessionRow[];
  const orders = await objects(ordersOf(some), sold);
  const lines = orders.length === 0 ? [] : await objects(linesOf(some), sold);
  const sessions: ReadSession[] = [];
  for await (const row of byTurns(rows)) sessions.push({ row, facts: JSON.parse(String(row["facts"])) as Facts });
  return { people, sessions, orders, lines };
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
