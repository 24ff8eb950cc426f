import type { Route } from "../platform/http/operations.ts";
import { requestApprovalRoute } from "./approvals.ts";
import { archiveRoutes } from "./archive-quiz.ts";
import { deleteQuizRoute } from "./delete-quiz.ts";
import type { QuizRouteDeps, SaveVersionDeps } from "./deps.ts";
import { assistantRoutes } from "./editor/assistant-routes.ts";
import { getQuizRoute } from "./get-quiz.ts";
import { getVersionRoute } from "./get-version.ts";
import { lintRoutes } from "./lint-quiz.ts";
import { listQuizzesRoute } from "./list-quizzes.ts";
import { listVersionsRoute } from "./list-versions.ts";
import { publishVersionRoute } from "./publish-version.ts";
import { saveVersionRoute } from "./save-version.ts";

/** The routes of quizzes and their versions. */
export const quizRoutes = (deps: QuizRouteDeps & SaveVersionDeps): Route[] => [
  listQuizzesRoute(deps),
  getQuizRoute(deps),
  deleteQuizRoute(deps),
  ...archiveRoutes(deps),
  listVersionsRoute(deps),
  saveVersionRoute(deps),
  getVersionRoute(),
  ...lintRoutes(),
  publishVersionRoute(deps),
  requestApprovalRoute(deps),
  ...assistantRoutes(deps),
];
