import { revealSecret, rotateSecret } from "../../contract/webhooks.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { notFound } from "../platform/problems.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import { parseEndpointId } from "./endpoint-rows.ts";
import { newSecret, openSecret, overlapMs, sealSecret } from "./secrets.ts";

/** POST /v1/webhooks/{endpoint_id}/reveal-secret */
export const revealSecretRoute = ({ secrets }: WebhookRouteDeps) =>
  writeRoute(revealSecret, async ({ params }, tx) => {
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const sealed = await lockSecret(tx, endpointId);
    return { body: { secret: openSecret(secrets, tx.storeId, endpointId, sealed) } };
  });

/** POST /v1/webhooks/{endpoint_id}/rotate-secret: every call rotates; the previous secret stays valid for 24 hours. */
export const rotateSecretRoute = ({ secrets, calendar, random }: WebhookRouteDeps) =>
  writeRoute(rotateSecret, async ({ params }, tx) => {
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const previous = await lockSecret(tx, endpointId);
    const secret = newSecret(random);
    const now = calendar.now();
    const expires = new Date(now + overlapMs);
    await tx.all(sql`
      UPDATE webhook_endpoints SET secret = ${sealSecret(secrets, tx.storeId, endpointId, secret)},
        previous_secret = ${previous}, previous_secret_expires_at = ${expires}, updated_at = ${new Date(now)}
      WHERE store_id = ${ownStore} AND id = ${endpointId}`);
    return { body: { secret, previous_secret_expires_at: isoTime(expires) } };
  });

async function lockSecret(tx: StoreTransaction, endpointId: string): Promise<Buffer> {
  const row = await tx.first(sql<{ secret: Buffer }>`
    SELECT secret FROM webhook_endpoints WHERE store_id = ${ownStore} AND id = ${endpointId} FOR NO KEY UPDATE`);
  if (!row) throw notFound();
  return row.secret;
}
