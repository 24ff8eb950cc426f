import type { Transaction } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { raiseRevision, recordChanges } from "../stores/public.ts";
import type { QuizDeps } from "./deps.ts";

/**
 * A change of a quiz that facts refer to: its name, what is live, that it is there at all. The store's revision is
 * locked before the quiz, as whoever changes facts does, so that no two of them wait for each other in a ring.
 */
export async function changeQuiz<Result>(
  tx: Transaction,
  deps: QuizDeps,
  storeId: string,
  quizId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const { revision } = await raiseRevision(tx, storeId);
  const result = await change();
  const now = deps.calendar.now();
  await recordChanges(tx, storeId, revision, uuidAt(now, deps.random), new Date(now), [{ kind: "quiz", id: quizId }]);
  return result;
}
