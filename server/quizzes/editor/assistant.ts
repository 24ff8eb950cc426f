import { endAssistantRun } from "../../../contract/editor.ts";
import { memberRoute } from "../../platform/http/dashboard.ts";
import { pathId, writeRoute } from "../../platform/http/operations.ts";
import { formatId } from "../../platform/ids.ts";
import { assistantRun, endAnyRun } from "../ai-lease.ts";
import { lockQuiz, parseQuizId } from "../rows.ts";
import type { EditorDeps } from "./deps.ts";

/** POST .../assistant/end: a person ends the AI assistant's run and takes over the draft [editor.assistant]. */
export const endAssistantRoute = ({ calendar }: EditorDeps) =>
  memberRoute(
    writeRoute(endAssistantRun, async ({ params }, tx) => {
      const quiz = await lockQuiz(tx, pathId(parseQuizId, params["quiz_id"]));
      const ended = assistantRun(quiz, calendar.now());
      const quiz_id = formatId("quiz", quiz.id);
      if (ended === null) return { body: { quiz_id, ended }, audit: [] };
      await endAnyRun(tx, quiz.id);
      const done = { action: "quiz.assistant_ended", target: quiz_id, details: { holder: ended.holder } };
      return { body: { quiz_id, ended }, audit: [done] };
    }),
  );
