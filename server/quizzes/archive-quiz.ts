import { archiveQuiz, unarchiveQuiz } from "../../contract/quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { pathId, type Route, writeRoute } from "../platform/http/operations.ts";
import { refuseDuringRun } from "./ai-lease.ts";
import { actorOf, type QuizRouteDeps } from "./deps.ts";
import { recordHistory } from "./history.ts";
import { lockQuiz, parseQuizId, quizSummary } from "./rows.ts";

/**
 * POST /v1/quizzes/{quiz_id}/archive and .../unarchive [quizzes.archive]. Repeating one changes nothing
 * [quizzes.no-change].
 */
export const archiveRoutes = (deps: QuizRouteDeps): Route[] => [
  archiveRoute(deps, archiveQuiz, true),
  archiveRoute(deps, unarchiveQuiz, false),
];

const archiveRoute = (deps: QuizRouteDeps, operation: typeof archiveQuiz, archived: boolean) =>
  writeRoute(operation, async ({ caller, params }, tx) => {
    const quiz = await lockQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
    const now = deps.calendar.now();
    refuseDuringRun(quiz, now);
    if (quiz.archived === archived) return { body: quizSummary(quiz, deps.baseUrl) };
    const at = new Date(now);
    await tx.all(sql`
      UPDATE quizzes SET archived = ${archived}, updated_at = ${at} WHERE store_id = ${ownStore} AND id = ${quiz.id}`);
    const action = archived ? "archived" : "unarchived";
    await recordHistory(tx, deps, actorOf(caller), { quizId: quiz.id, action, at });
    return { body: quizSummary({ ...quiz, archived, updated_at: at }, deps.baseUrl) };
  });
