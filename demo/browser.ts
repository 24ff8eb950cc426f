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
  /** reused by the caller for all its sessions (`createAnswering`) */
  answering: Answering;
  /** in the form of `GET /storefront/v1/quizzes/{quiz_id}` */
  document: QuizDocument;
  quiz_id: string;
  version_id: string;
  /** Unix milliseconds: time of the last event */
  now: number;
}

/**
 * A complete session of a new visitor that has just ended: its minutes lie before `now`, so that its batches can be
 * posted one after the other without waiting. Such a session neither restarts nor idles until it times out.
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
