import type { Transaction } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";

/** What has to happen to exports when people or a whole store go. Files are removed by the sweep, after the commit. */

/**
 * Finished files that may hold somebody who is erased expire at once, whoever is in them: looking through them would
 * take longer than making them anew. Builds under way begin again, from what is there after the erasure
 * [exports.erasure].
 *
 * @param now calendar time in ms
 */
export async function forgetExports(tx: Transaction, storeId: string, now: number): Promise<[]> {
  await tx.all(written(forgetSql, [storeId, new Date(now)]));
  return [];
}

const forgetSql = `
  UPDATE exports SET due_at = $2, lease_id = NULL, lease_until = NULL,
    status = CASE WHEN status = 'completed' THEN 'expired' ELSE 'pending' END,
    started_at = CASE WHEN status = 'completed' THEN started_at END
  WHERE store_id = $1 AND dataset <> 'quiz_analytics' AND status IN ('running', 'completed')`;

/** A disconnected store has no files, and none that is being made. Again, it changes nothing. `now` as above. */
export async function cancelExports(tx: Transaction, storeId: string, now: number): Promise<void> {
  await tx.all(written(cancelSql, [storeId, new Date(now), "The store was disconnected"]));
}

const cancelSql = `
  UPDATE exports SET due_at = $2, lease_id = NULL, lease_until = NULL,
    status = CASE WHEN status = 'completed' THEN 'expired' ELSE 'failed' END,
    error = CASE WHEN status = 'completed' THEN error ELSE $3 END
  WHERE store_id = $1 AND status IN ('pending', 'running', 'completed')`;
