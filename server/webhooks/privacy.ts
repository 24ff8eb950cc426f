import type { AnyEnvelope } from "../../contract/events.ts";

/**
 * The privacy switch [webhooks.privacy]: what an endpoint without `include_pii` is not sent. It goes by the shape of an
 * object and not by its topic: `identities`, answers to email and phone fields, and the property mappings of those
 * fields. Every other answer stays, free text included.
 */
export function objectWithoutContacts(object: object): object {
  const { identities: _, ...rest } = object as Record<string, unknown>;
  const { answers, property_mappings: mappings, identity } = rest;
  const contacts = new Set(isRecord(answers) ? Object.keys(answers).filter((key) => isContact(answers[key])) : []);
  if (isRecord(answers)) {
    rest["answers"] = Object.fromEntries(Object.entries(answers).filter(([key]) => !contacts.has(key)));
  }
  if (Array.isArray(mappings)) {
    rest["property_mappings"] = mappings.filter(
      (mapping) => !(isRecord(mapping) && contacts.has(String(mapping["question_key"]))),
    );
  }
  if (isRecord(identity)) rest["identity"] = { ...identity, value: null };
  return rest;
}

/**
 * A payload that was built, without contacts: for those that wait, or are kept, when the switch is turned off.
 *
 * identity.captured is about nothing but a contact. No endpoint without `include_pii` can subscribe to it, and one that
 * waits is better ended than sent; of one that is kept for reading the value goes.
 */
export function withoutContacts(payload: string): string {
  const envelope = JSON.parse(payload) as AnyEnvelope;
  const { object } = envelope.data;
  if (!isRecord(object)) return payload;
  return JSON.stringify({ ...envelope, data: { object: objectWithoutContacts(object) } });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isContact = (answer: unknown): boolean =>
  isRecord(answer) && (answer["kind"] === "email" || answer["kind"] === "phone");
