import { deleteQuiz } from "../../contract/quizzes.ts";
import { build } from "../platform/database/statements.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { changeQuizFacts } from "./facts.ts";
import { recordDeed } from "./history.ts";
import { lockQuiz, parseQuizId, quizSummary, readQuiz } from "./rows.ts";
import { actorOf, type QuizRouteTools } from "./tools.ts";

/**
 * DELETE /v1/quizzes/{quiz_id}: soft, during a run of the assistant too; a second one finds nothing [quizzes.delete].
 */
export const deleteQuizRoute = (tools: QuizRouteTools) =>
  writeRoute(deleteQuiz, async ({ caller, params }, tx) => {
    const storeId = caller.store.id;
    const { id } = await readQuiz(tx, storeId, pathId(parseQuizId, params["quiz_id"]));
    return changeQuizFacts(tx, tools, storeId, id, async () => {
      const quiz = await lockQuiz(tx, storeId, id);
      const at = new Date(tools.calendar.now());
      await tx.all(
        build
          .updateTable("quizzes")
          .set({ deleted_at: at, updated_at: at })
          .where("store_id", "=", storeId)
          .where("id", "=", id),
      );
      await recordDeed(tx, tools, storeId, actorOf(caller), { quizId: id, action: "deleted", at });
      return { body: quizSummary({ ...quiz, updated_at: at }, tools.baseUrl, true) };
    });
  });
