import { sql } from "kysely";
import type { StoreFacts } from "../platform/caller.ts";
import type { Transaction } from "../platform/database/database.ts";
import { build, type Runner } from "../platform/database/statements.ts";
import { parseId } from "../platform/ids.ts";
import { storeColumns, storeFacts } from "./facts.ts";

/** What other slices and the command line may ask of stores. */

/** A store by its public id or its shop domain; disconnected ones included. */
export async function findStore(db: Runner, idOrDomain: string): Promise<StoreFacts | undefined> {
  const uuid = parseId("store", idOrDomain);
  const row = await db.first(
    build
      .selectFrom("stores")
      .select(storeColumns)
      .where((where) => (uuid ? where("id", "=", uuid) : where("shop_domain", "=", idOrDomain.toLowerCase()))),
  );
  return row && storeFacts(row);
}

/** The connected store behind a publishable key, whatever its plan (B: a paused plan still takes shopper events). */
export async function storeOfPublishableKey(db: Runner, publishableKey: string): Promise<StoreFacts | undefined> {
  const uuid = parseId("pub", publishableKey);
  if (!uuid) return undefined;
  const row = await db.first(
    build
      .selectFrom("stores")
      .select(storeColumns)
      .where("publishable_key", "=", uuid)
      .where(sql<boolean>`disconnected_at IS NULL`),
  );
  return row && storeFacts(row);
}

export interface StoreChange {
  kind: "session" | "profile" | "quiz";
  /** UUID */
  id: string;
}

export interface StoreRevision {
  revision: number;
  sessionsNumbered: number;
  profilesNumbered: number;
}

/**
 * Locks the store's one row that orders its changes, and raises its revision (design: a gapless order that a copy can
 * follow). Every transaction that changes facts or people begins with it. `sessions` and `profiles` draw that many
 * numbers; the answer holds the last number drawn before.
 */
export async function raiseRevision(
  tx: Transaction,
  storeId: string,
  drawn: { sessions?: number; profiles?: number } = {},
): Promise<StoreRevision> {
  const { sessions = 0, profiles = 0 } = drawn;
  const row = await tx.first(
    build
      .updateTable("store_revisions")
      .set((set) => ({
        revision: set("revision", "+", 1),
        sessions_numbered: set("sessions_numbered", "+", sessions),
        profiles_numbered: set("profiles_numbered", "+", profiles),
      }))
      .where("store_id", "=", storeId)
      .returning(["revision", "sessions_numbered", "profiles_numbered"]),
  );
  if (!row) throw new Error("a store has no revision row");
  return {
    revision: row.revision,
    sessionsNumbered: row.sessions_numbered - sessions,
    profilesNumbered: row.profiles_numbered - profiles,
  };
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
  const kinds = changes.map((change) => change.kind);
  const ids = changes.map((change) => change.id);
  await tx.all({
    sql: `INSERT INTO changes (store_id, revision, token, kind, id, at)
          SELECT DISTINCT $1::uuid, $2::bigint, $3::uuid, c.kind, c.id, $4::timestamptz
          FROM unnest($5::text[], $6::uuid[]) AS c (kind, id)`,
    parameters: [storeId, revision, token, at, kinds, ids],
  });
}
