import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lateScreen } from "../app/late.tsx";

export const routes = (parent: AnyRoute): AnyRoute[] => [
  createRoute({
    getParentRoute: () => parent,
    path: "/profiles",
    component: lateScreen(() => import("./people-screen.tsx"), "PeopleScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/profiles/search",
    component: lateScreen(() => import("./search-screen.tsx"), "SearchScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/profiles/$profileId",
    component: lateScreen(() => import("./person-screen.tsx"), "PersonScreen"),
  }),
];
