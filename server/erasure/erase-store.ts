import { ownStore, raw, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { holdRevision, recordRevision, revisionOf } from "../stores/public.ts";
import type { ErasedPeople, ErasureDeps } from "./erase.ts";
import { entryOf, type LedgerEntry, type Naming, recordErasure } from "./ledger.ts";
import { childrenFirst, tenantTables } from "./tables.ts";

/**
 * The domain of an erased store. It frees the original, so that the shop can be connected again; no real host name ends
 * this way.
 */
const freedDomain = (storeId: string): string => `${storeId}.erased.invalid`;

/**
 * Tables that keep an erased store's rows: that it existed, which keys are revoked, the order of its changes and
 * copies, what was erased, and the platform's requests and messages, without the people they were about.
 */
const retainedTables = new Set([
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
  openings: [],
  lines: [],
  orderIds: [],
  emails: [],
  phones: [],
  search: { holds: () => false },
};

async function deleteStoreRows(tx: StoreTransaction, deps: Pick<ErasureDeps, "erasers">): Promise<void> {
  await holdRevision(tx, tx.storeId);
  for (const eraser of deps.erasers) await eraser.forgetPeople(tx, nobody);
  const tables = await tenantTables(tx);
  for (const { name } of childrenFirst(tables.filter((table) => !retainedTables.has(table.name)))) {
    await tx.all(sql`DELETE FROM ${raw(name)} WHERE store_id = ${ownStore}`);
  }
  await tx.all(sql`UPDATE commerce_requests SET subject = NULL WHERE store_id = ${ownStore}`);
}

/**
 * Erases a store and its test twin: every row of theirs, in the tables of all slices [erasure.redacted-shop]. The caller's
 * transaction, of no store since it changes two, also disconnects it. Runs one statement per table, each limited by the database's timeout.
 */
export async function eraseStore(
  transaction: Transaction,
  storeId: string,
  deps: ErasureDeps,
  naming: Naming,
): Promise<LedgerEntry> {
  const tx = transaction.forStore(storeId);
  const now = deps.now();
  const at = new Date(now);
  await deleteStoreRows(tx, deps);
  await tx.all(sql`
  UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${at}), admin = '', name = '' WHERE store_id = ${ownStore}`);
  await tx.all(sql`
  UPDATE stores SET shop_domain = ${freedDomain(storeId)}, name = '', commerce_secret = ''::bytea,
    disconnected_at = coalesce(disconnected_at, ${at}), test_store_id = NULL
  WHERE id = ${ownStore}`);
  // its test twin is emptied for good, since nobody has a key to it any more; so are those that it had before, whatever
  // the sweep has left of them [test-stores.emptied]
  const twins = await tx.all(sql<{ id: string }>`SELECT id FROM stores WHERE test_of = ${ownStore} ORDER BY id`);
  for (const { id } of twins) {
    const twin = transaction.forStore(id);
    await deleteStoreRows(twin, deps);
    await recordRevision(twin, [{ kind: "profile", id }], { now, random: deps.random });
  }
  await tx.all(sql`
  UPDATE stores SET shop_domain = id || '.emptied.invalid', name = '', commerce_secret = ''::bytea,
    disconnected_at = coalesce(disconnected_at, ${at}), emptied_at = coalesce(emptied_at, ${at}), clock_ahead_ms = NULL
  WHERE test_of = ${ownStore}`);
  // the store's own id stands for everything: a copy that finds it among the changes is outdated
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
