import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";

/** What has to happen to exports when people or a whole store go. Files are removed by the sweep, after the commit. */

const endNow = (now: number) => sql`due_at = ${new Date(now)}, lease_id = NULL, lease_until = NULL`;

/**
 * Finished files that may hold somebody who is erased expire at once, whoever is in them: looking through them would
 * take longer than making them anew. Builds under way begin again, from what is there after the erasure
 * [exports.erasure].
 *
 * @param now calendar time in ms
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
 * A disconnected store has no files, and none that is being made [exports.disconnect]. Again, it changes nothing. `now`
 * as above.
 */
export async function cancelExports(tx: Transaction, storeId: string, now: number): Promise<void> {
  await tx.forStore(storeId).all(sql`
    UPDATE exports SET ${endNow(now)},
      status = CASE WHEN status = 'completed' THEN 'expired' ELSE 'failed' END,
      error = CASE WHEN status = 'completed' THEN error ELSE 'The store was disconnected' END
    WHERE store_id = ${ownStore} AND status IN ('pending', 'running', 'completed')`);
}
