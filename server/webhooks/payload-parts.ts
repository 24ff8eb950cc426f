import type { AnyEnvelope } from "../../contract/events.ts";
import { isObject } from "../../engine/read.ts";

/** Functions that remove data from payloads. They look at the shape of the object, not at its topic. Pure. */

/** The payload with the object in its envelope replaced. */
export function rewriteObject(payload: string, rewrite: (object: Record<string, unknown>) => object): string {
  const envelope = JSON.parse(payload) as AnyEnvelope;
  const { object } = envelope.data;
  return isObject(object) ? JSON.stringify({ ...envelope, data: { object: rewrite(object) } }) : payload;
}

/**
 * Removes answers from an object, along with the property mappings of their questions; returns their component keys.
 */
export function removeAnswers(
  object: Record<string, unknown>,
  goes: (key: string, answer: Record<string, unknown>) => boolean,
): Set<string> {
  const { answers, property_mappings: mappings } = object;
  if (!isObject(answers)) return new Set();
  const isGone = ([key, answer]: [string, unknown]) => isObject(answer) && goes(key, answer);
  const gone = new Set(Object.entries(answers).flatMap((entry) => (isGone(entry) ? [entry[0]] : [])));
  object["answers"] = Object.fromEntries(Object.entries(answers).filter(([key]) => !gone.has(key)));
  if (Array.isArray(mappings)) {
    object["property_mappings"] = mappings.filter(
      (mapping) => !(isObject(mapping) && gone.has(String(mapping["question_key"]))),
    );
  }
  return gone;
}
