import type { BatchAnswer, RejectReason, ShopperEvent } from "../../contract/storefront.ts";
import type { Transaction } from "../platform/database/sql.ts";
import type { CompiledVersion, VersionCache } from "../quizzes/public.ts";
import { admit, type Load } from "./admit.ts";
import { type SessionAttributes, sessionAttributes } from "./attributes.ts";
import type { Devices } from "./device.ts";
import { foldOf, goesOn, isCounted, newFold } from "./fold.ts";
import type { IncomingBatch, RefusedEvent } from "./incoming.ts";
import { comparePlaces } from "./order.ts";
import { shownByKey } from "./products.ts";
import { continueSession, reduceInTurns, type Turns } from "./reduce.ts";
import { eventUuid, type KeptSession, readEventPages, readKnownEvents, readSessions, type SessionRow } from "./rows.ts";
import type { Reduction, SessionState, StoredEvent } from "./state.ts";
import { correctTime } from "./time.ts";

/** Finds out which of the events of a group of requests are new, and puts them to their sessions. */

export interface Readers {
  versions: VersionCache;
  devices: Devices;
}

/** A session that requests of the group name. */
export interface Visit {
  id: string;
  row: SessionRow | null;
  /** what the row tells of its events; null without a row */
  state: Partial<SessionState> | null;
  /** of a session that the group opens: set by the first of its requests that brings an event */
  facts: SessionAttributes | null;
  version: CompiledVersion;
  load: Load;
  fresh: StoredEvent[];
  /** ids of the group's events that are kept */
  known: Set<string>;
  /** whether a new event answers a question for an email or phone */
  contactTyped: boolean;
  /** set once it was reduced */
  reduction: Reduction | null;
}

/** What became of each event of a request, in the order in which they were sent. */
export type Verdict = { kind: "kept" | "duplicate" } | { kind: "refused"; reason: RejectReason };

/** Reads the sessions that the requests name, and which of the requests' events they keep already. */
export async function openVisits(
  tx: Transaction,
  storeId: string,
  batches: readonly IncomingBatch[],
  { versions }: Readers,
): Promise<Map<string, Visit>> {
  const ids = [...new Set(batches.map((batch) => batch.sessionId))];
  // sent together, and run one after the other
  const [sessions, known] = await Promise.all([
    readSessions(tx, storeId, ids),
    readKnownEvents(tx, storeId, batches.flatMap(eventsOf)),
  ]);
  const sessionById = new Map(sessions.map((session) => [session.row.id, session]));
  const visits = new Map<string, Visit>();
  for (const batch of batches) {
    const { sessionId: id } = batch;
    if (visits.has(id)) continue;
    const session = sessionById.get(id);
    const row = session?.row ?? null;
    const version = await versions.get(tx.forStore(storeId), row?.version_id ?? batch.versionId);
    if (version === null) throw new Error("a session's quiz version is gone");
    visits.set(id, {
      id,
      row,
      state: session?.state ?? null,
      facts: null,
      version,
      load: loadOf(session),
      fresh: [],
      known: new Set(),
      contactTyped: false,
      reduction: null,
    });
  }
  for (const batch of batches) {
    const visit = visits.get(batch.sessionId);
    for (const { sessionId, id } of eventsOf(batch)) {
      if (known.has(`${sessionId} ${id}`)) visit?.known.add(`evt_${id}`);
    }
  }
  return visits;
}

function eventsOf({ sessionId, events }: IncomingBatch): { sessionId: string; id: string }[] {
  return events.flatMap((one) => (one.refused === null ? [{ sessionId, id: eventUuid(one.event.id) }] : []));
}

function loadOf(session: KeptSession | undefined): Load {
  if (session === undefined) return { events: 0, bytes: 0, shown: new Set() };
  const { state, counted } = session;
  const { events, bytes } = counted ?? (isCounted(state) ? state.fold : { events: 0, bytes: 0 });
  return { events, bytes, shown: new Set(shownByKey(state.shown ?? []).keys()) };
}

/** Puts one request's events to its session. */
export async function takeBatch(
  tx: Transaction,
  storeId: string,
  visit: Visit,
  batch: IncomingBatch,
  readers: Readers,
): Promise<Verdict[]> {
  if (visit.row === null && visit.facts === null && visit.version.id !== batch.versionId) {
    // an earlier request of the group named another version, and opened nothing
    const version = await readers.versions.get(tx.forStore(storeId), batch.versionId);
    if (version !== null) visit.version = version;
  }
  const { quiz } = visit.version;
  const kept: ShopperEvent[] = [];
  const verdicts = batch.events.map((incoming): Verdict => {
    if (incoming.refused !== null) return { kind: "refused", reason: incoming.refused };
    const { event } = incoming;
    if (visit.known.has(event.id)) return { kind: "duplicate" };
    const admitted = admit(event, batch, { quiz, load: visit.load });
    if (typeof admitted === "string") return { kind: "refused", reason: admitted };
    visit.known.add(event.id);
    kept.push(admitted);
    return { kind: "kept" };
  });
  if (kept.length > 0 && visit.row === null) visit.facts ??= sessionAttributes(batch, readers.devices);
  for (const event of kept.toSorted(comparePlaces)) {
    visit.fresh.push(stored(event, batch));
    if (event.type === "answer_saved") visit.contactTyped ||= asksForContact(visit.version, event.component_key);
  }
  return verdicts;
}

/** The first moment that a date of the database and of JSON can both name. */
const earliest = Date.parse("0001-01-01T00:00:00Z");

/** An event as it is kept: its time is fixed now. */
function stored(event: ShopperEvent, { history, sentAt, receivedAt }: IncomingBatch): StoredEvent {
  const own = Date.parse(event.at);
  const time = history
    ? Math.max(Math.min(own, receivedAt), earliest)
    : correctTime({ at: own, sentAt, serverNow: receivedAt });
  return { ...event, ...(history ? { own_time: true } : {}), at: new Date(time).toISOString(), time };
}

function asksForContact({ quiz }: CompiledVersion, componentKey: string): boolean {
  const kind = quiz.questions.get(componentKey)?.component.kind;
  return kind === "email" || kind === "phone";
}

/**
 * Reduces a session that has new events: from where its row stands, or, where they come before others or change what
 * others come to, from all of its events.
 */
export async function reduceVisit(
  tx: Transaction,
  storeId: string,
  visit: Visit,
  { now, turns }: { now: number; turns: Turns },
): Promise<void> {
  const { state, fresh } = visit;
  const given = { quiz: visit.version.quiz, country: (visit.row ?? visit.facts)?.country ?? null, now };
  const fold = state === null ? newFold() : foldOf(state);
  if (fold !== null && goesOn(fold, fresh)) {
    visit.reduction = await continueSession({ ...given, fold, events: fresh }, turns);
    if (visit.reduction !== null) return;
  }
  const events = [...fresh];
  if (state !== null) for await (const page of readEventPages(tx, storeId, visit.id)) events.push(...page);
  events.sort(comparePlaces);
  visit.reduction = await reduceInTurns({ ...given, pages: () => [events] }, turns);
  if (visit.reduction === null) throw new Error("a session has no events");
}

/** What a request is told: events that are kept but do not count are among the rejected. */
export function answerOf(batch: IncomingBatch, verdicts: readonly Verdict[], visit: Visit): BatchAnswer {
  const answer: BatchAnswer = { accepted: 0, duplicates: 0, rejected: [] };
  for (const [index, verdict] of verdicts.entries()) {
    const incoming = batch.events[index];
    if (incoming === undefined) continue;
    const id = idOf(incoming);
    const late = verdict.kind === "kept" && id !== null ? visit.reduction?.rejections.get(id) : undefined;
    if (verdict.kind === "duplicate") answer.duplicates += 1;
    else if (verdict.kind === "refused") answer.rejected.push({ id, reason: verdict.reason });
    else if (late !== undefined) answer.rejected.push({ id, reason: late });
    else answer.accepted += 1;
  }
  return answer;
}

const idOf = (incoming: IncomingBatch["events"][number] | RefusedEvent): string | null =>
  incoming.refused === null ? incoming.event.id : incoming.id;

export const isPreview = (visit: Visit): boolean => (visit.row ?? visit.facts)?.preview === true;

export function stateOf(visit: Visit): SessionState {
  if (visit.reduction === null) throw new Error("a session was not reduced");
  return visit.reduction.state;
}
