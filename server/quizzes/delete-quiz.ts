import { deleteQuiz } from "../../contract/quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { changeQuiz } from "./change-quiz.ts";
import { actorOf, type QuizRouteDeps } from "./deps.ts";
import { recordHistory } from "./history.ts";
import { lockQuiz, parseQuizId, quizSummary, readQuiz } from "./rows.ts";

/**
 * DELETE /v1/quizzes/{quiz_id}: a soft delete, possible during a run of the assistant too; a repeat finds nothing
 * [quizzes.delete].
 */
export const deleteQuizRoute = (deps: QuizRouteDeps) =>
  writeRoute(deleteQuiz, async ({ caller, params }, tx) => {
    const { id } = await readQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
    return changeQuiz(tx, deps, id, async () => {
      const quiz = await lockQuiz(tx, id);
      const at = new Date(deps.calendar.now());
      await tx.all(sql`
        UPDATE quizzes SET deleted_at = ${at}, updated_at = ${at} WHERE store_id = ${ownStore} AND id = ${id}`);
      await recordHistory(tx, deps, actorOf(caller), { quizId: id, action: "deleted", at });
      return { body: quizSummary({ ...quiz, updated_at: at }, deps.baseUrl, true) };
    });
  });
