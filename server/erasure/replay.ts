import type { Database } from "../platform/database/database.ts";
import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";
import type { Log } from "../platform/log.ts";
import { type ContactKind, contactKey } from "../profiles/people.ts";
import { holdRevision } from "../stores/public.ts";
import { erase } from "./erase.ts";
import { eraseStore } from "./erase-store.ts";
import type { ErasureDeps } from "./eraser.ts";
import { hashMatcher, keptContacts } from "./known-again.ts";
import { readErasures, recordErasure } from "./ledger.ts";
import type { LedgerEntry, LedgerFile } from "./ledger-file.ts";
import { revisionOf } from "./traces.ts";

export interface Replayed {
  /** erasures that the database had not heard of, and now has carried out */
  replayed: number;
  /** people whom they found there */
  people_erased: number;
  stores_erased: number;
  /** erasures of stores that the database does not have */
  unknown_stores: number;
  /** erasures that only the database knew, written to the file */
  noted: number;
  /** lines of the file that a crash cut short */
  broken_lines: number;
}

/**
 * Brings the ledger's file and the database in line: what the file alone knows, since a backup was restored or the
 * erasing transaction failed at its very end, is erased again; what the database alone knows, since another machine
 * erased it, is written to the file. Each erasure is a transaction of its own.
 *
 * @param from another file to read, such as one saved from before the restore; that of `deps` is written in any case
 */
export async function replayErasures(
  database: Database,
  deps: ErasureDeps,
  log: Log,
  from: LedgerFile = deps.ledger,
): Promise<Replayed> {
  const { entries, broken } = await from.read();
  if (broken > 0) log.warn({ broken }, "the ledger of erasures has lines that cannot be read");
  const own = from === deps.ledger ? entries : (await deps.ledger.read()).entries;
  const reader = database.reader();
  const stores = await reader.all<{ id: string }>(sql`SELECT id FROM stores`);
  const inDatabase = new Map<string, LedgerEntry>();
  for (const { id } of stores) {
    for (const entry of await readErasures(reader, id)) inDatabase.set(entry.id, entry);
  }
  const isThere = new Set(stores.map(({ id }) => id));
  const missing = new Map(entries.filter(({ id }) => !inDatabase.has(id)).map((entry) => [entry.id, entry]));
  const result: Replayed = {
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
    // another process was faster
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

/** Answers how many people it found; null: the erasure has been carried out again meanwhile. */
async function replay(tx: Transaction, deps: ErasureDeps, entry: LedgerEntry): Promise<number | null> {
  const storeId = entry.store_id;
  await holdRevision(tx, storeId);
  if ((await readErasures(tx, storeId)).some(({ id }) => id === entry.id)) return null;
  if (entry.scope === "store") {
    await eraseStore(tx, deps, storeId, { again: entry });
    return 0;
  }
  const contacts = await keptContacts(tx, storeId, hashMatcher(deps.secrets, storeId, entry.hashes));
  const people = await readAgain(tx, storeId, entry.profile_ids, contacts);
  const subject = { profileIds: people, sessionIds: entry.session_ids, contacts, orderIds: entry.order_ids };
  const done = await erase(tx, deps, storeId, async () => subject, { again: entry });
  if (done === null) await recordErasure(tx, { ...entry, revision: await revisionOf(tx, storeId) });
  return people.length;
}

/**
 * The people of the ledger, and those who hold nothing but its contacts: before two people became one, the backup has
 * both. Somebody who holds other contacts too had these only until they went to whoever was erased.
 */
async function readAgain(
  tx: Transaction,
  storeId: string,
  profileIds: readonly string[],
  contacts: readonly string[],
): Promise<string[]> {
  const rows = await tx.forStore(storeId).all(sql<{
    id: string;
    named: boolean;
    held: { kind: ContactKind; value: string }[];
  }>`SELECT p.id, p.id = ANY (${profileIds}::uuid[]) AS named, coalesce((
         SELECT jsonb_agg(jsonb_build_object('kind', i.kind, 'value', i.value))
         FROM identities i WHERE i.store_id = ${ownStore} AND i.profile_id = p.id), '[]') AS held
       FROM profiles p WHERE p.store_id = ${ownStore} AND p.removed_at IS NULL AND (p.id = ANY (${profileIds}::uuid[]) OR p.id IN (
         SELECT i.profile_id FROM unnest(${contacts}::text[]) AS k (key)
         JOIN identities i ON i.store_id = ${ownStore} AND i.kind = split_part(k.key, ':', 1)
           AND i.value = substr(k.key, strpos(k.key, ':') + 1)))`);
  const gone = new Set(contacts);
  return rows.filter(({ named, held }) => named || held.every((one) => gone.has(contactKey(one)))).map(({ id }) => id);
}
