import type { Database } from "../platform/database/database.ts";
import { anyOf, ownStore, raw, type StoreRunner, sql } from "../platform/database/sql.ts";
import { foldRules } from "./fold.ts";
import type { SessionState } from "./state.ts";

/** Queries of the sweep for sessions that are due. */

/** How many due sessions a round reads to find out their stores. */
const lookedAt = 1_000;

/** Ids by store, longest overdue first. */
export async function readDue(database: Database, now: number): Promise<Map<string, string[]>> {
  const rows = await database.due(
    (only) => sql<{ store_id: string; id: string }>`
      /* due: across stores */
      SELECT store_id, id FROM sessions WHERE due_at <= ${new Date(now)} ${only}
      ORDER BY due_at, store_id, id LIMIT ${lookedAt}`,
  );
  const byStore = Map.groupBy(rows, (row) => row.store_id);
  return new Map([...byStore].map(([storeId, own]) => [storeId, own.map((row) => row.id)]));
}

/** Bytes of the states in one group, as stored by the database: compressed, up to a hundred times smaller. */
const stateBytesAtOnce = 256 * 1024;

/** Groups of sessions to read at once; one that has to be reduced from its events is a group of its own. */
export async function groupedBySize(db: StoreRunner, ids: readonly string[]): Promise<string[][]> {
  const rows = await db.all(sql<{ id: string; bytes: number; is_kept: boolean | null }>`
    SELECT s.id, pg_column_size(s.state) AS bytes, s.state #>> '{fold,rules}' = '${raw(foldRules)}' AS is_kept
    FROM sessions s WHERE s.store_id = ${ownStore} AND s.id = ${anyOf(ids)}`);
  const groups: string[][] = [];
  let [open, bytes] = [[] as string[], 0];
  for (const row of rows) {
    if (!row.is_kept) {
      groups.push([row.id]);
      continue;
    }
    if (open.length > 0 && bytes + row.bytes > stateBytesAtOnce) {
      groups.push(open);
      [open, bytes] = [[], 0];
    }
    open.push(row.id);
    bytes += row.bytes;
  }
  if (open.length > 0) groups.push(open);
  return groups;
}

/** Detects whether a state has changed since it was read. */
const seen = raw("md5(s.state::text) AS seen");

export interface SeenSession {
  id: string;
  version_id: string;
  country: string | null;
  state: Partial<SessionState>;
  seen: string;
}

export const readDueSessions = (db: StoreRunner, ids: readonly string[], now: number): Promise<SeenSession[]> =>
  db.all(sql<SeenSession>`
    SELECT s.id, s.version_id, s.country, s.state, ${seen}
    FROM sessions s WHERE s.store_id = ${ownStore} AND s.id = ${anyOf(ids)} AND s.due_at <= ${new Date(now)}`);

export interface DueSession {
  id: string;
  quiz_id: string;
  version_id: string;
  preview: boolean;
  emits: boolean;
  is_returning: boolean;
  emitted: string[];
  seen: string;
}

/** Locks those of the given sessions that are due, except any that another transaction has locked. */
export const claimSessions = (tx: StoreRunner, ids: readonly string[], now: number): Promise<DueSession[]> =>
  tx.all(sql<DueSession>`
    SELECT s.id, s.quiz_id, s.version_id, s.preview, s.emits, s.is_returning, s.emitted, ${seen}
    FROM sessions s WHERE s.store_id = ${ownStore} AND s.id = ${anyOf(ids)} AND s.due_at <= ${new Date(now)}
    FOR UPDATE OF s SKIP LOCKED`);

const shortestWaitMs = 600_000;
const longestWaitMs = 86_400_000;

/**
 * Postpones a session that cannot be swept, so that it does not keep the others from being swept. It waits for as long
 * as it has been idle, so that the waits double.
 */
export async function putOff(tx: StoreRunner, id: string, now: number): Promise<void> {
  const row = await tx.first(sql<{ last_event_at: Date }>`
    SELECT last_event_at FROM sessions WHERE store_id = ${ownStore} AND id = ${id}`);
  if (!row) return;
  const idle = Math.max(now - row.last_event_at.getTime(), shortestWaitMs);
  const due = new Date(now + Math.min(idle, longestWaitMs));
  await tx.all(sql`UPDATE sessions SET due_at = ${due} WHERE store_id = ${ownStore} AND id = ${id}`);
}
