import { valueOfText } from "../../engine/kinds/value.ts";
import { isObject } from "../../engine/read.ts";
import { maskedTexts } from "../sessions/public.ts";
import { removeAnswers, rewriteObject } from "./payload-parts.ts";

/**
 * The privacy switch [webhooks.privacy]. An endpoint without `include_pii` is not sent `identities`, answers to email
 * and phone fields, or the property mappings of those fields. All other answers are sent, including free text.
 */
export function objectWithoutContacts(object: object): object {
  const { identities: _, ...rest } = object as Record<string, unknown>;
  removeAnswers(rest, (_key, { kind }) => valueOfText(kind) === "contact");
  if (isObject(rest["identity"])) rest["identity"] = { ...rest["identity"], value: null };
  for (const name of saidByBrowsers) if (name in rest) rest[name] = maskedTexts(rest[name]);
  return rest;
}

/** What a shopper's browser says of itself: an address or a campaign may hold a contact [api.masked-contacts]. */
const saidByBrowsers = [
  ...["page_url", "referrer", "referrer_host", "placement"],
  ...["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"],
];

/**
 * Removes the contacts from a built payload, for waiting and stored deliveries when the switch is turned off.
 *
 * identity.captured is about nothing but a contact, and an endpoint without `include_pii` cannot subscribe to it. A
 * waiting delivery of it is ended rather than sent; a stored one loses the value.
 */
export const withoutContacts = (payload: string): string => rewriteObject(payload, objectWithoutContacts);
