import type { Answers } from "../../engine/document.ts";
import { missingAmong } from "../../engine/missing.ts";
import { finishPages } from "../../engine/path.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { visibility } from "../../engine/visibility.ts";
import type { Place } from "./kept-event.ts";

/** A `quiz_finished` event's place and page [sessions.finish]. */
export type Finish = Place & { page_key: string };

/** What a finish depends on, as of some event. */
interface Standing {
  answers: Answers;
  entered: ReadonlySet<string>;
  /**
   * whether a page was left by `skip` at least once: its questions are then no longer required
   * [sessions.finish-answers]
   */
  isSkipped: (page_key: string) => boolean;
}

/**
 * The first waiting finish, by `seq`, whose conditions are met now [sessions.waiting-finish]: at least one answer, and
 * every required, visible question answered on the visited pages, including the finish's own.
 *
 * Called after each event with the session's state at that point: a finish that once met the conditions counts whatever
 * follows, and another may meet them after a later answer or skip. Of several on one page only the first can count.
 * Visibility is computed once for all of them, so that an event costs one pass over the document.
 */
export function firstMet(quiz: Quiz, waiting: Iterable<Finish>, standing: Standing): Finish | null {
  const { answers, entered, isSkipped } = standing;
  if (answers.size === 0) return null;
  const seen = visibility(quiz, answers);
  const isOpen = (page_key: string) => !isSkipped(page_key);
  const lacking = new Set(
    missingAmong(quiz, seen, [...quiz.pages.keys()].filter(isOpen)).map(({ page_key }) => page_key),
  );
  for (const page_key of lacking) if (entered.has(page_key)) return null;
  const isFinishPage = finishPages(quiz, seen);
  for (const finish of waiting) if (!lacking.has(finish.page_key) && isFinishPage(finish.page_key)) return finish;
  return null;
}
