import type { Route } from "../platform/http/operations.ts";
import { archiveRoutes } from "./archive-quiz.ts";
import { deleteQuizRoute } from "./delete-quiz.ts";
import { getQuizRoute } from "./get-quiz.ts";
import { getVersionRoute } from "./get-version.ts";
import { listQuizzesRoute } from "./list-quizzes.ts";
import { listVersionsRoute } from "./list-versions.ts";
import { publishVersionRoute } from "./publish-version.ts";
import { saveVersionRoute } from "./save-version.ts";
import type { QuizRouteTools } from "./tools.ts";

/** The routes of quizzes and their versions. */
export const quizRoutes = (tools: QuizRouteTools): Route[] => [
  listQuizzesRoute(tools),
  getQuizRoute(tools),
  deleteQuizRoute(tools),
  ...archiveRoutes(tools),
  listVersionsRoute(tools),
  saveVersionRoute(tools),
  getVersionRoute(),
  publishVersionRoute(tools),
];
