import { getEndpoint, listDeliveries, listEndpoints } from "../../contract/webhooks.ts";
import { cutPage, readCursor, readPage } from "../platform/cursors.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import {
  deliveryAnswer,
  endpointAnswer,
  parseEndpointId,
  placeOf,
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
export const listDeliveriesRoute = ({ secrets }: WebhookRouteDeps) =>
  readRoute(listDeliveries, async ({ caller, params, query: { cursor, limit = 20 } }, db) => {
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    const binding = { storeId: db.storeId, route: listDeliveries.id, filters: [endpointId] };
    const after = cursor === undefined ? null : readCursor(secrets, binding, cursor);
    const endpoint = await readEndpoint(db, endpointId);
    const rows = await readDeliveries(db, endpointId, after, limit + 1);
    const page = cutPage(rows, limit, secrets, binding, placeOf);
    const data = page.rows.map((row) => deliveryAnswer(row, endpoint, caller));
    return { data, has_more: page.has_more, next_cursor: page.next_cursor };
  });
