import type { DashboardRoute } from "../../platform/http/dashboard.ts";
import { approvalRoutes } from "./approval-routes.ts";
import { endAssistantRoute } from "./assistant.ts";
import type { EditorDeps } from "./deps.ts";
import { draftRoutes } from "./draft-routes.ts";
import { listEditedRoute } from "./list-edited.ts";
import { makeQuizRoutes } from "./make-quiz.ts";
import { publishDraftRoute } from "./publish-draft.ts";
import { shareRoutes } from "./share.ts";
import { versionRoutes } from "./versions.ts";

/** The routes with which people edit quizzes in the dashboard. */
export const editorRoutes = (deps: EditorDeps): DashboardRoute[] => [
  listEditedRoute(deps),
  ...makeQuizRoutes(deps),
  ...draftRoutes(deps),
  publishDraftRoute(deps),
  endAssistantRoute(deps),
  ...versionRoutes(deps),
  ...shareRoutes(deps),
  ...approvalRoutes(deps),
];
