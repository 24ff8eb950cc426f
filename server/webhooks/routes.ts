import type { Route } from "../platform/http/operations.ts";
import { createEndpointRoute } from "./create-endpoint.ts";
import { deleteEndpointRoute } from "./delete-endpoint.ts";
import type { WebhookRouteDeps } from "./deps.ts";
import { getEventRoute, listEventsRoute } from "./list-events.ts";
import { pingEndpointRoute } from "./ping-endpoint.ts";
import { getEndpointRoute, listDeliveriesRoute, listEndpointsRoute } from "./read-routes.ts";
import { redeliverFailedRoute, redeliverRoute } from "./redeliver.ts";
import { revealSecretRoute, rotateSecretRoute } from "./secret-routes.ts";
import { updateEndpointRoute } from "./update-endpoint.ts";

export const webhookRoutes = (deps: WebhookRouteDeps): Route[] => [
  listEventsRoute(deps),
  getEventRoute(deps),
  listEndpointsRoute(deps),
  createEndpointRoute(deps),
  getEndpointRoute(deps),
  updateEndpointRoute(deps),
  deleteEndpointRoute(),
  listDeliveriesRoute(deps),
  redeliverRoute(deps),
  redeliverFailedRoute(deps),
  revealSecretRoute(deps),
  rotateSecretRoute(deps),
  pingEndpointRoute(deps),
];
