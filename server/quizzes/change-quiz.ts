import type { StoreTransaction } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { raiseRevision, recordChanges } from "../stores/public.ts";
import type { QuizDeps } from "./deps.ts";

/**
 * A change of a quiz that the columnar copy shows: its name, what is live, that it is there at all. The store's
 * revision is locked before the quiz, in the order of every other change, so that no two of them deadlock.
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
