import type { EndReason, SessionStatus, StoredEvent } from "./state.ts";
import { idleMs } from "./time.ts";

/**
 * How many of a session's events come before its first gap of 30 minutes between neighbours by `seq` (storefront 2).
 * Time that runs backwards between neighbours is no gap.
 */
export function beforeGap(events: readonly StoredEvent[]): number {
  const index = events.findIndex((event, at) => {
    const previous = events[at - 1];
    return previous !== undefined && event.time - previous.time >= idleMs;
  });
  return index === -1 ? events.length : index;
}

/** Back and Skip, which a session that has timed out does not take (storefront 2). */
export function isBackOrSkip(event: StoredEvent): boolean {
  return event.type === "page_entered" && (event.cause === "back" || event.cause === "skip");
}

export interface Ending {
  status: SessionStatus;
  end_reason: EndReason | null;
  ended_at: number | null;
  /** when an end by idleness is due; null once the session has ended */
  idle_at: number | null;
}

/**
 * How a session stands (D1, storefront 2). A finish completes it at any time. Otherwise the first gap freezes what the
 * session was when it had lasted 30 minutes: restarted, closed, or else timed out; a session that was closed stays
 * closed at that moment, though an event came hours later. Before a gap, the first restart ends the session for good,
 * and closing does so while it is the last event.
 *
 * @param events all that are kept, by `seq`, at least one
 * @param gapAt what `beforeGap` says of them
 */
export function endingOf(
  events: readonly StoredEvent[],
  gapAt: number,
  finish: { time: number } | null,
  now: number,
): Ending {
  const ended = (status: SessionStatus, end_reason: EndReason, ended_at: number): Ending => {
    return { status, end_reason, ended_at, idle_at: null };
  };
  if (finish) return ended("completed", "finished", finish.time);
  const alive = events.slice(0, gapAt);
  const restart = alive.find((event) => event.type === "quiz_restarted");
  if (restart) return ended("left", "restarted", restart.time);
  const last = alive.at(-1);
  if (last === undefined) throw new RangeError("a session without events");
  if (last.type === "quiz_closed") return ended("left", "closed", last.time);
  const idleAt = last.time + idleMs;
  if (gapAt < events.length || idleAt <= now) return ended("left", "timed_out", idleAt);
  return { status: "in_progress", end_reason: null, ended_at: null, idle_at: idleAt };
}

/**
 * From when on a session counts as abandoned: its first 30 idle minutes with an answer behind it, closed or not; never
 * after a restart or a finish (6.1, F). Null when that cannot happen as things stand.
 *
 * @param firstAnswer index of the first answer among the events, -1 without one
 */
export function abandonAt(events: readonly StoredEvent[], firstAnswer: number, finished: boolean): number | null {
  if (finished || firstAnswer === -1 || events.some((event) => event.type === "quiz_restarted")) return null;
  const idle = events.slice(firstAnswer).find((event, index, rest) => {
    const next = rest[index + 1];
    return next === undefined || next.time - event.time >= idleMs;
  });
  return idle === undefined ? null : idle.time + idleMs;
}
