import { ownStore, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { storedJson } from "../platform/database/stored-json.ts";
import { replaceTexts } from "../platform/replace-texts.ts";

/** Ends exports when people are erased or a store is disconnected. The sweep removes the files after the commit. */

const endNow = (now: number) => sql`due_at = ${new Date(now)}, lease_id = NULL, lease_until = NULL`;

/**
 * Finished files that may contain an erased person expire at once, whether or not they do: searching them would take
 * longer than building them again. Builds under way start again with the data left after the erasure [exports.erasure].
 * An export that searched for an erased contact names it no more, and is not built: it would find somebody else
 * [erasure.exports].
 */
export async function forgetExports(tx: StoreTransaction, holds: (text: string) => boolean, now: number): Promise<[]> {
  await tx.all(sql`
    UPDATE exports SET ${endNow(now)},
      status = CASE WHEN status = 'completed' THEN 'expired' ELSE 'pending' END,
      started_at = CASE WHEN status = 'completed' THEN started_at END
    WHERE store_id = ${ownStore} AND dataset <> 'quiz_analytics' AND status IN ('running', 'completed')`);
  const rows = await tx.all(sql<{ id: string; filters: unknown }>`
    SELECT id, filters FROM exports WHERE store_id = ${ownStore} AND filters ->> 'search' IS NOT NULL`);
  for (const { id, filters } of rows) {
    const left = replaceTexts(filters, holds);
    if (left === filters) continue;
    await tx.all(sql`
    UPDATE exports SET filters = ${storedJson(left)}::jsonb, ${endNow(now)},
      status = CASE WHEN status = 'pending' THEN 'failed' ELSE status END,
      error = CASE WHEN status = 'pending' THEN ${searchErased} ELSE error END
    WHERE store_id = ${ownStore} AND id = ${id}`);
  }
  return [];
}

const searchErased = "It searched for a person who was erased";

/**
 * A disconnected store keeps no files and no builds [exports.disconnect]. A repeated call changes nothing. `now` as
 * above.
 */
export async function cancelExports(tx: Transaction, storeId: string, now: number): Promise<void> {
  await tx.forStore(storeId).all(sql`
    UPDATE exports SET ${endNow(now)},
      status = CASE WHEN status = 'completed' THEN 'expired' ELSE 'failed' END,
      error = CASE WHEN status = 'completed' THEN error ELSE 'The store was disconnected' END
    WHERE store_id = ${ownStore} AND status IN ('pending', 'running', 'completed')`);
}
