import type { searchDeliveries } from "../../contract/dashboard/deliveries.ts";
import { getEndpoint, listDeliveries, listEndpoints } from "../../contract/webhooks.ts";
import { cutPage, placeOf, readCursor, readPage } from "../platform/cursors.ts";
import type { StoreRunner } from "../platform/database/sql.ts";
import { pathId, type Request, readRoute } from "../platform/http/operations.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import {
  type DeliveryFilters,
  deliveryAnswer,
  endpointAnswer,
  parseEndpointId,
  readDeliveries,
  readEndpoint,
  readEndpoints,
} from "./endpoint-rows.ts";

/** GET /v1/webhooks/{endpoint_id} */
export const getEndpointRoute = ({ calendar }: WebhookRouteDeps) =>
  readRoute(getEndpoint, async ({ params }, db) =>
    endpointAnswer(await readEndpoint(db, pathId(parseEndpointId, params["endpoint_id"])), calendar.now()),
  );

/** GET /v1/webhooks; also answers on a paused plan [api.plans]. */
export const listEndpointsRoute = ({ secrets, calendar }: WebhookRouteDeps) =>
  readRoute(listEndpoints, ({ query: { cursor, limit = 20 } }, db) => {
    const binding = { storeId: db.storeId, route: listEndpoints.id, filters: [] };
    const now = calendar.now();
    return readPage(
      { secrets, binding, cursor, limit },
      (after, atMost) => readEndpoints(db, after, atMost),
      placeOf,
      (row) => endpointAnswer(row, now),
    );
  });

/** GET /v1/webhooks/{endpoint_id}/deliveries; also answers on a paused plan [api.plans]. */
export const listDeliveriesRoute = (deps: WebhookRouteDeps) =>
  readRoute(listDeliveries, (request, db) => deliveriesPage(deps, db, listDeliveries.id, request));

/** A page of an endpoint's deliveries, for the operation of this id; with filters, its cursors are bound to them. */
export async function deliveriesPage(
  { secrets }: WebhookRouteDeps,
  db: StoreRunner,
  route: string,
  { caller, params, query: { cursor, limit = 20 } }: Request<typeof listDeliveries | typeof searchDeliveries>,
  filters?: DeliveryFilters,
) {
  const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
  const binding = { storeId: db.storeId, route, filters: filters ? [endpointId, filters] : [endpointId] };
  const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
  const endpoint = await readEndpoint(db, endpointId);
  const found = await readDeliveries(db, endpointId, after, limit + 1, filters);
  const { rows, ...page } = cutPage(found, limit, secrets, binding, placeOf);
  return { data: rows.map((row) => deliveryAnswer(row, endpoint, caller)), ...page };
}
