import type { AnswerSaved } from "../../contract/storefront.ts";
import type { AnswerValue, QuestionComponent } from "../../engine/document.ts";
import { isContact } from "../../engine/kinds/value.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { readIdentity } from "../platform/contacts.ts";
import type { ReadAnswer } from "./check.ts";
import type { KeptEventOf } from "./kept-event.ts";
import type { ContactCapture, OptIns, SessionAnswer, SessionState } from "./state.ts";

/**
 * The state of a contact field's checkbox: null if the version has none, whatever was sent; false if the event does not
 * mention it [sessions.consent].
 */
function consentOf(component: QuestionComponent, event: AnswerSaved): boolean | null {
  return isContact(component) && component.consent !== null ? event.consent === true : null;
}

/** A contact in force that is an identity, erased or not. */
interface LeftContact {
  kind: "email" | "phone";
  consent: boolean | null;
  time: number;
}

/**
 * A session's answers so far: for each question the last by `seq`, cleared or not, even after a finish or a time-out
 * [sessions.answers].
 */
export interface Answered {
  /** for the engine: the answers in force by component_key; erased ones have no content */
  values: Map<string, AnswerValue>;
  /** without erased ones */
  inForce: Map<string, SessionAnswer>;
  contacts: ContactCapture[];
  /** those of `contacts` in force */
  current: Map<string, ContactCapture>;
  left: Map<string, LeftContact>;
  /** time of the first answer, null without one; clearing does not count as an answer [sessions.started] */
  firstAt: number | null;
}

export const newAnswered = (): Answered => ({
  values: new Map(),
  inForce: new Map(),
  contacts: [],
  current: new Map(),
  left: new Map(),
  firstAt: null,
});

/** The answers in a state, from which none may have been erased. */
export function answeredOf({ answers, contacts, started_at }: SessionState): Answered {
  const current = new Map(contacts.filter((contact) => contact.current).map((one) => [one.component_key, one]));
  return {
    values: new Map(answers.map((answer) => [answer.component_key, contentOf(answer)])),
    inForce: new Map(answers.map((answer) => [answer.component_key, answer])),
    contacts,
    current,
    left: new Map([...current].filter(([, contact]) => contact.identity !== null)),
    firstAt: started_at,
  };
}

function contentOf(answer: AnswerValue): AnswerValue {
  if (!("option_ids" in answer)) return { value: answer.value } as AnswerValue;
  const { option_ids, other_text } = answer;
  return other_text === undefined ? { option_ids } : { option_ids, other_text };
}

/**
 * Applies the next answer by `seq`. A contact is normalised here, once and for good.
 *
 * @param time the time at which the event counts
 * @param country the session's, for phones typed without `+`
 */
export function applyAnswer(
  answered: Answered,
  event: KeptEventOf<"answer_saved">,
  { question: { component }, value }: ReadAnswer,
  { time, country }: { time: number; country: string | null },
): void {
  const { values, inForce, contacts, current, left } = answered;
  const { component_key, page_key, seq, id: event_id } = event;
  const replaced = current.get(component_key);
  if (replaced) replaced.current = false;
  for (const known of [values, inForce, current, left]) known.delete(component_key);
  if (value === null) return;
  answered.firstAt ??= time;
  values.set(component_key, value);
  const consent = consentOf(component, event);
  if (event.erased) {
    if (event.usable && isContact(component)) left.set(component_key, { kind: component.kind, consent, time });
    return;
  }
  inForce.set(component_key, { component_key, page_key, kind: component.kind, consent, time, seq, event_id, ...value });
  if (!isContact(component) || !("value" in value)) return;
  const { kind } = component;
  const typed = String(value.value);
  const identity = readIdentity(kind, typed, country)?.shown ?? null;
  const contact = {
    component_key,
    page_key,
    kind,
    value: typed,
    identity,
    consent,
    time,
    seq,
    event_id,
    current: true,
  };
  contacts.push(contact);
  current.set(component_key, contact);
  if (identity !== null) left.set(component_key, contact);
}

export function optInsOf(answered: Answered): OptIns {
  const left = [...answered.left.values()];
  const earliest = (counts: (contact: LeftContact) => boolean) =>
    left.filter(counts).reduce<number | null>((time, contact) => Math.min(time ?? contact.time, contact.time), null);
  return {
    email_at: earliest(({ kind, consent }) => kind === "email" && consent !== false),
    phone_at: earliest(({ kind, consent }) => kind === "phone" && consent !== false),
    denied_at: earliest(({ consent }) => consent === false),
  };
}

/** Sorts items by component_key into document order. */
export function inDocumentOrder<Item>(quiz: Quiz, known: ReadonlyMap<string, Item>): [string, Item][] {
  const ordered: [string, Item][] = [];
  if (known.size === 0) return ordered;
  for (const key of quiz.questions.keys()) {
    const item = known.get(key);
    if (item !== undefined) ordered.push([key, item]);
  }
  return ordered;
}
