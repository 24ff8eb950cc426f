import { ownStore, raw, sql, type Transaction } from "../platform/database/sql.ts";
import { lastDue } from "./deliveries.ts";
import { shopperTopics } from "./endpoint-rows.ts";
import { withoutContacts } from "./privacy.ts";

/** What is left of an identity.captured without its contact is told to nobody: it is about nothing else. */
export const contactsRemoved = "contacts_removed";
export const personErased = "person_erased";

const atOnce = 500;

/**
 * Takes the contacts out of an endpoint's payloads [webhooks.privacy-off]: of all that wait, when the privacy switch is
 * turned off, or of some by their UUIDs, before they are sent again. The caller holds the endpoint's lock.
 */
export async function removeContacts(
  tx: Transaction,
  storeId: string,
  endpointId: string,
  which: "waiting" | readonly string[],
): Promise<void> {
  const ids = which === "waiting" ? await readWaiting(tx, storeId, endpointId) : which;
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce);
    const rows = await tx
      .forStore(storeId)
      .all(sql<{ id: string; payload: string }>`SELECT id, payload FROM webhook_deliveries
         WHERE store_id = ${ownStore} AND id = ANY (${some}::uuid[]) AND topic = ANY (${shopperTopics}::text[])`);
    const changed = rows.flatMap(({ id, payload }) => {
      const without = withoutContacts(payload);
      return without === payload ? [] : [{ id, payload: without }];
    });
    await rewritePayloads(tx, storeId, changed);
    await tx
      .forStore(storeId)
      .all(sql`UPDATE webhook_deliveries SET status = 'dead', next_attempt_at = ${raw(lastDue)}, last_error = ${contactsRemoved}
            WHERE store_id = ${ownStore} AND id = ANY (${some}::uuid[]) AND topic = 'identity.captured' AND status <> 'delivered'`);
  }
}

async function readWaiting(tx: Transaction, storeId: string, endpointId: string): Promise<string[]> {
  const rows = await tx.forStore(storeId).all(sql<{ id: string }>`SELECT id FROM webhook_deliveries
       WHERE store_id = ${ownStore} AND endpoint_id = ${endpointId} AND status IN ('pending', 'delivering', 'retrying')`);
  return rows.map(({ id }) => id);
}

export async function rewritePayloads(
  tx: Transaction,
  storeId: string,
  rows: readonly { id: string; payload: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.forStore(storeId).all(sql`UPDATE webhook_deliveries d SET payload = r.payload
          FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ payload }) => payload)}::text[]) AS r (id, payload) WHERE d.store_id = ${ownStore} AND d.id = r.id`);
}
