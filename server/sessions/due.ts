import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { SessionState } from "./state.ts";

/** What is due for a session: its end by the passing of time, and its events for webhooks. */

/**
 * How long quiz.finished waits, in ms, so that products shown last and a contact still being typed are in it
 * [webhooks.quiz-finished].
 */
const finishedDelayMs = 60_000;

export interface Announcing {
  id: string;
  quizId: string;
  preview: boolean;
  emits: boolean;
  /** topics that are in the outbox already */
  emitted: readonly string[];
}

const announces = ({ preview, emits }: Announcing): boolean => emits && !preview;

/** When the session has to be looked at again though no event arrives, in ms; null: never. */
export function dueAt(state: SessionState, session: Announcing): number | null {
  const abandoned = announces(session) && !session.emitted.includes("quiz.abandoned") ? state.abandon_at : null;
  if (state.idle_at === null || abandoned === null) return state.idle_at ?? abandoned;
  return Math.min(state.idle_at, abandoned);
}

/**
 * A due time that is already set and comes early enough stays as it is: the sweep finds the session a little too soon
 * then, looks, and moves it on. Moving it with every event would rewrite all index entries of the session's row.
 */
export function lazilyDue(due: number | null, set: number | null): number | null {
  return due !== null && set !== null && set <= due ? set : due;
}

interface EventDeps {
  now: number;
  random: RandomBytes;
}

/** quiz.started and quiz.finished, where the session has come to them and they are not in the outbox yet. */
export function reachedEvents(state: SessionState, session: Announcing, deps: EventDeps): OutboxEvent[] {
  const { started_at, completed_at } = state;
  const started = started_at === null ? [] : announce("quiz.started", session, started_at, deps.now, deps);
  if (completed_at === null) return started;
  // from now on: what a finish that is reported late brings along comes in the next requests, like that of any other
  return [...started, ...announce("quiz.finished", session, completed_at, deps.now + finishedDelayMs, deps)];
}

/**
 * quiz.abandoned, for the sweep alone: what a browser held back comes in several requests, and the first of them may
 * lack just the event that shows that the shopper went on [webhooks.quiz-abandoned].
 */
export function abandonedEvents(state: SessionState, session: Announcing, deps: EventDeps): OutboxEvent[] {
  const { abandon_at } = state;
  if (abandon_at === null || abandon_at > deps.now) return [];
  return announce("quiz.abandoned", session, abandon_at, deps.now, deps);
}

/**
 * Each topic at most once a session, none for previews and for history that came in without `emit` [sessions.previews].
 */
function announce(
  topic: string,
  session: Announcing,
  created: number,
  due: number,
  { now, random }: EventDeps,
): OutboxEvent[] {
  if (!announces(session) || session.emitted.includes(topic)) return [];
  const at = { created: new Date(created), due: new Date(due) };
  return [
    { id: uuidAt(now, random), topic, ...at, quizId: session.quizId, sessionId: session.id, profileId: null, data: {} },
  ];
}
