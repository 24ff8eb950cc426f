import { holds } from "./conditions.ts";
import type { Answers, AnswerValue, Page } from "./document.ts";
import type { Quiz, Visibility } from "./quiz.ts";

export type { Visibility } from "./quiz.ts";

/**
 * Which pages are visible, and so which answers count [engine.visibility]. Browser and server share this definition:
 *
 * A page is visible if it has no `visible_when`, or if its condition holds for the counted answers. An answer counts if
 * its page is visible. Each page is decided once, after the pages that its condition asks about (wherever they are in
 * the document); in a cycle of pages that ask about each other, or for a page that asks about itself, an undecided page
 * counts as visible. So this always ends, with the same outcome for the same answers, and without cycles nothing on a
 * hidden page has any effect. Documents with conditions on totals or of components: outcomes.ts.
 */
function decide(quiz: Quiz, answers: Answers): Visibility {
  const page_keys = new Set<string>();
  const counted = new Map<string, AnswerValue>();
  for (const [key, answer] of answers) if (quiz.questions.has(key)) counted.set(key, answer);
  for (const placed of quiz.decisionOrder) {
    const condition = placed.page.visible_when;
    if (condition === null || holds(condition, counted, quiz)) page_keys.add(placed.page.page_key);
    else for (const part of placed.page.components) if ("component_key" in part) counted.delete(part.component_key);
  }
  return { page_keys, counted };
}

/** The answers that count: those to existing questions on visible pages. */
export function countedAnswers(quiz: Quiz, answers: Answers): Answers {
  return visibility(quiz, answers).counted;
}

/** The visible pages, in document order. */
export function visiblePages(quiz: Quiz, answers: Answers): Page[] {
  const { page_keys } = visibility(quiz, answers);
  return quiz.document.pages.filter((page) => page_keys.has(page.page_key));
}

/** False for a hidden page and for an unknown one. */
export function isVisible(quiz: Quiz, page_key: string, answers: Answers): boolean {
  return visibility(quiz, answers).page_keys.has(page_key);
}

/**
 * Both at once, for callers that need both or evaluate the same answers several times. A document without anything new is
 * decided as it always was [engine.same-results].
 */
export const visibility = (quiz: Quiz, answers: Answers): Visibility =>
  (quiz.outcomes?.decide ?? decide)(quiz, answers);
