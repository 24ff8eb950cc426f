import { normaliseContact } from "./contacts.ts";
import { stateOf, type Visit } from "./take.ts";

/** A contact that a session holds, normalised (storefront 3). */
export interface SessionContact {
  componentKey: string;
  pageKey: string;
  kind: "email" | "phone";
  value: string;
  consent: boolean | null;
  at: Date;
  seq: number;
  eventId: string;
  current: boolean;
}

/** Every contact that was typed in a session and can be an identity, in `seq` order, overtaken ones too. */
export function contactsOf(visit: Visit): SessionContact[] {
  const country = (visit.row ?? visit.facts)?.country ?? null;
  return stateOf(visit).contacts.flatMap((contact) => {
    const value = normaliseContact(contact.kind, contact.value, country);
    if (value === null) return [];
    const { component_key: componentKey, page_key: pageKey, kind, consent, seq, event_id: eventId, current } = contact;
    return [{ componentKey, pageKey, kind, value, consent, at: new Date(contact.time), seq, eventId, current }];
  });
}
