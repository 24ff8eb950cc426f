import { archiveQuiz, unarchiveQuiz } from "../../contract/quizzes.ts";
import { build } from "../platform/database/statements.ts";
import { pathId, type Route, writeRoute } from "../platform/http/operations.ts";
import { actorOf, type QuizRouteDeps } from "./deps.ts";
import { recordDeed } from "./history.ts";
import { lockQuiz, parseQuizId, quizSummary, refuseDuringRun } from "./rows.ts";

/** POST /v1/quizzes/{quiz_id}/archive and .../unarchive. Nothing changes where it is so already [quizzes.no-change]. */
export const archiveRoutes = (deps: QuizRouteDeps): Route[] => [
  archiveRoute(deps, archiveQuiz, true),
  archiveRoute(deps, unarchiveQuiz, false),
];

const archiveRoute = (deps: QuizRouteDeps, operation: typeof archiveQuiz, archived: boolean) =>
  writeRoute(operation, async ({ caller, params }, tx) => {
    const storeId = caller.store.id;
    const quiz = await lockQuiz(tx, storeId, pathId(parseQuizId, params["quiz_id"]));
    const now = deps.calendar.now();
    refuseDuringRun(quiz, now);
    if (quiz.archived === archived) return { body: quizSummary(quiz, deps.baseUrl) };
    const at = new Date(now);
    await tx.all(
      build
        .updateTable("quizzes")
        .set({ archived, updated_at: at })
        .where("store_id", "=", storeId)
        .where("id", "=", quiz.id),
    );
    const action = archived ? "archived" : "unarchived";
    await recordDeed(tx, deps, storeId, actorOf(caller), { quizId: quiz.id, action, at });
    return { body: quizSummary({ ...quiz, archived, updated_at: at }, deps.baseUrl) };
  });
