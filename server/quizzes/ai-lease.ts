import { isoTime } from "../platform/clock.ts";
import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { Problem } from "../platform/problems.ts";
import type { QuizDeps } from "./deps.ts";
import { findQuiz } from "./operators.ts";
import type { QuizRow } from "./rows.ts";

/** The lease of the AI assistant on a quiz: while it lasts, nobody else changes the quiz. */

const leaseMs = 10 * 60 * 1000;

/** 409 while the assistant's lease on the quiz lasts [quizzes.ai-run]. `now`: calendar time in milliseconds. */
export function refuseDuringRun(quiz: QuizRow, now: number): void {
  const until = quiz.ai_run_expires_at;
  if (until !== null && until.getTime() > now) throw new Problem("ai_run_in_progress");
}

/**
 * Begins a run of the assistant, or renews the one under way: its lease ends ten real minutes later
 * [quizzes.ai-lease].
 */
export async function aiRunStart(tx: Transaction, deps: QuizDeps, publicId: string) {
  const { storeId, quizId, deleted } = await findQuiz(tx, publicId);
  if (deleted) throw new OperatorError(`quiz ${publicId} is deleted`);
  const now = deps.calendar.now();
  const at = new Date(now);
  const run = await tx.forStore(storeId).first(sql<{ ai_run_started_at: Date; ai_run_expires_at: Date }>`
    UPDATE quizzes SET
      ai_run_id = CASE WHEN ai_run_expires_at > ${at} THEN ai_run_id ELSE ${uuidAt(now, deps.random)}::uuid END,
      ai_run_started_at = CASE WHEN ai_run_expires_at > ${at} THEN ai_run_started_at ELSE ${at}::timestamptz END,
      ai_run_expires_at = ${new Date(deps.calendar.afterReal(leaseMs))}
    WHERE store_id = ${ownStore} AND id = ${quizId}
    RETURNING ai_run_started_at, ai_run_expires_at`);
  if (!run) throw new OperatorError(`there is no quiz ${publicId}`);
  return { quiz_id: publicId, started_at: isoTime(run.ai_run_started_at), expires_at: isoTime(run.ai_run_expires_at) };
}

/** Ends the run; where there is none, nothing changes. */
export async function aiRunEnd(tx: Transaction, publicId: string) {
  const { storeId, quizId } = await findQuiz(tx, publicId);
  await tx.forStore(storeId).all(sql`
    UPDATE quizzes SET ai_run_id = NULL, ai_run_started_at = NULL, ai_run_expires_at = NULL
    WHERE store_id = ${ownStore} AND id = ${quizId}`);
  return { quiz_id: publicId };
}
