import type { Store } from "../platform/caller.ts";
import { type Runner, sql, type Transaction } from "../platform/database/sql.ts";
import type { Secrets } from "../platform/secrets.ts";
import { commerceSecretPurpose, type StoreRow, storeColumnsOf, storeOf } from "./store-rows.ts";

/** A store as its shop on the commerce platform. */

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
  await tx.all(sql`
    UPDATE stores SET name = coalesce(${name}, name), currency = coalesce(${currency}, currency),
      timezone = coalesce(${timezone}, timezone)
    WHERE id = ${storeId} OR test_of = ${storeId}`);
}
