import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { SessionState } from "./state.ts";

/** What falls due for a session: its end by the passing of time, and its webhook events. */

/**
 * How long quiz.finished is delayed, in ms, so that it includes products shown last and a contact still being typed
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

/** When the session has to be checked again if no event arrives, in ms; null: never. */
export function dueAt(state: SessionState, session: Announcing): number | null {
  const abandoned = announces(session) && !session.emitted.includes("quiz.abandoned") ? state.abandon_at : null;
  if (state.idle_at === null || abandoned === null) return state.idle_at ?? abandoned;
  return Math.min(state.idle_at, abandoned);
}

/**
 * Keeps a due time that is already set and early enough: the sweep then checks the session a little too soon, and moves
 * it on. Moving it with every event would rewrite all index entries of the session's row.
 */
export function lazilyDue(due: number | null, set: number | null): number | null {
  return due !== null && set !== null && set <= due ? set : due;
}

interface EventDeps {
  now: number;
  random: RandomBytes;
}

/** quiz.started and quiz.finished, if the session has reached them and they are not in the outbox yet. */
export function reachedEvents(state: SessionState, session: Announcing, deps: EventDeps): OutboxEvent[] {
  const { started_at, completed_at } = state;
  const started = started_at === null ? [] : announce("quiz.started", session, started_at, deps.now, deps);
  if (completed_at === null) return started;
  // the delay starts now: the other events of a finish that is reported late arrive in the next requests, as with any
  // finish
  return [...started, ...announce("quiz.finished", session, completed_at, deps.now + finishedDelayMs, deps)];
}

/**
 * quiz.abandoned, created only by the sweep: events that a browser held back arrive in several requests, and the first
 * may lack the very event that shows that the shopper continued [webhooks.quiz-abandoned].
 */
export function abandonedEvents(state: SessionState, session: Announcing, deps: EventDeps): OutboxEvent[] {
  const { abandon_at } = state;
  if (abandon_at === null || abandon_at > deps.now) return [];
  return announce("quiz.abandoned", session, abandon_at, deps.now, deps);
}

/**
 * Each topic at most once per session; none for previews, or for history imported without `emit` [sessions.previews].
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
