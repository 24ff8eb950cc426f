import type { Database } from "../platform/database/database.ts";
import { ownStore, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import type { Log } from "../platform/log.ts";
import { kindsAndValues } from "../profiles/contact-rows.ts";
import { type Contact, contactKey } from "../profiles/people.ts";
import { holdRevision, revisionOf } from "../stores/public.ts";
import { hashMatcher, storedContacts } from "./contact-hashes.ts";
import { type ErasureDeps, erase } from "./erase.ts";
import { eraseStore } from "./erase-store.ts";
import { type LedgerEntry, type LedgerFile, readErasures, recordErasure } from "./ledger.ts";

export interface Replayed {
  /** erasures in the file that was read */
  in_file: number;
  /** erasures that were missing in the database and have been carried out */
  replayed: number;
  /** people whom those erasures found */
  people_erased: number;
  stores_erased: number;
  /** erasures of stores that are not in the database */
  unknown_stores: number;
  /** erasures that were only in the database and have been written to the file */
  noted: number;
  /** lines of the file that a crash truncated */
  broken_lines: number;
}

/**
 * Synchronizes the ledger file and the database. Erasures that only the file knows, because a backup was restored or
 * the erasing transaction failed at its very end, are carried out again. Erasures that only the database knows, because
 * another machine carried them out, are written to the file [erasure.restore]. Each erasure is a transaction of its
 * own.
 *
 * @param from another file to read, such as one saved before the restore; the file of `deps` is written in any case
 */
export async function replayErasures(
  database: Database,
  deps: ErasureDeps,
  log: Log,
  from: LedgerFile = deps.ledger,
): Promise<Replayed> {
  await deps.ledger.assertUsable();
  const { entries, broken } = await from.read();
  if (broken > 0) log.warn({ broken }, "the ledger of erasures has lines that cannot be read");
  const own = from === deps.ledger ? entries : (await deps.ledger.read()).entries;
  const reader = database.reader();
  const stores = await reader.all<{ id: string }>(sql`SELECT id FROM stores`);
  const inDatabase = new Map<string, LedgerEntry>();
  for (const { id } of stores) {
    for (const entry of await readErasures(reader.forStore(id))) inDatabase.set(entry.id, entry);
  }
  const isThere = new Set(stores.map(({ id }) => id));
  const missing = new Map(entries.filter(({ id }) => !inDatabase.has(id)).map((entry) => [entry.id, entry]));
  const result: Replayed = {
    in_file: entries.length,
    replayed: 0,
    people_erased: 0,
    stores_erased: 0,
    unknown_stores: 0,
    noted: 0,
    broken_lines: broken,
  };
  for (const entry of missing.values()) {
    if (!isThere.has(entry.store_id)) {
      result.unknown_stores += 1;
      continue;
    }
    const people = await database.transaction((tx) => replay(tx, deps, entry));
    // another process has carried it out
    if (people === null) continue;
    result.replayed += 1;
    result.people_erased += people;
    if (entry.scope === "store") result.stores_erased += 1;
    log.info({ erasure: entry.id, people }, "an erasure was carried out again");
  }
  const noted = new Set(own.map(({ id }) => id));
  const lacking = [...inDatabase.values(), ...missing.values()].filter(({ id }) => !noted.has(id));
  await deps.ledger.append(lacking);
  return { ...result, noted: lacking.length };
}

/** Returns how many people it found; null if the erasure has been carried out again meanwhile. */
async function replay(transaction: Transaction, deps: ErasureDeps, entry: LedgerEntry): Promise<number | null> {
  const tx = transaction.forStore(entry.store_id);
  await holdRevision(tx, tx.storeId);
  if ((await readErasures(tx)).some(({ id }) => id === entry.id)) return null;
  if (entry.scope === "store") {
    await eraseStore(transaction, entry.store_id, deps, { again: entry });
    return 0;
  }
  const contacts = await storedContacts(tx, hashMatcher(deps.secrets, tx.storeId, entry.hashes));
  const people = await readAgain(tx, entry.profile_ids, contacts);
  const subject = { profileIds: people, sessionIds: entry.session_ids, contacts, orderIds: entry.order_ids };
  const done = await erase(tx, deps, async () => subject, { again: entry });
  if (done === null) await recordErasure(tx, { ...entry, revision: await revisionOf(tx) });
  return people.length;
}

/**
 * The people of the ledger entry, and those who hold only its contacts: a backup from before two people were merged has
 * both. A person who holds other contacts too had these only until they moved to the erased person.
 */
async function readAgain(
  tx: StoreTransaction,
  profileIds: readonly string[],
  contacts: readonly string[],
): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string; named: boolean; identities: Contact[] }>`
  SELECT p.id, p.id = ANY (${profileIds}::uuid[]) AS named, coalesce((
    SELECT jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value))
    FROM identities i WHERE i.store_id = ${ownStore} AND i.profile_id = p.id), '[]') AS identities
  FROM profiles p WHERE p.store_id = ${ownStore} AND p.removed_at IS NULL AND (p.id = ANY (${profileIds}::uuid[])
    OR p.id IN (SELECT i.profile_id FROM identities i
      WHERE i.store_id = ${ownStore} AND (i.kind, i.value) IN (${kindsAndValues(contacts)})))`);
  const gone = new Set(contacts);
  return rows
    .filter(({ named, identities }) => named || identities.every((contact) => gone.has(contactKey(contact))))
    .map(({ id }) => id);
}
