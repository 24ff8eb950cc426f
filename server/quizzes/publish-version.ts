import { publishVersion } from "../../contract/quizzes.ts";
import type { Caller } from "../platform/caller.ts";
import { isoTime } from "../platform/clock.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { pathId, writeRoute } from "../platform/http/operations.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { appendEvents } from "../platform/outbox.ts";
import { notFound } from "../platform/problems.ts";
import { refuseDuringRun } from "./ai-lease.ts";
import { decide, parseApprovalId } from "./approvals.ts";
import { changeQuiz } from "./change-quiz.ts";
import { type Actor, actorOf, type QuizDeps, type QuizRouteDeps } from "./deps.ts";
import { recordHistory } from "./history.ts";
import { type PublishableVersion, readPublishable } from "./publishable.ts";
import { lockQuiz, parseQuizId, parseVersionId, type QuizRow, quizSummary, readQuiz } from "./rows.ts";

/**
 * POST /v1/quizzes/{quiz_id}/versions/{version_id}/publish. Publishing the live version changes nothing
 * [quizzes.publish, quizzes.no-change].
 */
export const publishVersionRoute = (deps: QuizRouteDeps) =>
  writeRoute(publishVersion, async ({ caller, params, body }, tx) => {
    const quizId = pathId(parseQuizId, params["quiz_id"]);
    const versionId = pathId(parseVersionId, params["version_id"]);
    const quiz = await readQuiz(tx, quizId);
    const version = await readPublishable(tx, quizId, versionId);
    refuseDuringRun(quiz, deps.calendar.now());
    if (body.approval_id !== undefined) {
      const published = await publishApproved(tx, deps, caller, { quizId, version, approval: body.approval_id });
      return { body: quizSummary(published, deps.baseUrl) };
    }
    // checked before any lock: a repeat must not raise the revision, since a revision without a change would be a gap
    if (quiz.published_version_id === versionId) return { body: quizSummary(quiz, deps.baseUrl) };
    return changeQuiz(tx, deps, quizId, async () => {
      const locked = await lockQuiz(tx, quizId);
      refuseDuringRun(locked, deps.calendar.now());
      if (locked.published_version_id === versionId) return { body: quizSummary(locked, deps.baseUrl) };
      const published = await makeLive(tx, deps, actorOf(caller), locked, version);
      return { body: quizSummary(published, deps.baseUrl) };
    });
  });

/** Publishes what was approved, or refuses and leaves everything as it is [mcp.approval-bound]. */
export function publishApproved(
  tx: StoreTransaction,
  deps: QuizDeps,
  caller: Caller,
  { quizId, version, approval }: { quizId: string; version: PublishableVersion; approval: string },
): Promise<QuizRow> {
  const id = parseApprovalId(approval);
  if (id === null) throw notFound();
  return changeQuiz(tx, deps, quizId, async () => {
    const quiz = await lockQuiz(tx, quizId);
    const now = deps.calendar.now();
    refuseDuringRun(quiz, now);
    const approved = await decide(tx, { id, quiz, outcome: "published", now });
    if (approved.version_id !== version.id) throw notFound();
    return makeLive(tx, deps, actorOf(caller), quiz, version);
  });
}

/**
 * Makes a version live, with its event in the same transaction [quizzes.publish-event, quizzes.pages-to-publish]. The
 * caller has locked the quiz.
 */
export async function makeLive(
  tx: StoreTransaction,
  deps: QuizDeps,
  by: Actor,
  quiz: QuizRow,
  version: PublishableVersion,
): Promise<QuizRow> {
  const now = deps.calendar.now();
  const at = new Date(now);
  await tx.all(sql`
    UPDATE quizzes SET published_version_id = ${version.id}, updated_at = ${at}
    WHERE store_id = ${ownStore} AND id = ${quiz.id}`);
  await recordHistory(tx, deps, by, { quizId: quiz.id, versionId: version.id, action: "published", at });
  const data = {
    quiz_id: formatId("quiz", quiz.id),
    quiz_name: quiz.name,
    version_id: formatId("ver", version.id),
    version_number: version.number,
    published_at: isoTime(at),
  };
  const id = uuidAt(now, deps.random);
  const about = { quizId: quiz.id, sessionId: null, profileId: null };
  await appendEvents(tx, tx.storeId, now, [{ id, topic: "quiz.published", created: at, due: at, ...about, data }]);
  return { ...quiz, published_version_id: version.id, updated_at: at };
}
