import type { AnyEnvelope } from "../../contract/events.ts";

/** What is taken out of payloads goes by the shape of an object and not by its topic. Pure. */

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The payload with another object in its envelope. */
export function rewriteObject(payload: string, rewrite: (object: Record<string, unknown>) => object): string {
  const envelope = JSON.parse(payload) as AnyEnvelope;
  const { object } = envelope.data;
  return isRecord(object) ? JSON.stringify({ ...envelope, data: { object: rewrite(object) } }) : payload;
}

/** Takes answers out of an object, with the mappings of their questions to properties; answers their component keys. */
export function removeAnswers(
  object: Record<string, unknown>,
  goes: (key: string, answer: Record<string, unknown>) => boolean,
): Set<string> {
  const { answers, property_mappings: mappings } = object;
  if (!isRecord(answers)) return new Set();
  const isGone = ([key, answer]: [string, unknown]) => isRecord(answer) && goes(key, answer);
  const gone = new Set(Object.entries(answers).flatMap((entry) => (isGone(entry) ? [entry[0]] : [])));
  object["answers"] = Object.fromEntries(Object.entries(answers).filter(([key]) => !gone.has(key)));
  if (Array.isArray(mappings)) {
    object["property_mappings"] = mappings.filter(
      (mapping) => !(isRecord(mapping) && gone.has(String(mapping["question_key"]))),
    );
  }
  return gone;
}
