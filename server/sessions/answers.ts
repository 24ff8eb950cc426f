import type { AnswerSaved } from "../../contract/storefront.ts";
import type { AnswerValue, QuestionComponent } from "../../engine/document.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { readAnswer } from "./check.ts";
import { normaliseContact } from "./contacts.ts";
import type { ContactCapture, OptIns, SessionAnswer, StoredEvent } from "./state.ts";

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
  opt_ins: OptIns;
  /** index of the first answer among the events, -1 without one; clearing is no answer */
  first: number;
}

/** A contact in force, erased or not. */
interface LeftContact {
  kind: "email" | "phone";
  consent: boolean | null;
  time: number;
}

/**
 * The answers of a session: for each question the last by `seq`, cleared or not, also past a finish or a time-out.
 *
 * @param country the session's, for phones typed without `+`
 */
export function collectAnswers(quiz: Quiz, events: readonly StoredEvent[], country: string | null): Answered {
  const values = new Map<string, AnswerValue>();
  const inForce = new Map<string, SessionAnswer>();
  const contacts: ContactCapture[] = [];
  const left = new Map<string, LeftContact>();
  let first = -1;
  for (const [index, event] of events.entries()) {
    if (event.type !== "answer_saved") continue;
    const answer = readAnswer(quiz, event);
    if (typeof answer === "string") continue;
    const { component_key, page_key, time, seq, id: event_id } = event;
    values.delete(component_key);
    inForce.delete(component_key);
    left.delete(component_key);
    if (answer.value === null) continue;
    if (first === -1) first = index;
    values.set(component_key, answer.value);
    const { component } = answer.question;
    const consent = consentOf(component, event);
    const { kind } = component;
    if (event.erased) {
      if (event.usable && (kind === "email" || kind === "phone")) left.set(component_key, { kind, consent, time });
      continue;
    }
    inForce.set(component_key, { component_key, page_key, kind, consent, time, seq, event_id, ...answer.value });
    if ((kind !== "email" && kind !== "phone") || !("value" in answer.value)) continue;
    const value = String(answer.value.value);
    contacts.push({ component_key, page_key, kind, value, consent, time, seq, event_id, current: false });
    if (normaliseContact(kind, value, country) !== null) left.set(component_key, { kind, consent, time });
  }
  for (const contact of contacts) contact.current = inForce.get(contact.component_key)?.event_id === contact.event_id;
  return { values, answers: inDocumentOrder(quiz, inForce), contacts, opt_ins: optIns([...left.values()]), first };
}

function optIns(left: readonly LeftContact[]): OptIns {
  const earliest = (counts: (contact: LeftContact) => boolean) =>
    left.filter(counts).reduce<number | null>((time, contact) => Math.min(time ?? contact.time, contact.time), null);
  return {
    email_at: earliest(({ kind, consent }) => kind === "email" && consent !== false),
    phone_at: earliest(({ kind, consent }) => kind === "phone" && consent !== false),
    denied_at: earliest(({ consent }) => consent === false),
  };
}

function inDocumentOrder(quiz: Quiz, inForce: ReadonlyMap<string, SessionAnswer>): SessionAnswer[] {
  return Array.from(quiz.questions.keys(), (key) => inForce.get(key)).filter((answer) => answer !== undefined);
}
