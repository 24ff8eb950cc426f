import { endTokensOfStore } from "../accounts/public.ts";
import { cancelExports } from "../exports/end-exports.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { type AdminDeps, disconnectStore } from "../stores/admin.ts";
import { holdRevision } from "../stores/public.ts";
import { deleteEndpoints } from "../webhooks/delete-endpoint.ts";

/**
 * Disconnects a store: revokes every key, ends every personal token, deletes every webhook endpoint
 * [command-line.disconnect], cancels every export. Repeating it changes nothing.
 */
export async function disconnect(tx: Transaction, deps: AdminDeps, storeId: string) {
  // before anything else, like whatever changes a store
  await holdRevision(tx, storeId);
  // requests lock what they change before the store, so this does too; what was created until then is ended as well
  const before = await endAccess(tx, deps, storeId);
  const done = await disconnectStore(tx, deps, storeId);
  const after = await endAccess(tx, deps, storeId);
  return { ...done, endpoints_deleted: before + after };
}

/** Returns how many endpoints were deleted. */
async function endAccess(tx: Transaction, deps: AdminDeps, storeId: string): Promise<number> {
  await endTokensOfStore(tx, storeId);
  await cancelExports(tx, storeId, deps.calendar.now());
  return deleteEndpoints(tx, storeId);
}
