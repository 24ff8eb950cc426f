import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lateScreen } from "../app/late.tsx";

export const routes = (parent: AnyRoute): AnyRoute[] => [
  createRoute({
    getParentRoute: () => parent,
    path: "/analytics",
    component: lateScreen(() => import("./store-analytics-screen.tsx"), "StoreAnalyticsScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/quizzes/$quizId",
    component: lateScreen(() => import("./quiz-analytics-screen.tsx"), "QuizAnalyticsScreen"),
  }),
];
