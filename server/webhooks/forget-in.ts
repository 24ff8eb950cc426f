import { isObject } from "../../engine/read.ts";
import { removeAnswers, rewriteObject } from "./payload-parts.ts";

/** What an erasure removes from payloads [erasure.events]. Pure. */

export interface Forgotten {
  /** for the person's own sessions: remove all free text and all contacts, not only those listed below */
  everything: boolean;
  /** contacts in their normalized form, as identities store them */
  contacts: readonly string[];
  /** emails that may appear in links */
  linked: readonly string[];
  /** typed answers, by component key */
  typed: readonly { componentKey: string; value: string }[];
}

const personalKinds: readonly unknown[] = ["text", "email", "phone"];
const linkFields = ["page_url", "placement", "utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"];

/** The payload without the forgotten data; the identical string if there is nothing to remove. */
export const forgetIn = (payload: string, forgotten: Forgotten): string =>
  rewriteObject(payload, (object) => {
    const left = { ...object };
    const gone = removeAnswers(left, (key, answer) => isForgotten(key, answer, forgotten));
    forgetIdentities(left, forgotten, gone);
    for (const field of linkFields) {
      const text = left[field];
      if (typeof text === "string" && holdsEmail(text, forgotten.linked)) left[field] = null;
    }
    return left;
  });

function isForgotten(key: string, { kind, value }: Record<string, unknown>, forgotten: Forgotten): boolean {
  if (forgotten.everything && personalKinds.includes(kind)) return true;
  if (typeof value !== "string") return false;
  return (
    forgotten.contacts.includes(value.trim().toLowerCase()) ||
    forgotten.typed.some(({ componentKey, value: other }) => componentKey === key && other.trim() === value.trim())
  );
}

function forgetIdentities(object: Record<string, unknown>, forgotten: Forgotten, gone: ReadonlySet<string>): void {
  const { identities, identity } = object;
  const goes = (each: unknown): boolean =>
    isObject(each) &&
    (forgotten.everything ||
      forgotten.contacts.includes(String(each["value"])) ||
      gone.has(String(each["component_key"])));
  if (Array.isArray(identities)) object["identities"] = identities.filter((each) => !goes(each));
  if (isObject(identity) && goes(identity)) object["identity"] = { ...identity, value: null };
}

const holdsEmail = (text: string, emails: readonly string[]): boolean => {
  const readable = text.toLowerCase().replaceAll("%40", "@");
  return emails.some((email) => readable.includes(email));
};
