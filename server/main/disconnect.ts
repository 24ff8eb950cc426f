import { endTokensOfStore } from "../accounts/public.ts";
import { cancelExports } from "../exports/end-exports.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { type AdminDeps, disconnectStore } from "../stores/admin.ts";
import { deleteEndpoints } from "../webhooks/delete-endpoint.ts";

/**
 * Disconnects a store: revokes every key, ends every personal token, deletes every webhook endpoint
 * [command-line.disconnect], cancels every export. Repeating it changes nothing.
 */
export async function disconnect(tx: Transaction, deps: AdminDeps, storeId: string) {
  const done = await disconnectStore(tx, deps, storeId);
  await endTokensOfStore(tx, storeId);
  await cancelExports(tx, storeId, deps.calendar.now());
  return { ...done, endpoints_deleted: await deleteEndpoints(tx, storeId) };
}
