import type { AnswerSaved } from "../../contract/storefront.ts";
import type { AnswerValue, QuestionComponent } from "../../engine/document.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { readAnswer } from "./check.ts";
import type { ContactCapture, SessionAnswer, StoredEvent } from "./state.ts";

/**
 * The state of the checkbox beside a contact field: null when the version has none, whatever was sent; a box that the
 * event does not mention was left unticked (2.6).
 */
function consentOf(component: QuestionComponent, event: AnswerSaved): boolean | null {
  const hasBox = (component.kind === "email" || component.kind === "phone") && component.consent !== null;
  return hasBox ? event.consent === true : null;
}

export interface Answered {
  /** for the engine: the answers in force by component_key, erased ones without content */
  values: ReadonlyMap<string, AnswerValue>;
  /** in document order, without erased ones */
  answers: SessionAnswer[];
  contacts: ContactCapture[];
  /** index of the first answer among the events, -1 without one; clearing is no answer */
  first: number;
}

/** The answers of a session: for each question the last by `seq`, cleared or not, also past a finish or a time-out. */
export function collectAnswers(quiz: Quiz, events: readonly StoredEvent[]): Answered {
  const values = new Map<string, AnswerValue>();
  const inForce = new Map<string, SessionAnswer>();
  const contacts: ContactCapture[] = [];
  let first = -1;
  for (const [index, event] of events.entries()) {
    if (event.type !== "answer_saved") continue;
    const answer = readAnswer(quiz, event);
    if (typeof answer === "string") continue;
    const { component_key, page_key, time, seq, id: event_id } = event;
    values.delete(component_key);
    inForce.delete(component_key);
    if (answer.value === null) continue;
    if (first === -1) first = index;
    values.set(component_key, answer.value);
    if (event.erased) continue;
    const { component } = answer.question;
    const consent = consentOf(component, event);
    const { kind } = component;
    inForce.set(component_key, { component_key, page_key, kind, consent, time, seq, event_id, ...answer.value });
    if ((kind !== "email" && kind !== "phone") || !("value" in answer.value)) continue;
    const value = String(answer.value.value);
    contacts.push({ component_key, page_key, kind, value, consent, time, seq, event_id, current: false });
  }
  for (const contact of contacts) contact.current = inForce.get(contact.component_key)?.event_id === contact.event_id;
  return { values, answers: inDocumentOrder(quiz, inForce), contacts, first };
}

function inDocumentOrder(quiz: Quiz, inForce: ReadonlyMap<string, SessionAnswer>): SessionAnswer[] {
  return Array.from(quiz.questions.keys(), (key) => inForce.get(key)).filter((answer) => answer !== undefined);
}
