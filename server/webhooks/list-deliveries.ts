import { listDeliveries } from "../../contract/webhooks.ts";
import { cutPage, type Place, readCursor } from "../platform/cursors.ts";
import type { Statement } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import { type DeliveryRow, deliveryAnswer, deliveryColumns, parseEndpointId, readEndpoint } from "./endpoint-rows.ts";

/** GET /v1/webhooks/{endpoint_id}/deliveries, on a paused plan too [api.plans]. */
export const listDeliveriesRoute = ({ secrets }: WebhookRouteDeps) =>
  readRoute(listDeliveries, async ({ caller, params, query: { cursor, limit = 20 } }, db) => {
    const storeId = caller.store.id;
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const binding = { storeId, route: listDeliveries.id, filters: [endpointId] };
    const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
    const endpoint = await readEndpoint(db, storeId, endpointId);
    const rows = await db.all(selectPage(storeId, endpointId, after, limit + 1));
    const page = cutPage(rows, limit, secrets, binding, (row) => ({ at: row.created_at.getTime(), id: row.id }));
    const data = page.rows.map((row) => deliveryAnswer(row, endpoint, caller));
    return { data, has_more: page.has_more, next_cursor: page.next_cursor };
  });

const text = (goesOn: boolean) => `
  SELECT ${deliveryColumns.join(", ")} FROM webhook_deliveries
  WHERE store_id = $1 AND endpoint_id = $2${goesOn ? " AND (created_at, id) < ($4, $5)" : ""}
  ORDER BY created_at DESC, id DESC LIMIT $3`;
const firstPage = text(false);
const nextPage = text(true);

const selectPage = (storeId: string, endpointId: string, after: Place | null, rows: number): Statement<DeliveryRow> =>
  after
    ? written(nextPage, [storeId, endpointId, rows, new Date(after.at), after.id])
    : written(firstPage, [storeId, endpointId, rows]);
