import { setImmediate as nextTurn } from "node:timers/promises";
import type { RejectReason } from "../../contract/storefront.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { applyAnswer } from "./answers.ts";
import { checkEvent, readAnswer } from "./check.ts";
import { follow, isBackOrSkip } from "./ending.ts";
import { type Finish, firstMet } from "./finish.ts";
import { type Fold, newFold, stateOf } from "./fold.ts";
import { bytesOf, comparePlaces, countedTime, inOrder, type KeptEvent } from "./kept-event.ts";
import { applyShown } from "./products.ts";
import type { Reduction } from "./state.ts";
import { arrivalOf, arrivalOfFinish, arrive, leave, moveTo } from "./walk.ts";

/**
 * Reduces a session's events [sessions.event-set]: the outcome depends on nothing but their set, the session's version,
 * and the present moment. Every stored event is included, even those that were answered as `incomplete` or `timed_out`
 * when they came: an event that arrives late can make them count, or withdraw a finish that had counted.
 *
 * Events are applied one after another by `seq`, starting from nothing or from a fold.
 */
export interface Given {
  quiz: Quiz;
  /** the session's ISO 3166-1 alpha-2 code, for phones typed without `+`; null: unknown */
  country: string | null;
}

interface Run extends Given {
  fold: Fold;
  /** the finish that counts, if known beforehand */
  finish: Finish | null;
  rejections: Map<string, RejectReason>;
  finishes: Finish[];
  /**
   * an earlier finish that the current event makes count: the events after it were applied as if it did not, so that
   * all have to be applied again with this knowledge
   */
  reachedBack: Finish | null;
}

const beginRun = (given: Given, fold: Fold, finish: Finish | null = null): Run => {
  return { ...given, fold, finish, rejections: new Map(), finishes: [], reachedBack: null };
};

/** Applies the next event by `seq`. */
function applyEvent(run: Run, event: KeptEvent): void {
  const { fold, quiz, country } = run;
  fold.last = { seq: event.seq, id: event.id };
  fold.events += 1;
  fold.bytes += bytesOf(event);
  const answer = event.type === "answer_saved" ? readAnswer(quiz, event, true) : null;
  const reason = typeof answer === "string" ? answer : answer === null ? checkEvent(quiz, event, true) : null;
  if (reason !== null) {
    run.rejections.set(event.id, reason);
    return;
  }
  const time = countedTime(event, fold.course?.opened_at ?? null);
  fold.course = follow(fold.course, event, time, fold.answered.firstAt !== null);
  if (fold.course.gap !== null && isBackOrSkip(event)) {
    run.rejections.set(event.id, "timed_out");
    return;
  }
  const before = event.type === "answer_saved" ? fold.answered.values.get(event.component_key) : undefined;
  if (event.type === "answer_saved" && answer !== null && typeof answer !== "string") {
    applyAnswer(fold.answered, event, answer, { time, country });
  } else if (event.type === "products_shown") applyShown(fold.shown, event, time);
  else if (event.type === "product_added") {
    const { product_id, variant_id = null, quantity, id: event_id } = event;
    fold.added.push({ product_id, variant_id, quantity, time, event_id });
  }
  const skipped = walkOn(fold, quiz, event, time);
  if (event.type === "quiz_finished") {
    const finish = { seq: event.seq, id: event.id, page_key: event.page_key };
    run.finishes.push(finish);
    if (fold.finish === null) lookForFinish(run, finish, time);
  } else if (fold.finish === null && fold.waiting.size > 0 && run.finish === null) {
    const now = event.type === "answer_saved" ? fold.answered.values.get(event.component_key) : undefined;
    if (skipped || !isSame(before, now)) run.reachedBack = met(run);
  }
}

/** Follows the shopper's way; returns whether a page was left by skip. */
function walkOn({ walk, course, finish }: Fold, quiz: Quiz, event: KeptEvent, time: number): boolean {
  const arrival = arrivalOf(quiz, event, walk.position);
  if (arrival === null) return false;
  if (course !== null) course.moved_on = true;
  if (finish === null) arrive(walk, arrival, time);
  else moveTo(walk.position, arrival.page_key);
  return arrival.cause === "skip";
}

function lookForFinish(run: Run, finish: Finish, time: number): void {
  const { fold } = run;
  const isKnown = run.finish !== null;
  let counts = isKnown && comparePlaces(finish, run.finish as Finish) === 0;
  if (!isKnown && !fold.waiting.has(finish.page_key)) {
    fold.waiting.set(finish.page_key, finish);
    const found = met(run);
    if (found !== null && found !== finish) {
      run.reachedBack = found;
      return;
    }
    counts = found === finish;
  }
  if (!counts) return;
  const arrival = arrivalOfFinish(finish.page_key, fold.walk.position);
  if (arrival !== null) arrive(fold.walk, arrival, time);
  leave(fold.walk, time);
  fold.finish = { ...finish, time };
  fold.waiting.clear();
}

function met({ quiz, fold: { waiting, answered, walk } }: Run): Finish | null {
  const isSkipped = (page_key: string) => walk.visits.get(page_key)?.skipped === true;
  return firstMet(quiz, waiting.values(), { answers: answered.values, entered: walk.position.entered, isSkipped });
}

/** Repeating an unchanged answer cannot make another finish count. */
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** ms; null: as of the last event's own time, so that the session is not idle yet */
type Moment = number | null;

/** Finishes before the one that counts did not meet their conditions at that point. Null if no event counts. */
function reductionOf({ quiz, fold, rejections, finishes }: Run, now: Moment): Reduction | null {
  const { finish, course } = fold;
  if (course === null) return null;
  for (const one of finishes) {
    if (finish === null || comparePlaces(one, finish) < 0) rejections.set(one.id, "incomplete");
  }
  return { state: stateOf(quiz, fold, course, now ?? course.last_at), rejections };
}

/**
 * Reduces all events of a session, in any order, synchronously.
 *
 * @param input.events distinct ids, at least one that `checkEvent` passes
 * @throws RangeError without any such event
 */
export function reduceSession(input: Given & { events: readonly KeptEvent[]; now: Moment }): Reduction {
  const events = inOrder(input.events);
  const all = (finish: Finish | null): Run => {
    const run = beginRun(input, newFold(), finish);
    for (const event of events) if (run.reachedBack === null) applyEvent(run, event);
    return run;
  };
  const run = all(null);
  const reduction = reductionOf(run.reachedBack === null ? run : all(run.reachedBack), input.now);
  if (reduction === null) throw new RangeError("a session without events");
  return reduction;
}

/** Events between two yields to the event loop: each takes about a millisecond with the most expensive documents. */
const eventsBetweenYields = 16;

/** Yields to the event loop after a number of events, counted over all sessions of one task. */
export class Yielder {
  #done = 0;

  /** A promise to await after an event; null: no need to wait yet. */
  afterEvent(): Promise<void> | null {
    this.#done += 1;
    if (this.#done < eventsBetweenYields) return null;
    this.#done = 0;
    return nextTurn();
  }
}

/**
 * Continues from a fold, which it modifies; null if that is impossible without the earlier events.
 *
 * @param input.events all after those of the fold
 */
export async function continueSession(
  input: Given & { fold: Fold; events: readonly KeptEvent[]; now: Moment },
  yielder: Yielder,
): Promise<Reduction | null> {
  const run = beginRun(input, input.fold);
  await applyAll(run, inOrder(input.events), yielder);
  return run.reachedBack === null ? reductionOf(run, input.now) : null;
}

type Pages = AsyncIterable<readonly KeptEvent[]> | Iterable<readonly KeptEvent[]>;

/**
 * Like `reduceSession`, but yields to the event loop, and takes the events in pages, by `seq`.
 *
 * @param pages called once, or twice if a later event makes an earlier finish count
 */
export async function reduceYielding(
  input: Given & { now: Moment; pages: () => Pages },
  yielder: Yielder,
): Promise<Reduction | null> {
  const first = beginRun(input, newFold());
  await applyPages(first, input.pages(), yielder);
  if (first.reachedBack === null) return reductionOf(first, input.now);
  const again = beginRun(input, newFold(), first.reachedBack);
  await applyPages(again, input.pages(), yielder);
  return reductionOf(again, input.now);
}

async function applyPages(run: Run, pages: Pages, yielder: Yielder): Promise<void> {
  for await (const events of pages) {
    await applyAll(run, events, yielder);
    if (run.reachedBack !== null) return;
  }
}

async function applyAll(run: Run, events: readonly KeptEvent[], yielder: Yielder): Promise<void> {
  for (const event of events) {
    if (run.reachedBack !== null) return;
    applyEvent(run, event);
    const pause = yielder.afterEvent();
    if (pause !== null) await pause;
  }
}
