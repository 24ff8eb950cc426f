import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { countIdentities, countOrders } from "../profiles/figures.ts";
import { holdRevision, recordRevision, type StoreChange } from "../stores/public.ts";
import type { OrderDeps } from "./order-deps.ts";
import { fieldsOf, globalId, PayloadError, platformId, uuidOfGlobalId } from "./payload.ts";

/** What the platform deleted; kept so that messages from before, or about what never came, do not bring it back. */
export async function noteDeletion(tx: StoreTransaction, gid: string, at: Date): Promise<void> {
  await tx.all(sql`
  INSERT INTO commerce_deletions AS d (store_id, gid, deleted_at) VALUES (${ownStore}, ${gid}, ${at})
  ON CONFLICT (store_id, gid) DO UPDATE SET deleted_at = greatest(d.deleted_at, excluded.deleted_at)`);
}

/** When the deleted ones of these were deleted, in ms, by global id. Its statement is sent at once. */
export async function readDeletions(tx: StoreTransaction, gids: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.all(sql<{ gid: string; deleted_at: Date }>`
  SELECT gid, deleted_at FROM commerce_deletions WHERE store_id = ${ownStore} AND gid = ANY (${gids}::text[])`);
  return new Map(rows.map(({ gid, deleted_at }) => [gid, deleted_at.getTime()]));
}

/**
 * Deletes an order with everything that came with it [orders.deleted]. The platform deletes for good: no later message
 * brings the order back.
 */
export async function deleteOrder(tx: StoreTransaction, payload: unknown, deps: OrderDeps): Promise<void> {
  const number = platformId(fieldsOf(payload)?.["id"]);
  if (number === null) throw new PayloadError("must be the id of an order", { field: "id" });
  const gid = globalId("Order", number);
  const id = uuidOfGlobalId(gid);
  await holdRevision(tx, tx.storeId);
  const [, , , , deleted] = await together([
    noteDeletion(tx, gid, new Date(deps.now)),
    tx.all(sql`DELETE FROM order_keys WHERE store_id = ${ownStore} AND order_id = ${id}`),
    tx.all(sql`DELETE FROM order_lines WHERE store_id = ${ownStore} AND order_id = ${id}`),
    tx.all(sql`DELETE FROM order_refunds WHERE store_id = ${ownStore} AND order_id = ${id}`),
    tx.all(sql<{ profile_id: string | null }>`
    DELETE FROM orders WHERE store_id = ${ownStore} AND id = ${id} RETURNING profile_id`),
  ]);
  const people = deleted.flatMap(({ profile_id }) => profile_id ?? []);
  const changes: StoreChange[] = deleted.map(() => ({ kind: "order", id }));
  // an order may have been what let another visitor's checkbox count
  const [counted, consented] = [await countOrders(tx, people), await countIdentities(tx, people)];
  for (const person of new Set([...counted, ...consented])) changes.push({ kind: "profile", id: person });
  await recordRevision(tx, changes, deps);
}
