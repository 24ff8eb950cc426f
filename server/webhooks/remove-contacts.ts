import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { lastDue } from "./deliveries.ts";
import { shopperTopics } from "./endpoint-rows.ts";
import { withoutContacts } from "./privacy.ts";

/** Why a delivery of identity.captured ended: without its contact it is about nothing, and nobody is told of it. */
export const contactsRemoved = "contacts_removed";
export const personErased = "person_erased";

const atOnce = 500;

/**
 * Takes the contacts out of an endpoint's payloads [webhooks.privacy-off]: of all that wait, when the privacy switch is
 * turned off, or of some by their UUIDs, before they are sent again. The caller holds the endpoint's lock.
 */
export async function removeContacts(
  tx: StoreTransaction,
  endpointId: string,
  which: "waiting" | readonly string[],
): Promise<void> {
  const ids = which === "waiting" ? await readWaiting(tx, endpointId) : which;
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce);
    const rows = await tx.all(sql<{ id: string; payload: string }>`
      SELECT id, payload FROM webhook_deliveries
      WHERE store_id = ${ownStore} AND id = ANY (${some}::uuid[]) AND topic = ANY (${shopperTopics}::text[])`);
    const changed = rows.flatMap(({ id, payload }) => {
      const without = withoutContacts(payload);
      return without === payload ? [] : [{ id, payload: without }];
    });
    await rewritePayloads(tx, changed);
    await endDeliveries(tx, some, ["identity.captured"], contactsRemoved);
  }
}

async function readWaiting(tx: StoreTransaction, endpointId: string): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    SELECT id FROM webhook_deliveries
    WHERE store_id = ${ownStore} AND endpoint_id = ${endpointId} AND status IN ('pending', 'delivering', 'retrying')`);
  return rows.map(({ id }) => id);
}

export async function rewritePayloads(
  tx: StoreTransaction,
  rows: readonly { id: string; payload: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.all(sql`
    UPDATE webhook_deliveries d SET payload = r.payload
    FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ payload }) => payload)}::text[]) AS r (id, payload)
    WHERE d.store_id = ${ownStore} AND d.id = r.id`);
}

/** Ends those of some deliveries that are of these topics and were not delivered: they are sent no more. */
export async function endDeliveries(
  tx: StoreTransaction,
  ids: readonly string[],
  topics: readonly string[],
  reason: string,
): Promise<void> {
  if (ids.length === 0) return;
  await tx.all(sql`
    UPDATE webhook_deliveries SET status = 'dead', next_attempt_at = ${lastDue}, last_error = ${reason}
    WHERE store_id = ${ownStore} AND id = ANY (${ids}::uuid[]) AND topic = ANY (${topics}::text[])
      AND status <> 'delivered'`);
}
