import { holds } from "./conditions.ts";
import type { Answers, AnswerValue, Page } from "./document.ts";
import type { PlacedPage, Quiz } from "./quiz.ts";

/**
 * Which pages are visible, and so which answers count [engine.visibility]. Browser and server share this definition:
 *
 * A page is visible if it has no `visible_when`, or if its condition holds for the counted answers. An answer counts if
 * its page is visible. Each page is decided once, after the pages that its condition asks about (wherever they are in
 * the document); in a cycle of pages that ask about each other, or for a page that asks about itself, an undecided page
 * counts as visible. So this always ends, with the same outcome for the same answers, and without cycles nothing on a
 * hidden page has any effect.
 */
function decide(quiz: Quiz, answers: Answers): { visible: Set<PlacedPage>; counted: Answers } {
  const visible = new Set<PlacedPage>();
  const counted = new Map<string, AnswerValue>();
  for (const [key, answer] of answers) if (quiz.questions.has(key)) counted.set(key, answer);
  for (const placed of quiz.decisionOrder) {
    const condition = placed.page.visible_when;
    if (condition === null || holds(condition, counted, quiz)) visible.add(placed);
    else for (const part of placed.page.components) if ("component_key" in part) counted.delete(part.component_key);
  }
  return { visible, counted };
}

/** The answers that count: those to existing questions on visible pages. */
export function countedAnswers(quiz: Quiz, answers: Answers): Answers {
  return decide(quiz, answers).counted;
}

/** The visible pages, in document order. */
export function visiblePages(quiz: Quiz, answers: Answers): Page[] {
  const { page_keys } = visibility(quiz, answers);
  return quiz.document.pages.filter((page) => page_keys.has(page.page_key));
}

/** False for a hidden page and for an unknown one. */
export function isVisible(quiz: Quiz, page_key: string, answers: Answers): boolean {
  const placed = quiz.pages.get(page_key);
  return placed !== undefined && decide(quiz, answers).visible.has(placed);
}

/** The page keys that are visible and the answers that count. */
export interface Visibility {
  page_keys: ReadonlySet<string>;
  counted: Answers;
}

/** Both at once, for callers that need both or evaluate the same answers several times. */
export function visibility(quiz: Quiz, answers: Answers): Visibility {
  const { visible, counted } = decide(quiz, answers);
  return { page_keys: new Set([...visible].map((placed) => placed.page.page_key)), counted };
}
