import type { Store } from "../platform/caller.ts";
import { ownStore, type Runner, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import type { Secrets } from "../platform/secrets.ts";
import { holdRevision } from "./revision.ts";
import { commerceSecretPurpose, type StoreRow, storeColumnsOf, storeOf } from "./store-rows.ts";

/**
 * A store as its shop on the commerce platform. Its row is changed behind the lock on its revision, as by whoever disconnects
 * it.
 */

export interface ConnectedShop {
  store: Store;
  /** with which the commerce platform signs its messages */
  commerceSecret: string;
  disconnected: boolean;
}

/** The store with this domain on the commerce platform, whatever its plan, even if disconnected. */
export async function shopOfDomain(db: Runner, secrets: Secrets, domain: string): Promise<ConnectedShop | undefined> {
  const row = await db.first(sql<StoreRow & { commerce_secret: Buffer; disconnected_at: Date | null }>`
    SELECT ${storeColumnsOf("stores")}, commerce_secret, disconnected_at FROM stores WHERE shop_domain = ${domain.toLowerCase()}`);
  // an erased store has no secret, and accepts no more messages
  if (!row || row.commerce_secret.length === 0) return undefined;
  return {
    store: storeOf(row),
    commerceSecret: secrets.decrypt(row.commerce_secret, commerceSecretPurpose(row.id)),
    disconnected: row.disconnected_at !== null,
  };
}

/** Copies what a shop's owner changed on the commerce platform; the caller has checked the values. */
export async function updateShop(
  tx: Transaction,
  storeId: string,
  { name = null, currency = null, timezone = null }: { [Field in "name" | "currency" | "timezone"]?: string | null },
): Promise<void> {
  if (name === null && currency === null && timezone === null) return;
  await holdRevision(tx, storeId);
  await tx.all(sql`
    UPDATE stores SET name = coalesce(${name}, name), currency = coalesce(${currency}, currency),
      timezone = coalesce(${timezone}, timezone)
    WHERE id = ${storeId} OR test_of = ${storeId}`);
}

/**
 * Whether a shop/update is at least as new as the newest so far, which it then is [orders.shop]: by `updated_at`, for
 * equal times by when it was sent; ms, null if the message does not say.
 */
export async function noteShopUpdate(
  tx: StoreTransaction,
  { updatedAt, triggeredAt }: { updatedAt: number | null; triggeredAt: number | null },
): Promise<boolean> {
  if (updatedAt === null && triggeredAt === null) return true;
  const at = new Date(updatedAt ?? triggeredAt ?? 0);
  const sentAt = triggeredAt === null ? null : new Date(triggeredAt);
  await holdRevision(tx, tx.storeId);
  const newest = await tx.first(sql`
    UPDATE stores SET shop_updated_at = ${at}, shop_triggered_at = coalesce(${sentAt}::timestamptz, shop_triggered_at)
    WHERE id = ${tx.storeId} AND (shop_updated_at IS NULL
      OR (shop_updated_at, coalesce(shop_triggered_at, ${sentAt}::timestamptz, '-infinity'))
        <= (${at}::timestamptz, coalesce(${sentAt}::timestamptz, shop_triggered_at, '-infinity')))
    RETURNING id`);
  return newest !== undefined;
}

/**
 * Whether the shop sells without an online store, so that products count as in the shop that it does not show
 * [orders.in-shop]. What shoppers' browsers got of the catalog is out of date with it [storefront.catalog].
 */
export async function setOnlineStore(tx: StoreTransaction, sellsWithout: boolean): Promise<void> {
  await holdRevision(tx, tx.storeId);
  await tx.all(sql`
    INSERT INTO catalog_states AS c (store_id, writes) VALUES (${ownStore}, 1)
    ON CONFLICT (store_id) DO UPDATE SET writes = c.writes + 1`);
  await tx.all(sql`UPDATE stores SET sells_without_online_store = ${sellsWithout}
    WHERE id = ${tx.storeId} OR test_of = ${tx.storeId}`);
}
