import { topicsAbout } from "../../contract/events.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { lastDue } from "./deliveries.ts";
import { shopperTopics } from "./endpoint-rows.ts";
import { withoutContacts } from "./privacy.ts";

/** Reasons why a delivery ends unsent: without its contact, an identity.captured has nothing to say. */
export const contactsRemoved = "contacts_removed";
export const personErased = "person_erased";

const atOnce = 500;

/**
 * Removes contacts from an endpoint's payloads [webhooks.privacy-off]: from all waiting deliveries when the privacy
 * switch is turned off, or from those with the given UUIDs before they are sent again. The caller must hold the
 * endpoint's lock.
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
    await endDeliveries(tx, some, topicsAbout("contact"), contactsRemoved);
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

/** Ends the undelivered ones among these deliveries that have one of these topics. */
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
