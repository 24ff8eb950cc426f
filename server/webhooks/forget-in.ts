import { isObject } from "../../engine/read.ts";
import { replaceTexts } from "../platform/replace-texts.ts";
import { removeAnswers, rewriteObject } from "./payload-parts.ts";

/** What an erasure removes from payloads [erasure.events]. Pure. */

export interface Forgotten {
  /** for the person's own sessions: remove all free text and all contacts, not only those listed below */
  everything: boolean;
  /** contacts in their normalized form, as identities store them */
  contacts: readonly string[];
  /** finds the contacts in any text, whatever their notation */
  holds: (text: string) => boolean;
  /** typed answers, by component key */
  typed: readonly { componentKey: string; value: string }[];
}

const personalKinds: readonly unknown[] = ["text", "email", "phone"];
/** what a session was opened with */
const openingFields = [
  ...["page_url", "placement", "referrer_host", "region"],
  ...["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"],
];

/** The payload without the forgotten data; the identical string if there is nothing to remove. */
export const forgetIn = (payload: string, forgotten: Forgotten): string =>
  rewriteObject(payload, (object) => {
    const left = { ...object };
    const gone = removeAnswers(left, (key, answer) => isForgotten(key, answer, forgotten));
    forgetOtherTexts(left, forgotten);
    forgetIdentities(left, forgotten, gone);
    clearTexts(left, openingFields, forgotten.holds);
    const { channel, device, filters } = left;
    if (typeof channel === "string" && forgotten.holds(channel)) left["channel"] = "other";
    if (isObject(device)) {
      const cleared = { ...device };
      clearTexts(cleared, Object.keys(cleared), forgotten.holds);
      left["device"] = cleared;
    }
    // what an export searched for
    if (isObject(filters)) left["filters"] = replaceTexts(filters, forgotten.holds);
    return left;
  });

function isForgotten(key: string, { kind, value }: Record<string, unknown>, forgotten: Forgotten): boolean {
  if (forgotten.everything && personalKinds.includes(kind)) return true;
  if (typeof value !== "string") return false;
  return (
    forgotten.holds(value) ||
    forgotten.typed.some(({ componentKey, value: other }) => componentKey === key && other.trim() === value.trim())
  );
}

/** What was written beside an option goes, the option stays [erasure.other-texts]. */
function forgetOtherTexts(object: Record<string, unknown>, { everything, holds }: Forgotten): void {
  const { answers } = object;
  if (!isObject(answers)) return;
  const left = Object.entries(answers).map(([key, answer]): [string, unknown] => {
    if (!isObject(answer) || typeof answer["other_text"] !== "string") return [key, answer];
    const { other_text, ...rest } = answer;
    return [key, everything || holds(other_text as string) ? rest : answer];
  });
  object["answers"] = Object.fromEntries(left);
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

function clearTexts(object: Record<string, unknown>, fields: readonly string[], goes: (text: string) => boolean): void {
  for (const field of fields) {
    const text = object[field];
    if (typeof text === "string" && goes(text)) object[field] = null;
  }
}
