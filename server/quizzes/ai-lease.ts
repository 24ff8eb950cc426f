import { isoTime } from "../platform/clock.ts";
import { ownStore, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { formatId, uuidAt } from "../platform/ids.ts";
import { OperatorError } from "../platform/operator-error.ts";
import { Problem } from "../platform/problems.ts";
import type { QuizDeps } from "./deps.ts";
import { findQuiz } from "./operators.ts";
import type { QuizRow } from "./rows.ts";

/** The AI assistant's lease on a quiz: while it lasts, nobody else may change the quiz. */

const leaseMs = 10 * 60 * 1000;

export interface AssistantRun {
  holder: string;
  started_at: string;
  expires_at: string;
}

const nobodyNamed = "The AI assistant";

/** The current run; null: none. `now`: calendar time in milliseconds. */
export function assistantRun(
  quiz: Pick<QuizRow, "ai_run_started_at" | "ai_run_expires_at" | "ai_run_holder">,
  now: number,
): AssistantRun | null {
  const { ai_run_expires_at: until, ai_run_started_at: since, ai_run_holder: holder } = quiz;
  if (until === null || until.getTime() <= now) return null;
  return { holder: holder ?? nobodyNamed, started_at: isoTime(since ?? until), expires_at: isoTime(until) };
}

/** Throws 409 while the assistant's lease on the quiz lasts [quizzes.ai-run]. */
export function refuseDuringRun(quiz: QuizRow, now: number): void {
  const assistant = assistantRun(quiz, now);
  if (assistant !== null) throw new Problem("ai_run_in_progress", { extra: { assistant } });
}

/**
 * Starts a run of the assistant, or renews the current one: its lease ends ten real minutes later [quizzes.ai-lease].
 *
 * @param holder who runs it, shown to people who wait
 */
export async function aiRunStart(tx: Transaction, deps: QuizDeps, publicId: string, holder: string | null = null) {
  const { storeId, quizId, deleted } = await findQuiz(tx, publicId);
  if (deleted) throw new OperatorError(`quiz ${publicId} is deleted`);
  const now = deps.calendar.now();
  const at = new Date(now);
  const run = await tx.forStore(storeId).first(sql<{ ai_run_started_at: Date; ai_run_expires_at: Date }>`
    UPDATE quizzes SET
      ai_run_id = CASE WHEN ai_run_expires_at > ${at} THEN ai_run_id ELSE ${uuidAt(now, deps.random)}::uuid END,
      ai_run_started_at = CASE WHEN ai_run_expires_at > ${at} THEN ai_run_started_at ELSE ${at}::timestamptz END,
      ai_run_holder = coalesce(${holder}::text, CASE WHEN ai_run_expires_at > ${at} THEN ai_run_holder END),
      ai_run_expires_at = ${new Date(deps.calendar.afterReal(leaseMs))}
    WHERE store_id = ${ownStore} AND id = ${quizId}
    RETURNING ai_run_started_at, ai_run_expires_at`);
  if (!run) throw new OperatorError(`there is no quiz ${publicId}`);
  return { quiz_id: publicId, started_at: isoTime(run.ai_run_started_at), expires_at: isoTime(run.ai_run_expires_at) };
}

/** Ends the run; does nothing without one. */
export async function aiRunEnd(tx: Transaction, publicId: string) {
  const { storeId, quizId } = await findQuiz(tx, publicId);
  await endAnyRun(tx.forStore(storeId), quizId);
  return { quiz_id: publicId };
}

interface RunRow {
  ai_run_id: string;
  ai_run_started_at: Date;
  ai_run_expires_at: Date;
  ai_run_holder: string | null;
}

const runAnswer = (row: RunRow) => ({
  run_id: formatId("run", row.ai_run_id),
  holder: row.ai_run_holder ?? nobodyNamed,
  started_at: isoTime(row.ai_run_started_at),
  expires_at: isoTime(row.ai_run_expires_at),
});

/** The current run of a quiz that the transaction has locked. */
async function runUnderWay(tx: StoreTransaction, { calendar }: QuizDeps, quiz: QuizRow): Promise<RunRow | undefined> {
  return tx.first(sql<RunRow>`
    SELECT ai_run_id, ai_run_started_at, ai_run_expires_at, ai_run_holder FROM quizzes
    WHERE store_id = ${ownStore} AND id = ${quiz.id} AND ai_run_expires_at > ${new Date(calendar.now())}`);
}

/**
 * Starts a run, or renews the named one [drafts.run]. Throws 409 if another one is under way; a run that is over starts
 * anew with another id.
 */
export async function beginRun(
  tx: StoreTransaction,
  deps: QuizDeps,
  quiz: QuizRow,
  { holder, runId }: { holder: string | null; runId: string | null },
) {
  const known = await runUnderWay(tx, deps, quiz);
  if (known && known.ai_run_id !== runId) refuseDuringRun(quiz, deps.calendar.now());
  const now = deps.calendar.now();
  const run: RunRow = {
    ai_run_id: known?.ai_run_id ?? uuidAt(now, deps.random),
    ai_run_started_at: known?.ai_run_started_at ?? new Date(now),
    ai_run_expires_at: new Date(deps.calendar.afterReal(leaseMs)),
    ai_run_holder: holder ?? known?.ai_run_holder ?? null,
  };
  await tx.all(sql`
    UPDATE quizzes SET ai_run_id = ${run.ai_run_id}, ai_run_started_at = ${run.ai_run_started_at},
      ai_run_expires_at = ${run.ai_run_expires_at}, ai_run_holder = ${run.ai_run_holder}
    WHERE store_id = ${ownStore} AND id = ${quiz.id}`);
  return runAnswer(run);
}

/** Throws 409 unless the named run is the current one. */
export async function assertRun(
  tx: StoreTransaction,
  deps: QuizDeps,
  quiz: QuizRow,
  runId: string | null,
): Promise<void> {
  const known = await runUnderWay(tx, deps, quiz);
  if (known?.ai_run_id === runId) return;
  refuseDuringRun(quiz, deps.calendar.now());
  throw new Problem("conflict", { detail: "The run is over: it was ended, or ten minutes passed. Begin another one" });
}

/** A change renews the run's lease [mcp.dead-run]. */
export async function renewRun(tx: StoreTransaction, { calendar }: QuizDeps, { id }: QuizRow): Promise<void> {
  await tx.all(sql`
    UPDATE quizzes SET ai_run_expires_at = ${new Date(calendar.afterReal(leaseMs))}
    WHERE store_id = ${ownStore} AND id = ${id}`);
}

/** Ends the named run; does nothing if another one is under way, or none. */
export async function endRun(tx: StoreTransaction, { id }: QuizRow, runId: string | null): Promise<void> {
  await tx.all(sql`
    UPDATE quizzes SET ai_run_id = NULL, ai_run_started_at = NULL, ai_run_expires_at = NULL, ai_run_holder = NULL
    WHERE store_id = ${ownStore} AND id = ${id} AND ai_run_id = ${runId}::uuid`);
}

/**
 * Ends the current run, whichever it is.
 *
 * @param quizId UUID
 */
export async function endAnyRun(tx: StoreTransaction, quizId: string): Promise<void> {
  await tx.all(sql`
    UPDATE quizzes SET ai_run_id = NULL, ai_run_started_at = NULL, ai_run_expires_at = NULL, ai_run_holder = NULL
    WHERE store_id = ${ownStore} AND id = ${quizId}`);
}
