import { type AnyRoute, createRoute, Navigate } from "@tanstack/react-router";
import { lateScreen } from "../app/late.tsx";

export const routes = (parent: AnyRoute): AnyRoute[] => [
  createRoute({
    getParentRoute: () => parent,
    path: "/developers",
    component: () => <Navigate to="/developers/keys" replace />,
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/developers/keys",
    component: lateScreen(() => import("./keys-screen.tsx"), "KeysScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/developers/webhooks",
    component: lateScreen(() => import("./webhooks-screen.tsx"), "WebhooksScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/developers/webhooks/$endpointId",
    component: lateScreen(() => import("./endpoint-screen.tsx"), "EndpointScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/developers/events",
    component: lateScreen(() => import("./events-screen.tsx"), "EventsScreen"),
  }),
];
