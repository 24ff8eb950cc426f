import type { Store } from "../platform/caller.ts";
import {
  ownStore,
  plainArray,
  type Runner,
  type StoreRunner,
  type StoreTransaction,
  sql,
  type Transaction,
} from "../platform/database/sql.ts";
import { formatId, parseId, type RandomBytes, uuidAt } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import type { Secrets } from "../platform/secrets.ts";
import { commerceSecretPurpose, type StoreRow, storeColumnsOf, storeOf } from "./store-rows.ts";

/** What other slices and the command line may use of stores. */

export {
  type AdminDeps,
  checkAdmin,
  createStore as createNewStore,
  reconnectStore as reconnect,
  updateStore as updateGivenStore,
} from "./admin.ts";
export { sealCommerceSecret } from "./commerce-secret.ts";
export type { Credits } from "./credits.ts";
export { bearer, hashKey, isPersonal, isTokenText, isWhole, keyHead, keyLastFour, newKeyText } from "./key-text.ts";
export { callerOf } from "./member-caller.ts";

const ownColumns = storeColumnsOf("stores");

/** A store by its public id or its shop domain, including disconnected ones. */
export async function findStore(db: Runner, idOrDomain: string): Promise<Store | undefined> {
  const uuid = parseId("store", idOrDomain);
  const named = uuid ? sql`id = ${uuid}` : sql`shop_domain = ${idOrDomain.toLowerCase()}`;
  const row = await db.first(sql<StoreRow>`SELECT ${ownColumns} FROM stores WHERE ${named}`);
  return row && storeOf(row);
}

/** Like `findStore`, but throws an OperatorError if there is none. */
export async function storeNamed(db: Runner, idOrDomain: string): Promise<Store> {
  const store = await findStore(db, idOrDomain);
  if (!store) throw new OperatorError(`there is no store ${idOrDomain}; quizstore store list shows those that exist`);
  return store;
}

export async function publishableKeyOf(db: Runner, storeId: string): Promise<string> {
  const row = await db.first(
    sql<{ publishable_key: string }>`SELECT publishable_key FROM stores WHERE id = ${storeId}`,
  );
  if (row === undefined) throw new OperatorError("there is no such store");
  return formatId("pub", row.publishable_key);
}

/** The connected store with this publishable key, whatever its plan: a paused plan still takes shopper events. */
export async function storeOfPublishableKey(db: Runner, publishableKey: string): Promise<Store | undefined> {
  const uuid = parseId("pub", publishableKey);
  if (!uuid) return undefined;
  const row = await db.first(sql<StoreRow>`
    SELECT ${ownColumns} FROM stores WHERE publishable_key = ${uuid} AND disconnected_at IS NULL`);
  return row && storeOf(row);
}

/** The connected store with this UUID, whatever its plan. */
export async function connectedStore(db: Runner, storeId: string): Promise<Store | undefined> {
  const row = await db.first(sql<StoreRow>`
    SELECT ${ownColumns} FROM stores WHERE id = ${storeId} AND disconnected_at IS NULL`);
  return row && storeOf(row);
}

export interface ConnectedShop {
  store: Store;
  /** with which the commerce platform signs its messages */
  commerceSecret: string;
  disconnected: boolean;
}

/** The store with this domain on the commerce platform, whatever its plan, even if disconnected. */
export async function shopOfDomain(db: Runner, secrets: Secrets, domain: string): Promise<ConnectedShop | undefined> {
  const row = await db.first(sql<StoreRow & { commerce_secret: Buffer; disconnected_at: Date | null }>`
    SELECT ${ownColumns}, commerce_secret, disconnected_at FROM stores WHERE shop_domain = ${domain.toLowerCase()}`);
  // an erased store has no secret, and accepts no more messages
  if (!row || row.commerce_secret.length === 0) return undefined;
  return {
    store: storeOf(row),
    commerceSecret: secrets.decrypt(row.commerce_secret, commerceSecretPurpose(row.id)),
    disconnected: row.disconnected_at !== null,
  };
}

/** Copies what a shop's owner changed on the commerce platform; the caller has checked the values. */
export async function updateShop(
  tx: Transaction,
  storeId: string,
  { name = null, currency = null, timezone = null }: { [Field in "name" | "currency" | "timezone"]?: string | null },
): Promise<void> {
  if (name === null && currency === null && timezone === null) return;
  await tx.all(sql`
    UPDATE stores SET name = coalesce(${name}, name), currency = coalesce(${currency}, currency),
      timezone = coalesce(${timezone}, timezone)
    WHERE id = ${storeId} OR test_of = ${storeId}`);
}

export interface StoreChange {
  kind: "session" | "profile" | "quiz" | "order";
  /** UUID */
  id: string;
}

export interface StoreRevision {
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
 * transaction that changes facts or people begins with this. Reserves as many numbers as `sessions` and `profiles` say;
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
  await tx.forStore(storeId).first(sql`SELECT revision FROM store_revisions WHERE store_id = ${ownStore} FOR UPDATE`);
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
  const kinds = plainArray(distinct.map((change) => change.kind));
  const ids = plainArray(distinct.map((change) => change.id));
  await tx.forStore(storeId).all(sql`INSERT INTO changes (store_id, revision, token, kind, id, at)
          SELECT ${ownStore}::uuid, ${revision}::bigint, ${token}::uuid, c.kind, c.id, ${at}::timestamptz
          FROM unnest(${kinds}::text[], ${ids}::uuid[]) AS c (kind, id)`);
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
