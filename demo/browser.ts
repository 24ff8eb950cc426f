import { compileQuiz } from "../engine/compile-quiz.ts";
import type { QuizDocument } from "../engine/document.ts";
import type { Answering } from "./answering.ts";
import { createPersona } from "./personas.ts";
import { places } from "./places.ts";
import type { Random } from "./random.ts";
import { type ShopperSession, sessionOf } from "./session.ts";
import { walk } from "./walk.ts";

export interface InstantSession {
  random: Random;
  /** kept by the caller over its sessions (`createAnswering`) */
  answering: Answering;
  /** as `GET /storefront/v1/quizzes/{quiz_id}` answers it */
  document: QuizDocument;
  quiz_id: string;
  version_id: string;
  /** Unix milliseconds: when the last event happens */
  now: number;
}

/**
 * A whole session of a new visitor that has just ended: the minutes that it took lie behind `now`, so that its batches
 * can be posted one after the other without waiting. Such a session neither restarts nor idles until it times out.
 */
export function instantSession({
  random,
  answering,
  document,
  quiz_id,
  version_id,
  now,
}: InstantSession): ShopperSession {
  const persona = createPersona(
    random,
    random.weighted(places, ({ share }) => share),
  );
  const taken = walk({
    random,
    quiz: compileQuiz(document),
    persona,
    answering,
    opensAt: now,
    nextSessionId: null,
    mayIdle: false,
  });
  const took = Date.parse(taken.events.at(-1)?.at ?? "") - now;
  const events = taken.events.map((event) => ({
    ...event,
    at: new Date(Date.parse(event.at) - took).toISOString(),
  }));
  const session = sessionOf(random, {
    id: `sess_${random.hex(32)}`,
    visitorId: `vis_${random.hex(32)}`,
    quizId: quiz_id,
    versionId: version_id,
    persona,
    walk: { ...taken, events },
    opensAt: now - took,
  });
  return { ...session, batches: session.batches.map((batch) => ({ ...batch, sentAt: Math.min(batch.sentAt, now) })) };
}
