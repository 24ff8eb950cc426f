import { deleteEndpoint } from "../../contract/webhooks.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, type Runner, raw, sql, type Transaction } from "../platform/database/sql.ts";
import { build } from "../platform/database/statements.ts";
import { eachStore } from "../platform/each-store.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { notFound } from "../platform/problems.ts";
import { parseEndpointId } from "./endpoint-rows.ts";

/**
 * Endpoints go at once, and with them everything that would find their deliveries. Those are deleted a bounded number
 * at a time: a store's largest endpoint may have millions, which no request could wait for.
 */
const deliveriesAtOnce = 5_000;

/** DELETE /v1/webhooks/{endpoint_id}; a second one finds nothing. */
export const deleteEndpointRoute = () =>
  writeRoute(deleteEndpoint, async ({ caller, params }, tx) => {
    const storeId = caller.store.id;
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const row = await tx.first(
      build
        .deleteFrom("webhook_endpoints")
        .where("store_id", "=", storeId)
        .where("id", "=", endpointId)
        .returning("id"),
    );
    if (!row) throw notFound();
    await deleteSome(tx, storeId, endpointId);
    return { body: null };
  });

/** Of a store that is disconnected [command-line.disconnect]; answers how many there were. */
export async function deleteEndpoints(tx: Transaction, storeId: string): Promise<number> {
  const rows = await tx.all(build.deleteFrom("webhook_endpoints").where("store_id", "=", storeId).returning("id"));
  for (const { id } of rows) await deleteSome(tx, storeId, id);
  return rows.length;
}

/** Deletes what endpoints that are gone have left behind; returns the number of deliveries. */
export async function deleteLeftDeliveries(database: Database): Promise<number> {
  const reader = database.reader();
  return eachStore(database, async (storeId) => {
    let gone = 0;
    for (const endpointId of await goneEndpoints(reader, storeId)) {
      for (;;) {
        const deleted = await deleteSome(reader, storeId, endpointId);
        gone += deleted;
        if (deleted < deliveriesAtOnce) break;
      }
    }
    return gone;
  });
}

async function deleteSome(db: Runner, storeId: string, endpointId: string): Promise<number> {
  const row = await db.forStore(storeId).first(sql<{ gone: number }>`WITH gone AS (
         DELETE FROM webhook_deliveries WHERE store_id = ${ownStore} AND id = ANY (ARRAY(
           SELECT id FROM webhook_deliveries WHERE store_id = ${ownStore} AND endpoint_id = ${endpointId} LIMIT ${raw(deliveriesAtOnce)}
         )) RETURNING 1)
       SELECT count(*) AS gone FROM gone`);
  return row?.gone ?? 0;
}

/** Walks the index from endpoint to endpoint: a store has few, and any number of deliveries. */
async function goneEndpoints(db: Runner, storeId: string): Promise<string[]> {
  const known = await db
    .forStore(storeId)
    .all(sql<{ id: string }>`SELECT id FROM webhook_endpoints WHERE store_id = ${ownStore}`);
  const present = new Set(known.map(({ id }) => id));
  const gone: string[] = [];
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const next = await db.forStore(storeId).first(sql<{
      endpoint_id: string;
    }>`SELECT endpoint_id FROM webhook_deliveries WHERE store_id = ${ownStore} AND endpoint_id > ${after}
         ORDER BY endpoint_id LIMIT 1`);
    if (!next) return gone;
    after = next.endpoint_id;
    if (!present.has(after)) gone.push(after);
  }
}
