import type { AnswerSaved, RejectReason, ShopperEvent } from "../../contract/storefront.ts";
import type { AnswerValue } from "../../engine/document.ts";
import { isLimited, isTaken } from "../../engine/kinds/date-limits.ts";
import type { PlacedQuestion, Quiz } from "../../engine/quiz.ts";
import { answerOf } from "../../engine/quiz.ts";
import { dayIn } from "../platform/time-zones.ts";
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
  const normalised = answerOf(quiz, question.component, event, kept);
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

const hourMs = 3_600_000;

/**
 * Why the day or time of an answer is none that its question takes, by the event's own time [storefront.date-limits].
 * Only new events of live sessions are judged: what was taken stays.
 *
 * @param timeZone the session's; null: in the zone that favours the shopper
 */
export function checkDate(quiz: Quiz, event: ShopperEvent, timeZone: string | null): RejectReason | null {
  if (event.type !== "answer_saved") return null;
  const component = quiz.questions.get(event.component_key)?.component;
  if (component?.kind !== "date" || !isLimited(component)) return null;
  const answer = readAnswer(quiz, event, false);
  if (typeof answer === "string" || answer.value === null || !("value" in answer.value)) return null;
  const { value } = answer.value;
  if (typeof value !== "object") return null;
  return isTaken(component, value, todaysAt(Date.parse(event.at), timeZone)) ? null : "invalid_value";
}

/** The days that it is at a moment, in ms: in the zone, or in any from UTC-12 to UTC+14. */
function todaysAt(at: number, timeZone: string | null): string[] {
  if (timeZone !== null) return [dayIn(at, timeZone)];
  const days = [-12, 0, 14].map((hours) => dayIn(at + hours * hourMs, "UTC"));
  return [...new Set(days)];
}
