import { isoTime } from "../platform/clock.ts";
import { ownStore, raw, sql, type Transaction } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { raiseRevision, recordChanges } from "../stores/public.ts";
import type { ErasureDeps } from "./eraser.ts";
import { recordErasure } from "./ledger.ts";
import type { LedgerEntry } from "./ledger-file.ts";
import { tenantTables } from "./tables.ts";

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

/**
 * Erases a store: every row that is the store's, of whichever slice [erasure.redacted-shop]. The caller's transaction disconnects it
 * as well; one statement a table, each bounded by the database's time-out.
 *
 * @param naming who asks for it; `again`: as the ledger has it
 */
export async function eraseStore(
  tx: Transaction,
  deps: ErasureDeps,
  storeId: string,
  naming: { by: string } | { again: LedgerEntry },
): Promise<LedgerEntry> {
  const { revision } = await raiseRevision(tx, storeId);
  const now = deps.now();
  const nobody = {
    profileIds: [],
    sessionIds: [],
    answers: [],
    openedWith: [],
    linkedEmails: [],
    orderIds: [],
    emails: [],
    phones: [],
  };
  for (const eraser of deps.erasers) await eraser.forgetPeople(tx, storeId, nobody);
  const tables = await tenantTables(tx);
  for (const { name } of childrenFirst(tables.filter((table) => !kept.has(table.name)))) {
    await tx.forStore(storeId).all(sql`DELETE FROM ${raw(name)} WHERE store_id = ${ownStore}`);
  }
  await tx.forStore(storeId).all(sql`UPDATE commerce_requests SET subject = NULL WHERE store_id = ${ownStore}`);
  await tx
    .forStore(storeId)
    .all(
      sql`UPDATE api_keys SET revoked_at = coalesce(revoked_at, ${new Date(now)}), admin = '', name = '' WHERE store_id = ${ownStore}`,
    );
  await tx
    .forStore(storeId)
    .all(sql`UPDATE stores SET shop_domain = ${freedDomain(storeId)}, name = '', commerce_secret = ''::bytea,
            disconnected_at = coalesce(disconnected_at, ${new Date(now)}) WHERE id = ${ownStore}`);
  const entry: LedgerEntry = {
    ...("again" in naming
      ? naming.again
      : {
          id: uuidAt(now, deps.random),
          store_id: storeId,
          scope: "store",
          profile_ids: [],
          session_ids: [],
          order_ids: [],
          hashes: [],
          erased_at: isoTime(new Date(now)),
          erased_by: naming.by,
        }),
    revision,
  };
  // the store itself stands for everything: a copy that finds it among the changes is behind
  await recordChanges(tx, storeId, revision, uuidAt(now, deps.random), new Date(now), [
    { kind: "profile", id: storeId },
  ]);
  await recordErasure(tx, entry);
  if (!("again" in naming)) await deps.ledger.append([entry]);
  return entry;
}

interface Table {
  name: string;
  /** tables that its foreign keys refer to */
  refersTo: readonly string[];
}

/** Each table before those that it refers to. */
function childrenFirst<Given extends Table>(tables: readonly Given[]): Given[] {
  const left = new Map(tables.map((table) => [table.name, table]));
  const sorted: Given[] = [];
  while (left.size > 0) {
    const referred = new Set([...left.values()].flatMap(({ name, refersTo }) => refersTo.filter((to) => to !== name)));
    const free = [...left.values()].filter(({ name }) => !referred.has(name));
    // a circle of tables cannot be emptied in any order; the database says which
    const next = free.length > 0 ? free : [...left.values()];
    sorted.push(...next);
    for (const { name } of next) left.delete(name);
  }
  return sorted;
}
