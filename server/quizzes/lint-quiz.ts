import { getDraftLint, getVersionLint } from "../../contract/quizzes.ts";
import { ownStore, sql } from "../platform/database/sql.ts";
import { pathId, type Route, readRoute } from "../platform/http/operations.ts";
import { notFound } from "../platform/problems.ts";
import { readEarlier } from "./definition.ts";
import { findingsOf, readDraft } from "./editor/state.ts";
import { parseQuizId, parseVersionId, readQuiz } from "./rows.ts";
import { safeDocument } from "./safe-document.ts";

/** Findings for an author, about a saved version and about the draft [quizzes.lint]. */
export const lintRoutes = (): Route[] => [versionLintRoute(), draftLintRoute()];

/** Compares with the versions before it, as the draft was compared that it was made from. */
const versionLintRoute = () =>
  readRoute(getVersionLint, async ({ params }, db) => {
    const quizId = pathId(parseQuizId, params["quiz_id"]);
    const versionId = pathId(parseVersionId, params["version_id"]);
    const version = await db.first(sql<{ number: number; document: unknown }>`
      SELECT v.number, v.document
      FROM quiz_versions v JOIN quizzes q ON q.store_id = v.store_id AND q.id = v.quiz_id
      WHERE v.store_id = ${ownStore} AND v.id = ${versionId} AND v.quiz_id = ${quizId} AND q.deleted_at IS NULL`);
    if (!version) throw notFound();
    return { findings: await findingsOf(version.document, await readEarlier(db, quizId, version.number - 1)) };
  });

const draftLintRoute = () =>
  readRoute(getDraftLint, async ({ params }, db) => {
    const quiz = await readQuiz(db, pathId(parseQuizId, params["quiz_id"]));
    const [draft, earlier] = await Promise.all([
      readDraft(db, quiz.id),
      readEarlier(db, quiz.id, quiz.versions_numbered),
    ]);
    const safe = await safeDocument(draft);
    return { findings: await findingsOf(safe.document, earlier, safe) };
  });
