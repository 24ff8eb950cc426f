import type { Database, DueStatement } from "../platform/database/database.ts";
import {
  anyOf,
  ownStore,
  raw,
  type Statement,
  type StoreRunner,
  type StoreTransaction,
  sql,
} from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { eachDueStore } from "../platform/each-store.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import { holdRevision, recordRevision, type StoreChange } from "../stores/public.ts";
import { countFigures, countIdentities } from "./figures.ts";

/**
 * People with more sessions than any real person has [people.many-sessions]. A recount reads all of their sessions, at
 * about six microseconds each, and a stranger can send any number of sessions with one contact. So the recount is
 * postponed by a delay that grows with the square of the number of sessions, which keeps the cost per event constant.
 */

/** People with more sessions than this are recounted later. */
export const mostCountedAtOnce = 100;
/** calendar ms for a hundred sessions; four times as long for two hundred */
const delayMs = 100;
const longestDelayMs = 60_000;
/** people per round, across all stores */
const atOnce = 50;

/** What decides whether a person is recounted at once. */
export interface PersonCount {
  id: string;
  sessions: number;
  /** whether a recount is due already */
  isPutOff: boolean;
}

/** Who of these people has too many sessions to be recounted at once, and the statements that put the recount off. */
export function putOffRecounts(
  people: readonly PersonCount[],
  now: number,
): { later: ReadonlySet<string>; statements: Statement[] } {
  const many = people.filter(({ sessions }) => sessions > mostCountedAtOnce);
  const due = many.filter(({ isPutOff }) => !isPutOff).map(({ id, sessions }) => ({ id, at: dueAt(now, sessions) }));
  const statements: Statement[] = [];
  if (due.length > 0) {
    statements.push(sql`
    UPDATE profiles p SET due_at = d.at FROM jsonb_to_recordset(${JSON.stringify(due)}::jsonb) AS d (id uuid, at timestamptz)
    WHERE p.store_id = ${ownStore} AND p.id = d.id`);
  }
  return { later: new Set(many.map(({ id }) => id)), statements };
}

/** The columns of a profile (`p`) that `PersonCount` consists of, except its id. */
export const countColumns = raw("p.sessions_count AS sessions, p.due_at IS NOT NULL AS is_put_off");

export async function readCounts(tx: StoreTransaction, ids: readonly string[]): Promise<PersonCount[]> {
  const rows = await tx.all(sql<{ id: string; sessions: number; is_put_off: boolean }>`
    SELECT p.id, ${countColumns} FROM profiles p WHERE p.store_id = ${ownStore} AND p.id = ${anyOf(ids)}`);
  return rows.map(({ id, sessions, is_put_off: isPutOff }) => ({ id, sessions, isPutOff }));
}

const dueAt = (now: number, sessions: number): Date =>
  new Date(now + Math.min(longestDelayMs, delayMs * (sessions / 100) ** 2));

export interface RecountDeps {
  /** calendar time in ms */
  now: () => number;
  random: RandomBytes;
  log: Log;
}

/** Recounts people who are due, at most 50 across all stores; returns how many. A caller that gets 50 calls again. */
export async function recountPeople(database: Database, deps: RecountDeps): Promise<number> {
  const duePeople: DueStatement<{ store_id: string; id: string }> = (only) => sql`
    /* due: across stores */
    SELECT store_id, id FROM profiles WHERE due_at <= ${new Date(deps.now())} ${only} ORDER BY due_at LIMIT ${raw(atOnce)}`;
  return eachDueStore(database, duePeople, async (storeId, due) => {
    let counted = 0;
    for (const { id } of due) {
      try {
        await database.transaction((tx) => recount(tx.forStore(storeId), id, deps));
        counted += 1;
      } catch (error) {
        deps.log.warn({ err: error, profile_id: id }, "could not recount a person; retrying later");
        await putOff(database.reader().forStore(storeId), id, deps.now() + longestDelayMs);
      }
    }
    return counted;
  });
}

const putOff = (db: StoreRunner, id: string, until: number) =>
  db.all(sql`UPDATE profiles SET due_at = ${new Date(until)} WHERE store_id = ${ownStore} AND id = ${id}`);

async function recount(tx: StoreTransaction, id: string, { now, random }: RecountDeps): Promise<void> {
  // Sent together and run one after the other, under the lock. If another process has counted them, or they are gone, the
  // counts change nothing.
  const [, , ...counted] = await together([
    holdRevision(tx, tx.storeId),
    tx.all(sql`UPDATE profiles SET due_at = NULL WHERE store_id = ${ownStore} AND id = ${id} AND due_at IS NOT NULL`),
    countFigures(tx, [id], "held"),
    countIdentities(tx, [id]),
  ]);
  const changes = [...new Set(counted.flat())].map((profileId): StoreChange => ({ kind: "profile", id: profileId }));
  await recordRevision(tx, changes, { now: now(), random });
}
