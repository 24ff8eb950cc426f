import { idleMs, type KeptEvent } from "./kept-event.ts";
import type { Course, EndReason, Exit, SessionStatus } from "./state.ts";

/** Back and Skip, which a timed-out session does not accept [sessions.back-and-skip]. */
export function isBackOrSkip(event: KeptEvent): boolean {
  return event.type === "page_entered" && (event.cause === "back" || event.cause === "skip");
}

/**
 * Advances by one event, the next by `seq`. A gap is 30 minutes between neighbours [sessions.gap]; time that runs
 * backwards between them is not a gap.
 *
 * @param time the time at which the event counts
 * @param answered whether an earlier event is an answer
 */
export function follow(course: Course | null, event: KeptEvent, time: number, answered: boolean): Course {
  const next = course === null ? begin(time) : { ...course };
  if (course !== null && time - course.last_at >= idleMs) {
    next.gap ??= { at: course.last_at, closed: course.closed };
    if (answered) next.abandoned_at ??= course.last_at;
  }
  next.last_at = time;
  next.closed = event.type === "quiz_closed";
  if (next.closed) next.moved_on = false;
  if (event.type === "quiz_restarted") {
    next.restarted = true;
    if (next.gap === null) next.restart_at ??= time;
  }
  return next;
}

/** A session opens with its first event by `seq`, at that event's time [sessions.opened]. */
function begin(time: number): Course {
  return {
    opened_at: time,
    last_at: time,
    closed: false,
    moved_on: false,
    gap: null,
    restart_at: null,
    restarted: false,
    abandoned_at: null,
  };
}

export interface Ending {
  status: SessionStatus;
  end_reason: EndReason | null;
  ended_at: number | null;
  /** when the session will end by idleness; null once it has ended [sessions.idle] */
  idle_at: number | null;
}

/**
 * A session's status and end [sessions.gap, sessions.closed, sessions.restarted]. A finish completes it at any time.
 * Otherwise the first gap freezes the state after 30 idle minutes: restarted, closed, or else timed out; a session
 * closed then stays closed at that moment, even if an event came hours later. Before a gap, the first restart ends the
 * session for good; closing ends it only while it is the last event.
 */
export function endingOf(course: Course, finishedAt: number | null, now: number): Ending {
  const ended = (status: SessionStatus, end_reason: EndReason, ended_at: number): Ending => {
    return { status, end_reason, ended_at, idle_at: null };
  };
  if (finishedAt !== null) return ended("completed", "finished", finishedAt);
  if (course.restart_at !== null) return ended("left", "restarted", course.restart_at);
  const last = course.gap ?? { at: course.last_at, closed: course.closed };
  if (last.closed) return ended("left", "closed", last.at);
  const idleAt = last.at + idleMs;
  if (course.gap !== null || idleAt <= now) return ended("left", "timed_out", idleAt);
  return { status: "in_progress", end_reason: null, ended_at: null, idle_at: idleAt };
}

/**
 * How the session left its last page [sessions.exit]. If that page was entered after the quiz had been closed, the
 * reason is not `closed`: nothing came after it.
 */
export function exitReason(course: Course, { end_reason }: Ending): Exit["reason"] {
  if (end_reason === "closed" && course.moved_on) return "timed_out";
  return end_reason ?? "still_here";
}

/**
 * When a session counts as abandoned: after its first 30 idle minutes with an answer before them, closed or not; never
 * after a restart or a finish [sessions.abandoned]. Null if that cannot happen as things stand.
 */
export function abandonAt(course: Course, { answered, finished }: { answered: boolean; finished: boolean }) {
  if (finished || !answered || course.restarted) return null;
  return (course.abandoned_at ?? course.last_at) + idleMs;
}
