import type { QuizAbandoned } from "../../../contract/events/quiz-abandoned.ts";
import type { QuizFinished } from "../../../contract/events/quiz-finished.ts";
import type { StoreRunner } from "../../platform/database/sql.ts";
import { quizNames, type VersionCache } from "../../quizzes/public.ts";
import { abandonedObject, finishedObject } from "./objects.ts";
import { type NamesOf, readPayloadContext, readPayloadSessions, readShownCatalog } from "./read.ts";

export type WebhookSession = QuizFinished | QuizAbandoned;

/**
 * Sessions in the form of webhooks, contacts included, by UUID: finished ones like quiz.finished, others like
 * quiz.abandoned. Sessions that do not exist are left out.
 *
 * @param db a consistent snapshot, since a quiz's name is only read once
 */
export function webhookSessions(
  db: StoreRunner,
  versions: VersionCache,
): (ids: readonly string[]) => Promise<Map<string, WebhookSession>> {
  const namesOf = namesOnce(db);
  return async (ids) => {
    const read = await readPayloadSessions(db, ids);
    const sessions = [...read.values()];
    const aroundOf = await readPayloadContext(db, versions, sessions, namesOf);
    const finished = sessions.filter(({ state }) => state.completed_at !== null);
    const catalog = await readShownCatalog(db, finished);
    return new Map(
      sessions.map((session) => {
        const { completed_at: at } = session.state;
        const around = aroundOf(session);
        const object =
          at === null ? abandonedObject(session, around) : finishedObject(session, around, catalog, new Date(at));
        return [session.id, object];
      }),
    );
  };
}

function namesOnce(db: StoreRunner): NamesOf {
  const names = new Map<string, string | null>();
  return async (ids) => {
    const unknown = ids.filter((id) => !names.has(id));
    const found = await quizNames(db, unknown);
    for (const id of unknown) names.set(id, found.get(id) ?? null);
    return names;
  };
}
