import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lateScreen } from "../app/late.tsx";

export const routes = (parent: AnyRoute): AnyRoute[] => [
  createRoute({
    getParentRoute: () => parent,
    path: "/settings",
    component: lateScreen(() => import("./store-screen.tsx"), "StoreScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/settings/store",
    component: lateScreen(() => import("./store-screen.tsx"), "StoreScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/settings/commerce",
    component: lateScreen(() => import("./commerce-screen.tsx"), "CommerceScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/settings/data-requests",
    component: lateScreen(() => import("./data-requests-screen.tsx"), "DataRequestsScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/settings/people",
    component: lateScreen(() => import("./members-screen.tsx"), "MembersScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/settings/audit",
    component: lateScreen(() => import("./audit-screen.tsx"), "AuditScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/settings/plan",
    component: lateScreen(() => import("./plan-screen.tsx"), "PlanScreen"),
  }),
];
