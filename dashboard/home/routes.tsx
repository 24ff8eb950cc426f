import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lateScreen } from "../app/late.tsx";

export const routes = (parent: AnyRoute): AnyRoute[] => [
  createRoute({
    getParentRoute: () => parent,
    path: "/",
    component: lateScreen(() => import("./home-screen.tsx"), "HomeScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/quizzes",
    component: lateScreen(() => import("./quizzes-screen.tsx"), "QuizzesScreen"),
  }),
];
