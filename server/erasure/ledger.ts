import { isoTime } from "../platform/clock.ts";
import { ownStore, type Runner, raw, sql, type Transaction } from "../platform/database/sql.ts";
import type { LedgerEntry } from "./ledger-file.ts";

/** The ledger in the database (see migrations/0005). */

interface Row {
  id: string;
  store_id: string;
  scope: LedgerEntry["scope"];
  profile_ids: string[];
  session_ids: string[];
  order_ids: string[];
  hashes: string[];
  erased_at: Date;
  erased_by: string;
  revision: number;
}

const entryOf = ({ erased_at, ...row }: Row): LedgerEntry => ({ ...row, erased_at: isoTime(erased_at) });
const columns = "id, store_id, scope, profile_ids, session_ids, order_ids, hashes, erased_at, erased_by, revision";

/** An entry that was made again after a restore keeps the time of its first making; its revision is the newer. */
export async function recordErasure(tx: Transaction, entry: LedgerEntry): Promise<void> {
  await tx
    .forStore(entry.store_id)
    .all(sql`INSERT INTO erasures (store_id, id, scope, profile_ids, session_ids, order_ids, hashes, erased_at, erased_by, revision)
          VALUES (${ownStore}, ${entry.id}, ${entry.scope}, ${entry.profile_ids}, ${entry.session_ids}, ${entry.order_ids}, ${entry.hashes}, ${new Date(entry.erased_at)}, ${entry.erased_by}, ${entry.revision})`);
}

/** Oldest first. */
export async function readErasures(db: Runner, storeId: string): Promise<LedgerEntry[]> {
  const rows = await db
    .forStore(storeId)
    .all(sql<Row>`SELECT ${raw(columns)} FROM erasures WHERE store_id = ${ownStore} ORDER BY erased_at, id`);
  return rows.map(entryOf);
}

/** Every erasure that named the person. */
export async function erasuresOf(db: Runner, storeId: string, profileId: string): Promise<LedgerEntry[]> {
  return (await readErasures(db, storeId)).filter((entry) => entry.profile_ids.includes(profileId));
}
