import type { RejectReason } from "../../contract/storefront.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { score } from "../../engine/score.ts";
import { collectAnswers } from "./answers.ts";
import { checkEvent } from "./check.ts";
import { abandonAt, beforeGap, endingOf, isBackOrSkip } from "./ending.ts";
import { findFinish } from "./finish.ts";
import { inOrder } from "./order.ts";
import { addedProducts, shownProducts } from "./products.ts";
import type { Reduction, StoredEvent } from "./state.ts";
import { walkPages } from "./walk.ts";

/**
 * A session from all of its events, in any order (storefront 2): the outcome depends on nothing but their set, the
 * version that the session is pinned to, and the present moment. Every event that `checkEvent` passes is given, those
 * included that were answered as `incomplete` or `timed_out` when they came: an event that arrives late can make them
 * count, or withdraw a finish that had counted.
 *
 * @param input.country ISO 3166-1 alpha-2 of the session, for phones typed without `+`; null when unknown
 * @param input.events distinct ids, at least one that `checkEvent` passes
 * @param input.now ms
 * @throws RangeError without any such event
 */
export function reduceSession(input: {
  quiz: Quiz;
  events: readonly StoredEvent[];
  country: string | null;
  now: number;
}): Reduction {
  const { quiz, now, country } = input;
  const rejections = new Map<string, RejectReason>();
  const kept = inOrder(input.events).filter((event) => {
    const reason = checkEvent(quiz, event);
    if (reason !== null) rejections.set(event.id, reason);
    return reason === null;
  });
  const [opening, last] = [kept[0], kept.at(-1)];
  if (opening === undefined || last === undefined) throw new RangeError("a session without events");

  const gapAt = beforeGap(kept);
  const taken = kept.filter((event, index) => {
    const tooLate = index >= gapAt && isBackOrSkip(event);
    if (tooLate) rejections.set(event.id, "timed_out");
    return !tooLate;
  });
  const { finish, incomplete } = findFinish(quiz, taken);
  for (const event of incomplete) rejections.set(event.id, "incomplete");

  const ending = endingOf(kept, gapAt, finish, now);
  const { values, answers, contacts, opt_ins, first } = collectAnswers(quiz, kept, country);
  const { exit_page_key, ...walk } = walkPages(quiz, taken, finish);
  const started_at = kept[first]?.time ?? null;
  const completed_at = finish?.time ?? null;
  const state = {
    ...ending,
    opened_at: opening.time,
    started_at,
    completed_at,
    time_to_complete_ms: started_at === null || completed_at === null ? null : Math.max(0, completed_at - started_at),
    last_event_at: last.time,
    abandon_at: abandonAt(kept, first, finish !== null),
    answers,
    answered_count: values.size,
    contacts,
    opt_ins,
    outcome: score(quiz, values),
    ...walk,
    exit:
      exit_page_key === null ? null : { page_key: exit_page_key, reason: ending.end_reason ?? ("still_here" as const) },
    terminal_page_key: finish?.page_key ?? null,
    shown: shownProducts(kept),
    added: addedProducts(kept),
  };
  return { state, rejections };
}
