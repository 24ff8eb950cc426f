import type { SessionIdentity } from "../../../contract/events.ts";
import type { Runner } from "../../platform/database/statements.ts";
import type { DueEvent, EventPayload, PayloadBuilder } from "../../platform/event-payloads.ts";
import type { CompiledVersion, VersionCache } from "../../quizzes/public.ts";
import { normaliseContact } from "../contacts.ts";
import { eventsUpTo, inOrder } from "../order.ts";
import { reduceSession } from "../reduce.ts";
import { type KeptSession, readSessions } from "../rows.ts";
import type { StoredEvent } from "../state.ts";
import { abandonedObject, capturedObject, finishedObject, identitiesOf, startedObject } from "./objects.ts";
import { readShownCatalog, readSurroundings, readTold, type Surroundings, type ToldSession } from "./read.ts";

/** Payloads of events about sessions (6.1, 6.3). A session whose row is gone has nothing left to tell. */
export const sessionPayloads = (tools: { versions: VersionCache }): PayloadBuilder => ({
  topics: ["quiz.started", "quiz.finished", "quiz.abandoned", "identity.captured"],
  build: (db, storeId, events) => build(db, tools.versions, storeId, events),
});

/** An event beside the session as it tells it. */
interface Told {
  event: DueEvent;
  session: ToldSession;
  /** of identity.captured */
  identity: SessionIdentity | null;
}

async function build(
  db: Runner,
  cache: VersionCache,
  storeId: string,
  events: readonly DueEvent[],
): Promise<Map<string, EventPayload>> {
  const idsOf = (some: readonly DueEvent[]) => [...new Set(some.flatMap((event) => event.sessionId ?? []))];
  const sessions = await readTold(db, storeId, idsOf(events));
  const aroundOf = await readSurroundings(db, cache, storeId, [...sessions.values()]);
  const capturing = events.filter((event) => event.topic === "identity.captured");
  const kept = capturing.length === 0 ? [] : await readSessions(db, storeId, idsOf(capturing));
  const keptById = new Map(kept.map((session) => [session.row.id, session]));
  const told = events.flatMap((event): Told[] => {
    const session = sessions.get(event.sessionId ?? "");
    if (session === undefined) return [];
    if (event.topic !== "identity.captured") return [{ event, session, identity: null }];
    return asCaptured(event, session, keptById.get(session.id), aroundOf(session).version);
  });
  const catalog = await readShownCatalog(
    db,
    storeId,
    told
      .filter(({ event: { topic } }) => topic === "quiz.finished" || topic === "identity.captured")
      .map(({ session }) => session),
  );
  return new Map(told.map((one) => [one.event.id, { object: objectOf(one, aroundOf(one.session), catalog) }]));
}

function objectOf(
  { event, session, identity }: Told,
  around: Surroundings,
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
 * The session up to the event that left the contact, by `seq`, whatever has arrived since. Contacts replaced or cleared
 * meanwhile are not in it, and where the captured one was, nothing is sent: a typing error may be somebody else's address.
 */
function asCaptured(
  event: DueEvent,
  session: ToldSession,
  kept: KeptSession | undefined,
  version: CompiledVersion | null,
): Told[] {
  // as it was written with the capture: the outbox holds any JSON
  const { event_id, seq, identity } = event.data as unknown as Captured;
  const isCaptured = ({ kind, value }: SessionIdentity) => kind === identity.kind && value === identity.value;
  if (!identitiesOf(session).some(isCaptured)) return [];
  if (version === null || kept === undefined) return [{ event, session, identity }];
  const events = eventsUpTo(kept.events, { seq, id: event_id });
  const state = stateAt(events, version, session);
  if (state === null) return [{ event, session, identity }];
  const contactOf = contactIn(session);
  const inForce = new Set(session.state.answers.filter(isContact).map(contactOf));
  const stands = (answer: Parameters<typeof contactOf>[0]) => inForce.has(contactOf(answer));
  const answers = state.answers.filter((answer) => !isContact(answer) || stands(answer));
  const contacts = state.contacts.filter(stands);
  return [{ event, session: { ...session, state: { ...state, answers, contacts } }, identity }];
}

const isContact = ({ kind }: { kind: string }): boolean => kind === "email" || kind === "phone";

/** Tells the contacts of a session apart: one may be typed in several ways, and in several fields. */
const contactIn =
  ({ country }: ToldSession) =>
  ({ kind, value }: { kind: string; value?: unknown }): string => {
    const identity = kind === "email" || kind === "phone" ? normaliseContact(kind, String(value), country) : null;
    return JSON.stringify([kind, identity ?? value]);
  };

/** As of its last event's own time, so that it is not yet idle. Null: none of the events is left. */
function stateAt(events: readonly StoredEvent[], version: CompiledVersion, { country }: ToldSession) {
  const last = inOrder(events).at(-1);
  return last ? reduceSession({ quiz: version.quiz, events, country, now: last.time }).state : null;
}
