import type { Route } from "../platform/http/operations.ts";
import { createEndpointRoute } from "./create-endpoint.ts";
import { deleteEndpointRoute } from "./delete-endpoint.ts";
import { getEndpointRoute } from "./get-endpoint.ts";
import { listDeliveriesRoute } from "./list-deliveries.ts";
import { listEndpointsRoute } from "./list-endpoints.ts";
import { listEventsRoute } from "./list-events.ts";
import { pingEndpointRoute } from "./ping-endpoint.ts";
import { redeliverFailedRoute, redeliverRoute } from "./redeliver.ts";
import { revealSecretRoute, rotateSecretRoute } from "./secret-routes.ts";
import type { WebhookRouteTools } from "./tools.ts";
import { updateEndpointRoute } from "./update-endpoint.ts";

export const webhookRoutes = (tools: WebhookRouteTools): Route[] => [
  listEventsRoute(tools),
  listEndpointsRoute(tools),
  createEndpointRoute(tools),
  getEndpointRoute(tools),
  updateEndpointRoute(tools),
  deleteEndpointRoute(),
  listDeliveriesRoute(tools),
  redeliverRoute(tools),
  redeliverFailedRoute(tools),
  revealSecretRoute(tools),
  rotateSecretRoute(tools),
  pingEndpointRoute(tools),
];
