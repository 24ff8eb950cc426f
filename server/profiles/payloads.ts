import type { PersonEvent } from "../../contract/events/person.ts";
import type { DueEvent, PayloadBuilder } from "../platform/event-payloads.ts";
import { formatId } from "../platform/ids.ts";
import type { PersonSnapshot } from "./people-events.ts";

/**
 * Payloads of events about people [people.event-object]. They show the person as of the transaction that caused the
 * event.
 */
export const profilePayloads = ({ baseUrl }: { baseUrl: string }): PayloadBuilder => ({
  build: async (_db, _storeId, events) =>
    new Map(events.map((event) => [event.id, { object: person(event, baseUrl) }])),
});

function person({ profileId, sessionId, quizId, data }: DueEvent, baseUrl: string): PersonEvent {
  if (profileId === null) throw new Error("an event about a person has no profile");
  // written by people-events.ts; the outbox column can hold any JSON
  const snapshot = data as unknown as PersonSnapshot;
  const id = formatId("prof", profileId);
  return {
    id,
    created_at: snapshot.created_at,
    first_seen_at: snapshot.first_seen_at,
    last_seen_at: snapshot.last_seen_at,
    session_id: sessionId && formatId("sess", sessionId),
    quiz_id: quizId && formatId("quiz", quizId),
    identities_from_session: snapshot.identities_from_session,
    urls: { dashboard: `${baseUrl}/dashboard/profiles/${id}` },
    identities: snapshot.identities,
  };
}
