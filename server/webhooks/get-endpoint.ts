import { getEndpoint } from "../../contract/webhooks.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import { endpointAnswer, parseEndpointId, readEndpoint } from "./endpoint-rows.ts";

/** GET /v1/webhooks/{endpoint_id} */
export const getEndpointRoute = ({ calendar }: WebhookRouteDeps) =>
  readRoute(getEndpoint, async ({ caller, params }, db) => {
    const endpointId = pathId(parseEndpointId, params["endpoint_id"]);
    return endpointAnswer(await readEndpoint(db, caller.store.id, endpointId), calendar.now());
  });
