import { type LoadedSession, stateOf } from "./loaded-session.ts";

/** A contact that a session holds, normalised [people.contacts]. */
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
export function typedContacts(visit: LoadedSession): SessionContact[] {
  return stateOf(visit).contacts.flatMap((contact) => {
    const { component_key: componentKey, page_key: pageKey, kind, identity, consent, seq, event_id, current } = contact;
    if (identity === null) return [];
    const at = new Date(contact.time);
    return [{ componentKey, pageKey, kind, value: identity, consent, at, seq, eventId: event_id, current }];
  });
}
