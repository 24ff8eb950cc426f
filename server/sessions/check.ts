import type { AnswerSaved, RejectReason, ShopperEvent } from "../../contract/storefront.ts";
import { normaliseAnswer } from "../../engine/answers.ts";
import type { AnswerValue } from "../../engine/document.ts";
import type { PlacedQuestion, Quiz } from "../../engine/quiz.ts";
import type { KeptEvent } from "./kept-event.ts";

/** Replaces an answer whose content was erased: the question stays answered, and nothing can be read from it. */
const erasedValue: AnswerValue = { value: "" };

export interface ReadAnswer {
  question: PlacedQuestion;
  /** null: the answer was cleared */
  value: AnswerValue | null;
}

/**
 * What an answer event says, or why it is invalid. The component has to be on the page that the event names.
 *
 * @param kept whether it was admitted already, perhaps by more lenient rules than today's
 */
export function readAnswer(
  quiz: Quiz,
  event: AnswerSaved & { erased?: boolean },
  kept: boolean,
): ReadAnswer | RejectReason {
  if (!quiz.pages.has(event.page_key)) return "unknown_page";
  const question = quiz.questions.get(event.component_key);
  if (question === undefined || question.placed.page.page_key !== event.page_key) return "unknown_component";
  if (event.erased) return { question, value: erasedValue };
  const normalised = normaliseAnswer(question.component, event, kept);
  return normalised.ok ? { question, value: normalised.value } : normalised.reason;
}

/**
 * Why an event cannot belong to a session of this version, regardless of other events; null: it can
 * [storefront.bad-events]. A jump rule or hidden page that the version lacks is no reason: such keys are left out of
 * the figures, and the move itself still counts.
 */
export function checkEvent(quiz: Quiz, event: ShopperEvent | KeptEvent, kept = false): RejectReason | null {
  switch (event.type) {
    case "page_entered":
    case "quiz_finished":
      return quiz.pages.has(event.page_key) ? null : "unknown_page";
    case "answer_saved": {
      const answer = readAnswer(quiz, event, kept);
      return typeof answer === "string" ? answer : null;
    }
    case "products_shown":
      if (!quiz.pages.has(event.page_key)) return "unknown_page";
      return quiz.blocks.get(event.block_key)?.placed.page.page_key === event.page_key ? null : "unknown_block";
    case "quiz_opened":
    case "product_added":
    case "quiz_closed":
    case "quiz_restarted":
      return null;
  }
}
