import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";

/** Ends exports when people are erased or a store is disconnected. The sweep removes the files after the commit. */

const endNow = (now: number) => sql`due_at = ${new Date(now)}, lease_id = NULL, lease_until = NULL`;

/**
 * Finished files that may contain an erased person expire at once, whether or not they do: searching them would take
 * longer than building them again. Builds under way start again with the data left after the erasure [exports.erasure].
 */
export async function forgetExports(tx: Transaction, storeId: string, now: number): Promise<[]> {
  await tx.forStore(storeId).all(sql`
    UPDATE exports SET ${endNow(now)},
      status = CASE WHEN status = 'completed' THEN 'expired' ELSE 'pending' END,
      started_at = CASE WHEN status = 'completed' THEN started_at END
    WHERE store_id = ${ownStore} AND dataset <> 'quiz_analytics' AND status IN ('running', 'completed')`);
  return [];
}

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
