import { ownStore, raw, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { holdRevision, recordRevision, revisionOf } from "../stores/public.ts";
import type { ErasedPeople, ErasureDeps } from "./erase.ts";
import { entryOf, type LedgerEntry, type Naming, recordErasure } from "./ledger.ts";
import { childrenFirst, tenantTables } from "./tables.ts";

/** What an erased store is called, so that a shop that comes back can be connected anew; no host's name ends so. */
const freedDomain = (storeId: string): string => `${storeId}.erased.invalid`;

/**
 * Stays of an erased store: that it was there, who may not come in any more, what orders its changes and its copies, what
 * was erased, and what the platform asked for and sent, without whom it was about.
 */
const kept = new Set([
  "stores",
  "api_keys",
  "store_revisions",
  "facts_copies",
  "erasures",
  "commerce_requests",
  "commerce_deliveries",
]);

const nobody: ErasedPeople = {
  profileIds: [],
  sessionIds: [],
  answers: [],
  openedWith: [],
  linkedEmails: [],
  orderIds: [],
  emails: [],
  phones: [],
};

/**
 * Erases a store: every row that is the store's, of whichever slice [erasure.redacted-shop]. The caller's transaction
 * disconnects it as well; one statement a table, each bounded by the database's time-out.
 */
export async function eraseStore(tx: StoreTransaction, deps: ErasureDeps, naming: Naming): Promise<LedgerEntry> {
  const { storeId } = tx;
  const now = deps.now();
  const at = new Date(now);
  await holdRevision(tx, storeId);
  for (const eraser of deps.erasers) await eraser.forgetPeople(tx, nobody);
  const tables = await tenantTables(tx);
  for (const { name } of childrenFirst(tables.filter((table) => !kept.has(table.name)))) {
    await tx.all(sql`DELETE FROM ${raw(name)} WHERE store_id = ${ownStore}`);
  }
  await tx.all(sql`UPDATE commerce_requests SET subject = NULL WHERE store_id = ${ownStore}`);
  await tx.all(sql`
  UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${at}), admin = '', name = '' WHERE store_id = ${ownStore}`);
  await tx.all(sql`
  UPDATE stores SET shop_domain = ${freedDomain(storeId)}, name = '', commerce_secret = ''::bytea,
    disconnected_at = coalesce(disconnected_at, ${at}), test_store_id = NULL
  WHERE id = ${ownStore}`);
  // its test twin is emptied for good: nobody has a key to it any more
  await tx.all(sql`
  UPDATE stores SET shop_domain = id || '.emptied.invalid', name = '', commerce_secret = ''::bytea,
    disconnected_at = coalesce(disconnected_at, ${at}), emptied_at = coalesce(emptied_at, ${at}), clock_ahead_ms = NULL
  WHERE test_of = ${ownStore}`);
  // the store itself stands for everything: a copy that finds it among the changes is behind
  const revision = await recordRevision(tx, [{ kind: "profile", id: storeId }], { now, random: deps.random });
  const entry = entryOf(naming, {
    id: uuidAt(now, deps.random),
    store_id: storeId,
    scope: "store",
    profile_ids: [],
    session_ids: [],
    order_ids: [],
    hashes: [],
    at: now,
    revision: revision ?? (await revisionOf(tx)),
  });
  await recordErasure(tx, entry);
  if ("by" in naming) await deps.ledger.append([entry]);
  return entry;
}
