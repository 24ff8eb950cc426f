import { isRecord, removeAnswers, rewriteObject } from "./payload-parts.ts";

/**
 * The privacy switch [webhooks.privacy]: what an endpoint without `include_pii` is not sent, which is `identities`,
 * answers to email and phone fields, and the property mappings of those fields. Every other answer stays, free text
 * included.
 */
export function objectWithoutContacts(object: object): object {
  const { identities: _, ...rest } = object as Record<string, unknown>;
  removeAnswers(rest, (_key, { kind }) => kind === "email" || kind === "phone");
  if (isRecord(rest["identity"])) rest["identity"] = { ...rest["identity"], value: null };
  return rest;
}

/**
 * A payload that was built, without contacts: for those that wait, or are kept, when the switch is turned off.
 *
 * identity.captured is about nothing but a contact. No endpoint without `include_pii` can subscribe to it, and one that
 * waits is better ended than sent; of one that is kept for reading the value goes.
 */
export const withoutContacts = (payload: string): string => rewriteObject(payload, objectWithoutContacts);
