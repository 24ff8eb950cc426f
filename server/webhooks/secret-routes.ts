import { revealSecret, rotateSecret } from "../../contract/webhooks.ts";
import { isoTime } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { build } from "../platform/database/statements.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { notFound } from "../platform/problems.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import { parseEndpointId } from "./endpoint-rows.ts";
import { newSecret, openSecret, overlapMs, sealSecret } from "./secrets.ts";

/** POST /v1/webhooks/{endpoint_id}/reveal-secret */
export const revealSecretRoute = ({ secrets }: WebhookRouteDeps) =>
  writeRoute(revealSecret, async ({ caller, params }, tx) => {
    const storeId = caller.store.id;
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const sealed = await lockSecret(tx, storeId, endpointId);
    return { body: { secret: openSecret(secrets, storeId, endpointId, sealed) } };
  });

/** POST /v1/webhooks/{endpoint_id}/rotate-secret: again on every call; the one before signs along for 24 hours. */
export const rotateSecretRoute = ({ secrets, calendar, random }: WebhookRouteDeps) =>
  writeRoute(rotateSecret, async ({ caller, params }, tx) => {
    const storeId = caller.store.id;
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const previous = await lockSecret(tx, storeId, endpointId);
    const secret = newSecret(random);
    const now = calendar.now();
    const expires = new Date(now + overlapMs);
    await tx.all(
      build
        .updateTable("webhook_endpoints")
        .set({
          secret: sealSecret(secrets, storeId, endpointId, secret),
          previous_secret: previous,
          previous_secret_expires_at: expires,
          updated_at: new Date(now),
        })
        .where("store_id", "=", storeId)
        .where("id", "=", endpointId),
    );
    return { body: { secret, previous_secret_expires_at: isoTime(expires) } };
  });

async function lockSecret(tx: Transaction, storeId: string, endpointId: string): Promise<Buffer> {
  const row = await tx.first(
    build
      .selectFrom("webhook_endpoints")
      .select("secret")
      .where("store_id", "=", storeId)
      .where("id", "=", endpointId)
      .forNoKeyUpdate(),
  );
  if (!row) throw notFound();
  return row.secret;
}
