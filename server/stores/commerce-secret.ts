import type { StoreTransaction } from "../platform/database/sql.ts";
import { sql } from "../platform/database/sql.ts";
import type { Secrets } from "../platform/secrets.ts";
import { commerceSecretPurpose } from "./store-rows.ts";

/**
 * Encrypts and stores the secret with which the commerce platform signs a store's messages; the caller has checked it.
 */
export async function sealCommerceSecret(tx: StoreTransaction, secrets: Secrets, secret: string): Promise<void> {
  const sealed = secrets.encrypt(secret, commerceSecretPurpose(tx.storeId));
  await tx.all(sql`UPDATE stores SET commerce_secret = ${sealed} WHERE id = ${tx.storeId}`);
}
