import type { Transaction } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";
import { lastDue } from "./deliveries.ts";
import { withoutContacts } from "./privacy.ts";
import { shopperTopics } from "./records.ts";

/** What is left of an identity.captured without its contact is told to nobody: it is about nothing else. */
export const contactsRemoved = "contacts_removed";
export const personErased = "person_erased";

const atOnce = 500;

/**
 * Takes the contacts out of an endpoint's payloads [webhooks.privacy-off]: of all that wait, when the privacy switch is
 * turned off, or of some by their UUIDs, before they are sent again. The caller holds the endpoint's lock.
 */
export async function takeContactsOut(
  tx: Transaction,
  storeId: string,
  endpointId: string,
  which: "waiting" | readonly string[],
): Promise<void> {
  const ids = which === "waiting" ? await readWaiting(tx, storeId, endpointId) : which;
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce);
    const rows = await tx.all(
      written<{ id: string; payload: string }>(
        `SELECT id, payload FROM webhook_deliveries
         WHERE store_id = $1 AND id = ANY ($2::uuid[]) AND topic = ANY ($3::text[])`,
        [storeId, some, shopperTopics],
      ),
    );
    const changed = rows.flatMap(({ id, payload }) => {
      const without = withoutContacts(payload);
      return without === payload ? [] : [{ id, payload: without }];
    });
    await rewritePayloads(tx, storeId, changed);
    await tx.all({
      sql: `UPDATE webhook_deliveries SET status = 'dead', next_attempt_at = ${lastDue}, last_error = $3
            WHERE store_id = $1 AND id = ANY ($2::uuid[]) AND topic = 'identity.captured' AND status <> 'delivered'`,
      parameters: [storeId, some, contactsRemoved],
    });
  }
}

async function readWaiting(tx: Transaction, storeId: string, endpointId: string): Promise<string[]> {
  const rows = await tx.all(
    written<{ id: string }>(
      `SELECT id FROM webhook_deliveries
       WHERE store_id = $1 AND endpoint_id = $2 AND status IN ('pending', 'delivering', 'retrying')`,
      [storeId, endpointId],
    ),
  );
  return rows.map(({ id }) => id);
}

export async function rewritePayloads(
  tx: Transaction,
  storeId: string,
  rows: readonly { id: string; payload: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.all({
    sql: `UPDATE webhook_deliveries d SET payload = r.payload
          FROM unnest($2::uuid[], $3::text[]) AS r (id, payload) WHERE d.store_id = $1 AND d.id = r.id`,
    parameters: [storeId, rows.map(({ id }) => id), rows.map(({ payload }) => payload)],
  });
}
