import type { SessionIdentity } from "../../../contract/events/session.ts";
import { valueOfText } from "../../../engine/kinds/value.ts";
import { canonicalContact, contactIdentity } from "../../platform/contacts.ts";
import type { StoreRunner } from "../../platform/database/sql.ts";
import type { DueEvent, EventPayload, PayloadBuilder } from "../../platform/event-payloads.ts";
import type { CompiledVersion, VersionCache } from "../../quizzes/public.ts";
import type { Place } from "../kept-event.ts";
import { reduceYielding, Yielder } from "../reduce.ts";
import { readEventPages } from "../rows.ts";
import type { SessionState } from "../state.ts";
import { abandonedObject, capturedObject, finishedObject, identitiesOf, startedObject } from "./objects.ts";
import {
  type PayloadContext,
  type ReadSession,
  readPayloadContext,
  readPayloadSessions,
  readShownCatalog,
} from "./read.ts";

/** Builds payloads of events about sessions. Nothing is sent for a session whose row is gone. */
export const sessionPayloads = (deps: { versions: VersionCache }): PayloadBuilder => ({
  build: (db, storeId, events) => build(db.forStore(storeId), deps.versions, events),
});

/** An event, and the session as the event presents it. */
interface SessionEvent {
  event: DueEvent;
  session: ReadSession;
  /** for identity.captured */
  identity: SessionIdentity | null;
}

async function build(
  db: StoreRunner,
  versions: VersionCache,
  events: readonly DueEvent[],
): Promise<Map<string, EventPayload>> {
  const idsOf = (some: readonly DueEvent[]) => [...new Set(some.flatMap((event) => event.sessionId ?? []))];
  const sessions = await readPayloadSessions(db, idsOf(events));
  const aroundOf = await readPayloadContext(db, versions, [...sessions.values()]);
  const sessionEvents: SessionEvent[] = [];
  for (const event of events) {
    const session = sessions.get(event.sessionId ?? "");
    if (session === undefined) continue;
    if (event.topic !== "identity.captured") sessionEvents.push({ event, session, identity: null });
    else sessionEvents.push(...(await asCaptured(event, session, aroundOf(session).version, db)));
  }
  const catalog = await readShownCatalog(
    db,
    sessionEvents
      .filter(({ event: { topic } }) => topic === "quiz.finished" || topic === "identity.captured")
      .map(({ session }) => session),
  );
  return new Map(sessionEvents.map((one) => [one.event.id, { object: objectOf(one, aroundOf(one.session), catalog) }]));
}

function objectOf(
  { event, session, identity }: SessionEvent,
  around: PayloadContext,
  catalog: Awaited<ReturnType<typeof readShownCatalog>>,
): object {
  if (identity !== null) return capturedObject(session, around, catalog, identity);
  if (event.topic === "quiz.started") return startedObject(session, around);
  if (event.topic === "quiz.abandoned") return abandonedObject(session, around);
  return finishedObject(session, around, catalog, event.created);
}

interface Captured {
  event_id: string;
  seq: number;
  identity: SessionIdentity;
}

/**
 * The session up to the event with the contact, by `seq`, whatever has arrived since. Contacts replaced or cleared
 * later are left out; if the captured one was, nothing is sent: a typing error may be somebody else's address.
 */
async function asCaptured(
  event: DueEvent,
  session: ReadSession,
  version: CompiledVersion | null,
  db: StoreRunner,
): Promise<SessionEvent[]> {
  // written in this form with the capture; the outbox's type allows any JSON
  const { event_id, seq, identity } = event.data as unknown as Captured;
  const keyOf = ({ kind, value }: SessionIdentity) => canonicalContact(kind, value);
  const isCaptured = (held: SessionIdentity) => held.kind === identity.kind && keyOf(held) === keyOf(identity);
  if (!identitiesOf(session).some(isCaptured)) return [];
  const state = version === null ? null : await stateAt({ seq, id: event_id }, version, session, db);
  if (state === null) return [{ event, session, identity }];
  const contactOf = contactIn(session);
  const inForce = new Set(session.state.answers.filter(isContact).map(contactOf));
  const stands = (answer: Parameters<typeof contactOf>[0]) => inForce.has(contactOf(answer));
  const answers = state.answers.filter((answer) => !isContact(answer) || stands(answer));
  const contacts = state.contacts.filter(stands);
  return [{ event, session: { ...session, state: { ...state, answers, contacts } }, identity }];
}

const isContact = ({ kind }: { kind: string }): boolean => valueOfText(kind) === "contact";

/**
 * A key that identifies a contact within a session: the same one may be typed in several ways, and in several fields.
 */
const contactIn =
  ({ country }: ReadSession) =>
  ({ kind, value }: { kind: string; value?: unknown }): string => {
    const identity = kind === "email" || kind === "phone" ? contactIdentity(kind, String(value), country) : null;
    return JSON.stringify([kind, identity ?? value]);
  };

/**
 * Null: none of the events is left. Reads page by page, one session after another: the events of an outbox's sessions
 * need not fit into memory together.
 */
async function stateAt(
  place: Place,
  { quiz }: CompiledVersion,
  { id, country }: ReadSession,
  db: StoreRunner,
): Promise<SessionState | null> {
  const pages = () => readEventPages(db, id, place);
  return (await reduceYielding({ quiz, country, now: null, pages }, new Yielder()))?.state ?? null;
}
