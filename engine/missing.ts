import type { Answers, QuestionComponent } from "./document.ts";
import { isContact, isQuestion } from "./kinds/value.ts";
import type { Quiz } from "./quiz.ts";
import { type Visibility, visibility } from "./visibility.ts";

/** A question that prevents a session from being complete. */
export interface MissingAnswer {
  page_key: string;
  component_key: string;
  /** `answer`: not answered; `consent`: answered, but its required consent box is not ticked */
  missing: "answer" | "consent";
}

/**
 * The required questions without an answer on the visible ones of the given pages, in document order
 * [engine.required-questions]. The caller leaves out pages left by `skip`; unknown page keys are ignored.
 *
 * A required consent box is not a question, and a finish does not depend on it, so a server passes no `consents`. A
 * browser that is about to leave a page passes the boxes' state by component_key, and gets answered contact fields
 * whose required box is not ticked.
 */
export function missingRequired(
  quiz: Quiz,
  answers: Answers,
  pageKeys: Iterable<string>,
  consents?: ReadonlyMap<string, boolean | null>,
): MissingAnswer[] {
  return missingAmong(quiz, visibility(quiz, answers), pageKeys, consents);
}

/** `missingRequired` for answers whose visibility is already computed. */
export function missingAmong(
  quiz: Quiz,
  { page_keys: visible, counted, hidden }: Visibility,
  pageKeys: Iterable<string>,
  consents?: ReadonlyMap<string, boolean | null>,
): MissingAnswer[] {
  const requested = new Set(pageKeys);
  const found: MissingAnswer[] = [];
  for (const { page_key, components } of quiz.document.pages) {
    if (!requested.has(page_key) || !visible.has(page_key)) continue;
    for (const component of components.filter(isQuestion)) {
      const { component_key } = component;
      const answer = counted.get(component_key);
      const answered = answer !== undefined && quiz.choiceLimits?.isEnough(component, answer) !== false;
      if (component.required && !answered && !hidden?.has(component))
        found.push({ page_key, component_key, missing: "answer" });
      if (answered && consents && needsConsent(component) && consents.get(component_key) !== true) {
        found.push({ page_key, component_key, missing: "consent" });
      }
    }
  }
  return found;
}

function needsConsent(component: QuestionComponent): boolean {
  return isContact(component) && component.consent?.required === true;
}
