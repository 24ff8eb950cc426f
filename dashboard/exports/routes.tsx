import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lateScreen } from "../app/late.tsx";

export const routes = (parent: AnyRoute): AnyRoute[] => [
  createRoute({
    getParentRoute: () => parent,
    path: "/exports",
    component: lateScreen(() => import("./exports-screen.tsx"), "ExportsScreen"),
  }),
];
