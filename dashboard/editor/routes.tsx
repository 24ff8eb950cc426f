import { type AnyRoute, createRoute } from "@tanstack/react-router";
import { lateScreen } from "../app/late.tsx";

export const routes = (parent: AnyRoute): AnyRoute[] => [
  createRoute({
    getParentRoute: () => parent,
    path: "/quizzes/new",
    component: lateScreen(() => import("./new-quiz-screen.tsx"), "NewQuizScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/quizzes/$quizId/edit",
    component: lateScreen(() => import("./editor-screen.tsx"), "EditorScreen"),
  }),
  createRoute({
    getParentRoute: () => parent,
    path: "/approvals/$approvalId",
    component: lateScreen(() => import("./approval-screen.tsx"), "ApprovalScreen"),
  }),
];
