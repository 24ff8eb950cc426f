import { deleteEndpoint } from "../../contract/webhooks.ts";
import type { Database } from "../platform/database/database.ts";
import { deleteRows, deleteSomeRows } from "../platform/database/delete-rows.ts";
import { ownStore, type StoreRunner, sql, type Transaction } from "../platform/database/sql.ts";
import { eachStore } from "../platform/each-store.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { notFound } from "../platform/problems.ts";
import { parseEndpointId } from "./endpoint-rows.ts";

/**
 * An endpoint is deleted at once, but its deliveries in batches: there may be millions, too many for one request
 * [webhooks.delete]. Remaining deliveries are invisible, since no route finds them without their endpoint.
 */
const deliveries = "webhook_deliveries";

/** DELETE /v1/webhooks/{endpoint_id}; a repeat answers 404. */
export const deleteEndpointRoute = () =>
  writeRoute(deleteEndpoint, async ({ params }, tx) => {
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const row = await tx.first(sql`
      DELETE FROM webhook_endpoints WHERE store_id = ${ownStore} AND id = ${endpointId} RETURNING id`);
    if (!row) throw notFound();
    await deleteSomeRows(tx, deliveries, ofEndpoint(endpointId));
    return { body: null };
  });

/** Deletes the endpoints of a store that is disconnected [command-line.disconnect]; returns their number. */
export async function deleteEndpoints(tx: Transaction, storeId: string): Promise<number> {
  const own = tx.forStore(storeId);
  const rows = await own.all(sql<{ id: string }>`
    DELETE FROM webhook_endpoints WHERE store_id = ${ownStore} RETURNING id`);
  for (const { id } of rows) await deleteSomeRows(own, deliveries, ofEndpoint(id));
  return rows.length;
}

/** Deletes the remaining deliveries of deleted endpoints; returns their number. */
export async function deleteLeftDeliveries(database: Database): Promise<number> {
  return eachStore(database, async (storeId) => {
    const db = database.reader().forStore(storeId);
    let gone = 0;
    for (const endpointId of await goneEndpoints(db)) gone += await deleteRows(db, deliveries, ofEndpoint(endpointId));
    return gone;
  });
}

const ofEndpoint = (endpointId: string) => sql`endpoint_id = ${endpointId}`;

/** Skips through the index from endpoint to endpoint, since a store has few endpoints but any number of deliveries. */
async function goneEndpoints(db: StoreRunner): Promise<string[]> {
  const known = await db.all(sql<{ id: string }>`SELECT id FROM webhook_endpoints WHERE store_id = ${ownStore}`);
  const present = new Set(known.map(({ id }) => id));
  const gone: string[] = [];
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const next = await db.first(sql<{ endpoint_id: string }>`
      SELECT endpoint_id FROM webhook_deliveries WHERE store_id = ${ownStore} AND endpoint_id > ${after}
      ORDER BY endpoint_id LIMIT 1`);
    if (!next) return gone;
    after = next.endpoint_id;
    if (!present.has(after)) gone.push(after);
  }
}
