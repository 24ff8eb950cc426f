import {
  joined,
  ownStore,
  plainArray,
  type Statement,
  type StoreRunner,
  type StoreTransaction,
  sql,
  type Transaction,
} from "../platform/database/sql.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";

/** A store's revision, which every change of sessions, people, quizzes and orders raises, and what it changed. */

export interface StoreChange {
  kind: "session" | "profile" | "quiz" | "order";
  /** UUID */
  id: string;
}

interface StoreRevision {
  revision: number;
  sessionsNumbered: number;
  profilesNumbered: number;
}

interface RevisionRow {
  revision: number;
  sessions_numbered: number;
  profiles_numbered: number;
}

/**
 * Locks the row that orders a store's changes, and raises its revision without gaps, so that copies can follow. Every
 * transaction that changes sessions, people or orders begins with this. Reserves as many numbers as `sessions` and `profiles` say;
 * the result has the last numbers used before.
 */
export async function raiseRevision(
  tx: Transaction,
  storeId: string,
  drawn: { sessions?: number; profiles?: number } = {},
): Promise<StoreRevision> {
  const { sessions = 0, profiles = 0 } = drawn;
  const row = await tx.forStore(storeId).first(sql<RevisionRow>`
  UPDATE store_revisions SET revision = revision + 1,
    sessions_numbered = sessions_numbered + ${sessions}, profiles_numbered = profiles_numbered + ${profiles}
  WHERE store_id = ${ownStore} RETURNING revision, sessions_numbered, profiles_numbered`);
  if (!row) throw new Error("a store has no revision row");
  return {
    revision: row.revision,
    sessionsNumbered: row.sessions_numbered - sessions,
    profilesNumbered: row.profiles_numbered - profiles,
  };
}

/**
 * Takes the same lock as `raiseRevision`, for a transaction that does not know yet whether it will change anything: a
 * revision without a change would mislead every copy.
 */
export async function holdRevision(tx: Transaction, storeId: string): Promise<void> {
  await tx.forStore(storeId).first(sql`
    SELECT revision FROM store_revisions WHERE store_id = ${ownStore} FOR NO KEY UPDATE`);
}

/**
 * Until the transaction ends, nobody disconnects the store [dashboard-api.rights-kept]; what follows sees whether somebody
 * did. The row of the store's revision stands for the store, whose own row every node of a cluster has: to lock that takes
 * all of them [operations.node-writes]. Neither waits for changes of the store, which lock the row less strongly.
 */
export async function holdConnection(tx: StoreRunner): Promise<void> {
  await tx.first(sql`SELECT store_id FROM store_revisions WHERE store_id = ${ownStore} FOR KEY SHARE`);
}

/** For who disconnects a store: waits for everybody who holds its connection, and makes others wait. */
export async function holdDisconnection(tx: Transaction, storeId: string): Promise<void> {
  await tx.forStore(storeId).first(sql`SELECT store_id FROM store_revisions WHERE store_id = ${ownStore} FOR UPDATE`);
}

/** Records what a revision changed, deletions included. */
export async function recordChanges(
  tx: Transaction,
  storeId: string,
  revision: number,
  token: string,
  at: Date,
  changes: readonly StoreChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const distinct = [...new Map(changes.map((change) => [`${change.kind} ${change.id}`, change])).values()];
  await tx.forStore(storeId).all(sql`
    INSERT INTO changes (store_id, revision, token, kind, id, at) ${changeRows(distinct, { revision, token, at })}`);
}

/** Rows as VALUES take a cluster's node half the time of a SELECT, but each number of them is a statement of its own. */
const valuesAtMost = 4;

function changeRows(
  changes: readonly StoreChange[],
  { revision, token, at }: { revision: number; token: string; at: Date },
): Statement {
  if (changes.length <= valuesAtMost) {
    const rows = changes.map(
      ({ kind, id }) =>
        sql`(${ownStore}::uuid, ${revision}::bigint, ${token}::uuid, ${kind}::text, ${id}::uuid, ${at}::timestamptz)`,
    );
    return sql`VALUES ${joined(rows)}`;
  }
  const kinds = plainArray(changes.map(({ kind }) => kind));
  const ids = plainArray(changes.map(({ id }) => id));
  return sql`
    SELECT ${ownStore}::uuid, ${revision}::bigint, ${token}::uuid, c.kind, c.id, ${at}::timestamptz
    FROM unnest(${kinds}::text[], ${ids}::uuid[]) AS c (kind, id)`;
}

/**
 * Raises the revision for changes made while it was held, records them, and returns it [orders.revision]. If there are
 * none, writes nothing and returns null: a revision without a change would mislead every copy.
 */
export async function recordRevision(
  tx: StoreTransaction,
  changes: readonly StoreChange[],
  { now, random }: { now: number; random: RandomBytes },
): Promise<number | null> {
  if (changes.length === 0) return null;
  const { revision } = await raiseRevision(tx, tx.storeId);
  tx.beforeCommit(recordChanges(tx, tx.storeId, revision, uuidAt(now, random), new Date(now), changes));
  return revision;
}

export async function revisionOf(db: StoreRunner): Promise<number> {
  const row = await db.first(sql<{ revision: number }>`
  SELECT revision FROM store_revisions WHERE store_id = ${ownStore}`);
  if (!row) throw new Error("a store has no revision row");
  return row.revision;
}
