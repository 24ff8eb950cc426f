import type { QuizAbandonedObject, QuizFinishedObject } from "../../../contract/events.ts";
import type { Runner } from "../../platform/database/statements.ts";
import type { VersionCache } from "../../quizzes/public.ts";
import { abandonedObject, finishedObject } from "./objects.ts";
import { readShownCatalog, readSurroundings, readTold } from "./read.ts";

/**
 * Sessions as webhooks tell them (6.3), contacts included, by UUID: finished ones in the form of quiz.finished, others in
 * that of quiz.abandoned. A session that is not there is left out.
 */
export async function wholeSessions(
  db: Runner,
  versions: VersionCache,
  storeId: string,
  ids: readonly string[],
): Promise<Map<string, QuizFinishedObject | QuizAbandonedObject>> {
  const told = await readTold(db, storeId, ids);
  const sessions = [...told.values()];
  const aroundOf = await readSurroundings(db, versions, storeId, sessions);
  const finished = sessions.filter(({ state }) => state.completed_at !== null);
  const catalog = await readShownCatalog(db, storeId, finished);
  return new Map(
    sessions.map((session) => {
      const { completed_at: at } = session.state;
      const around = aroundOf(session);
      const object =
        at === null ? abandonedObject(session, around) : finishedObject(session, around, catalog, new Date(at));
      return [session.id, object];
    }),
  );
}
