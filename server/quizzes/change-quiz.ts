import type { StoreTransaction } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { raiseRevision, recordChanges } from "../stores/public.ts";
import type { QuizDeps } from "./deps.ts";

/**
 * A change of a quiz that affects the columnar copy: its name, its live version, its existence. The store's revision is
 * locked before the quiz, in the same order as by every other change, to avoid deadlocks.
 */
export async function changeQuiz<Result>(
  tx: StoreTransaction,
  deps: QuizDeps,
  quizId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const { revision } = await raiseRevision(tx, tx.storeId);
  const result = await change();
  const now = deps.calendar.now();
  await recordChanges(tx, tx.storeId, revision, uuidAt(now, deps.random), new Date(now), [
    { kind: "quiz", id: quizId },
  ]);
  return result;
}
