import type { Quiz } from "../../engine/quiz.ts";
import { score } from "../../engine/score.ts";
import { type Answered, answeredOf, inDocumentOrder, newAnswered, optInsOf } from "./answers.ts";
import { abandonAt, endingOf, exitReason } from "./ending.ts";
import type { Finish } from "./finish.ts";
import { comparePlaces, type KeptEvent, type Place } from "./kept-event.ts";
import { shownByKey } from "./products.ts";
import type { AddedProduct, Course, KeptFold, SessionState, ShownProduct } from "./state.ts";
import { newWalk, type Walk, walkOf } from "./walk.ts";

/**
 * The accumulated result of a session's events, applied one after another by `seq` (reduce.ts). Most of it is in the
 * session's state anyway; the rest is stored in the state as `fold`. So a session continues from its row, without its
 * events, and an event costs the same in a long session as in a short one.
 */
export interface Fold {
  /** the last event that was applied */
  last: Place | null;
  events: number;
  bytes: number;
  course: Course | null;
  answered: Answered;
  walk: Walk;
  waiting: Map<string, Finish>;
  /** the finish that counts [sessions.finish-stays] */
  finish: (Finish & { time: number }) | null;
  shown: Map<string, ShownProduct>;
  added: AddedProduct[];
}

/**
 * Increase it with every change of a fold's contents or of how events are applied: sessions are then reduced from all
 * events.
 */
export const foldRules = 1;

export const newFold = (): Fold => ({
  last: null,
  events: 0,
  bytes: 0,
  course: null,
  answered: newAnswered(),
  walk: newWalk(),
  waiting: new Map(),
  finish: null,
  shown: new Map(),
  added: [],
});

/** Whether a session's row has the number of its events and their size in bytes. */
export const isCounted = (state: Partial<SessionState>): state is SessionState => state.fold?.rules === foldRules;

/**
 * The fold in a row. Null if it has to be computed from all events: an earlier release or other rules wrote the row, or
 * answers were erased (their questions stay answered, which the state no longer shows).
 */
export function foldOf(state: Partial<SessionState>): Fold | null {
  if (!isCounted(state) || state.answers.length !== state.answered_count) return null;
  const { fold, completed_at: time, terminal_page_key: page_key } = state;
  return {
    last: { seq: fold.seq, id: fold.id },
    events: fold.events,
    bytes: fold.bytes,
    course: fold.course,
    answered: answeredOf(state),
    walk: walkOf(state),
    waiting: new Map(fold.waiting.map((finish) => [finish.page_key, finish])),
    finish: fold.finish === null || page_key === null || time === null ? null : { ...fold.finish, page_key, time },
    shown: shownByKey(state.shown),
    added: state.added,
  };
}

/** Whether events may be applied to the fold: all of them have to come after its last one. */
export const goesOn = ({ last }: Fold, events: readonly KeptEvent[]): boolean =>
  last === null || events.every((event) => comparePlaces(event, last) > 0);

/** @param now ms */
export function stateOf(quiz: Quiz, fold: Fold, course: Course, now: number): SessionState {
  const { answered, walk, finish } = fold;
  const started_at = answered.firstAt;
  const completed_at = finish?.time ?? null;
  const ending = endingOf(course, completed_at, now);
  const values = new Map(inDocumentOrder(quiz, answered.values));
  const { open, position } = walk;
  return {
    ...ending,
    opened_at: course.opened_at,
    started_at,
    completed_at,
    time_to_complete_ms: started_at === null || completed_at === null ? null : Math.max(0, completed_at - started_at),
    last_event_at: course.last_at,
    abandon_at: abandonAt(course, { answered: started_at !== null, finished: finish !== null }),
    answers: inDocumentOrder(quiz, answered.inForce).map(([, answer]) => answer),
    answered_count: values.size,
    contacts: answered.contacts,
    opt_ins: optInsOf(answered),
    outcome: score(quiz, values),
    visits: [...walk.visits.values()],
    moves: [...walk.moves.values()],
    hidden: Array.from(walk.hidden, ([page_key, times]) => ({ page_key, times })),
    pages_visited: position.entered.size,
    last_page_key: position.current,
    exit: open === null ? null : { page_key: open.visit.page_key, reason: exitReason(course, ending) },
    terminal_page_key: finish?.page_key ?? null,
    shown: [...fold.shown.values()],
    added: fold.added,
    fold: keptOf(fold, course),
  };
}

function keptOf({ last, events, bytes, walk, waiting, finish }: Fold, course: Course): KeptFold {
  const { seq, id } = last ?? { seq: -1, id: "" };
  return {
    rules: foldRules,
    seq,
    id,
    events,
    bytes,
    course,
    open_since: walk.open?.since ?? null,
    later: [...walk.position.entered].filter((page_key) => !walk.visits.has(page_key)),
    waiting: [...waiting.values()],
    finish: finish && { seq: finish.seq, id: finish.id },
  };
}
