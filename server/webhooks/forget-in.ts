import type { AnyEnvelope } from "../../contract/events.ts";

/** What an erasure takes out of payloads [erasure.events], by the shape of an object and not by its topic. Pure. */

export interface Forgotten {
  /** of the person's own sessions: every free text and every contact goes, not only those that are named below */
  everything: boolean;
  /** contacts as identities have them */
  contacts: readonly string[];
  /** emails that links may carry */
  linked: readonly string[];
  /** what was typed, by component key */
  typed: readonly { componentKey: string; value: string }[];
}

const personalKinds: readonly unknown[] = ["text", "email", "phone"];
const linkFields = ["page_url", "placement", "utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"];

/** The payload without them; the very same text where there is nothing to take out. */
export function forgetIn(payload: string, forgotten: Forgotten): string {
  const envelope = JSON.parse(payload) as AnyEnvelope;
  const { object } = envelope.data;
  if (!isRecord(object)) return payload;
  const left = { ...object };
  const gone = forgetAnswers(left, forgotten);
  forgetIdentities(left, forgotten, gone);
  for (const field of linkFields) {
    const text = left[field];
    if (typeof text === "string" && holdsEmail(text, forgotten.linked)) left[field] = null;
  }
  return JSON.stringify({ ...envelope, data: { object: left } });
}

/** Answers the component keys whose answers went. */
function forgetAnswers(object: Record<string, unknown>, { everything, contacts, typed }: Forgotten): Set<string> {
  const { answers, property_mappings: mappings } = object;
  if (!isRecord(answers)) return new Set();
  const isTyped = (key: string, value: unknown) =>
    typeof value === "string" &&
    (contacts.includes(value.trim().toLowerCase()) ||
      typed.some(({ componentKey, value: other }) => componentKey === key && other.trim() === value.trim()));
  const goes = ([key, answer]: [string, unknown]): boolean =>
    isRecord(answer) && ((everything && personalKinds.includes(answer["kind"])) || isTyped(key, answer["value"]));
  const gone = new Set(Object.entries(answers).flatMap((entry) => (goes(entry) ? [entry[0]] : [])));
  object["answers"] = Object.fromEntries(Object.entries(answers).filter(([key]) => !gone.has(key)));
  if (Array.isArray(mappings)) {
    object["property_mappings"] = mappings.filter(
      (mapping) => !(isRecord(mapping) && gone.has(String(mapping["question_key"]))),
    );
  }
  return gone;
}

function forgetIdentities(object: Record<string, unknown>, forgotten: Forgotten, gone: ReadonlySet<string>): void {
  const { identities, identity } = object;
  const goes = (each: unknown): boolean =>
    isRecord(each) &&
    (forgotten.everything ||
      forgotten.contacts.includes(String(each["value"])) ||
      gone.has(String(each["component_key"])));
  if (Array.isArray(identities)) object["identities"] = identities.filter((each) => !goes(each));
  if (isRecord(identity) && goes(identity)) object["identity"] = { ...identity, value: null };
}

const holdsEmail = (text: string, emails: readonly string[]): boolean => {
  const readable = text.toLowerCase().replaceAll("%40", "@");
  return emails.some((email) => readable.includes(email));
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
