import type { Answers } from "../../engine/document.ts";
import { missingAmong } from "../../engine/missing.ts";
import { finishPages } from "../../engine/path.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { visibility } from "../../engine/visibility.ts";
import type { Place } from "./kept-event.ts";

/** A `quiz_finished` by its place [sessions.finish]. */
export type Finish = Place & { page_key: string };

/** What a finish depends on, as it stands after some event. */
interface Standing {
  answers: Answers;
  entered: ReadonlySet<string>;
  /**
   * whether a page was left by `skip` at least once: its questions are not required any more [sessions.finish-answers]
   */
  isSkipped: (page_key: string) => boolean;
}

/**
 * The first of the waiting finishes, by `seq`, that meets its conditions as things stand [sessions.waiting-finish]: an
 * answer, and every required, visible question answered on the pages that were visited, the finish's own included.
 *
 * Called after each event, with the session as it is then: a finish that once met the conditions counts whatever
 * follows, and one that did not may meet them after a later answer or skip. Of several on one page only the first can
 * count. What is visible is worked out once for all of them, so that an event costs one pass over the document.
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
