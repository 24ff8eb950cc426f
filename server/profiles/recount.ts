import type { Database, DueStatement } from "../platform/database/database.ts";
import { ownStore, raw, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { eachDueStore } from "../platform/each-store.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import { holdRevision, recordRevision, type StoreChange } from "../stores/public.ts";
import { countFigures, countIdentities } from "./figures.ts";

/**
 * People with more sessions than anybody has [people.many-sessions]. Counting one again reads all of their sessions, about
 * six microseconds each, and a stranger can send any number of sessions with one contact. So it is put off, for a time that
 * grows with the square of the sessions: what an event costs stays the same.
 */

/** A person with more sessions is counted later. */
export const mostCountedAtOnce = 100;
/** calendar ms, for a hundred sessions; four times as long for two hundred */
const delayMs = 100;
const longestDelayMs = 60_000;
/** people of all stores in a round */
const atOnce = 50;

/** Puts off those of these people who have so many sessions; answers them. */
export async function putOffRecounts(
  tx: StoreTransaction,
  profileIds: readonly string[],
  now: number,
): Promise<Set<string>> {
  if (profileIds.length === 0) return new Set();
  const rows = await tx.all(sql<{ id: string }>`
  WITH many AS (
    SELECT p.id, p.due_at, p.sessions_count FROM profiles p
    WHERE p.store_id = ${ownStore} AND p.id = ANY (${profileIds}::uuid[]) AND p.sessions_count > ${mostCountedAtOnce}::integer
  ), put_off AS (
    UPDATE profiles p SET due_at = ${new Date(now)}::timestamptz + interval '1 millisecond'
      * least(${longestDelayMs}::float8, ${delayMs}::float8 * (m.sessions_count / 100.0) ^ 2)
    FROM many m WHERE p.store_id = ${ownStore} AND p.id = m.id AND m.due_at IS NULL
  )
  SELECT id FROM many`);
  return new Set(rows.map(({ id }) => id));
}

export interface RecountDeps {
  /** the calendar, ms */
  now: () => number;
  random: RandomBytes;
  log: Log;
}

/** Counts people who are due, at most 50 over all stores; answers how many it counted. A caller that gets 50 calls again. */
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
        deps.log.warn({ err: error, profile_id: id }, "a person could not be counted; it is tried again");
        await putOff(database.reader().forStore(storeId), id, deps.now() + longestDelayMs);
      }
    }
    return counted;
  });
}

const putOff = (db: StoreRunner, id: string, until: number) =>
  db.all(sql`UPDATE profiles SET due_at = ${new Date(until)} WHERE store_id = ${ownStore} AND id = ${id}`);

async function recount(tx: StoreTransaction, id: string, { now, random }: RecountDeps): Promise<void> {
  await holdRevision(tx, tx.storeId);
  const row = await tx.first(sql<{ id: string }>`
    UPDATE profiles SET due_at = NULL WHERE store_id = ${ownStore} AND id = ${id} AND due_at IS NOT NULL RETURNING id`);
  // somebody else has counted them, or they are gone
  if (!row) return;
  const counted = new Set([...(await countFigures(tx, [id])), ...(await countIdentities(tx, [id]))]);
  const changes = [...counted].map((profileId): StoreChange => ({ kind: "profile", id: profileId }));
  await recordRevision(tx, changes, { now: now(), random });
}
