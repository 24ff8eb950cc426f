import { type BatchAnswer, maxEventsPerSession, type RejectReason } from "../../contract/storefront.ts";
import type { Transaction } from "../platform/database/database.ts";
import type { CompiledVersion, VersionCache } from "../quizzes/public.ts";
import { checkEvent } from "./check.ts";
import type { Devices } from "./device.ts";
import { type SessionFactColumns, sessionFacts } from "./facts.ts";
import type { IncomingBatch, IncomingEvent } from "./incoming.ts";
import { readSessions, type SessionRow } from "./rows.ts";
import type { Reduction, SessionState, StoredEvent } from "./state.ts";
import { correctTime } from "./time.ts";

/** Finds out which of the events of a group of requests are new, and puts them to their sessions (storefront 2). */

export interface Readers {
  versions: VersionCache;
  devices: Devices;
}

/** A session that requests of the group name. */
export interface Visit {
  id: string;
  row: SessionRow | null;
  /** of a session that the group opens: set by the first of its requests that brings an event */
  facts: SessionFactColumns | null;
  version: CompiledVersion;
  /** corrected time of the first event that was kept, ms; null before it */
  firstTime: number | null;
  /** all that are kept, old and new */
  events: StoredEvent[];
  fresh: StoredEvent[];
  known: Set<string>;
  /** whether a new event answers a question for an email or phone */
  contactTyped: boolean;
  /** set once it was reduced */
  reduction: Reduction | null;
}

/** What became of each event of a request, in the order in which they were sent. */
export type Verdict = { kind: "kept" | "duplicate" } | { kind: "refused"; reason: RejectReason };

/** Reads the sessions that the requests name, with all of their events. */
export async function openVisits(
  tx: Transaction,
  storeId: string,
  batches: readonly IncomingBatch[],
  { versions }: Readers,
): Promise<Map<string, Visit>> {
  const ids = [...new Set(batches.map((batch) => batch.sessionId))];
  const sessions = await readSessions(tx, storeId, ids);
  const sessionById = new Map(sessions.map((session) => [session.row.id, session]));
  const visits = new Map<string, Visit>();
  for (const batch of batches) {
    const { sessionId: id } = batch;
    if (visits.has(id)) continue;
    const { row, events } = sessionById.get(id) ?? { row: null, events: [] };
    const version = await versions.get(tx, storeId, row?.version_id ?? batch.versionId);
    if (version === null) throw new Error("a session's quiz version is gone");
    visits.set(id, {
      id,
      row,
      facts: null,
      version,
      firstTime: row?.first_received_at ?? null,
      events,
      fresh: [],
      known: new Set(events.map((event) => event.id)),
      contactTyped: false,
      reduction: null,
    });
  }
  return visits;
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
    const version = await readers.versions.get(tx, storeId, batch.versionId);
    if (version !== null) visit.version = version;
  }
  const kept: IncomingEvent["event"][] = [];
  const verdicts = batch.events.map((incoming): Verdict => {
    if (incoming.refused !== null) return { kind: "refused", reason: incoming.refused };
    const { event } = incoming;
    if (visit.known.has(event.id)) return { kind: "duplicate" };
    const reason = checkEvent(visit.version.quiz, event);
    if (reason !== null) return { kind: "refused", reason };
    if (visit.known.size >= maxEventsPerSession) return { kind: "refused", reason: "too_many_events" };
    visit.known.add(event.id);
    kept.push(event);
    return { kind: "kept" };
  });
  if (kept.length > 0 && visit.row === null) visit.facts ??= sessionFacts(batch, readers.devices);
  keep(visit, batch, kept);
  return verdicts;
}

/** Fixes the times of events; the first of a session by `seq` sets how far back the others may lie. */
function keep(visit: Visit, batch: IncomingBatch, kept: IncomingEvent["event"][]): void {
  kept.sort((a, b) => a.seq - b.seq || (a.id < b.id ? -1 : 1));
  for (const event of kept) {
    const time = timeOf(Date.parse(event.at), batch, visit.firstTime);
    visit.firstTime ??= time;
    const stored = { ...event, at: new Date(time).toISOString(), time };
    visit.events.push(stored);
    visit.fresh.push(stored);
    if (event.type === "answer_saved") visit.contactTyped ||= asksForContact(visit.version, event.component_key);
  }
}

function timeOf(at: number, { history, sentAt, receivedAt }: IncomingBatch, firstTime: number | null): number {
  const time = history ? Math.min(at, receivedAt) : correctTime({ at, sentAt, serverNow: receivedAt, firstTime });
  // a clock far off is no reason to lose the event, but no database column reaches back for ever
  return Math.max(time, 0);
}

function asksForContact({ quiz }: CompiledVersion, componentKey: string): boolean {
  const kind = quiz.questions.get(componentKey)?.component.kind;
  return kind === "email" || kind === "phone";
}

/** What a request is told: events that are kept but do not count are among the rejected (storefront 2). */
export function answerOf(batch: IncomingBatch, verdicts: readonly Verdict[], visit: Visit): BatchAnswer {
  const answer: BatchAnswer = { accepted: 0, duplicates: 0, rejected: [] };
  for (const [index, verdict] of verdicts.entries()) {
    const incoming = batch.events[index];
    if (incoming === undefined) continue;
    const id = incoming.refused === null ? incoming.event.id : incoming.id;
    const late = verdict.kind === "kept" && id !== null ? visit.reduction?.rejections.get(id) : undefined;
    if (verdict.kind === "duplicate") answer.duplicates += 1;
    else if (verdict.kind === "refused") answer.rejected.push({ id, reason: verdict.reason });
    else if (late !== undefined) answer.rejected.push({ id, reason: late });
    else answer.accepted += 1;
  }
  return answer;
}

/** The UUID of an event's id, whose shape was checked. */
export const eventUuid = (id: string): string => id.slice("evt_".length);

export const isPreview = (visit: Visit): boolean => (visit.row ?? visit.facts)?.preview === true;

export function stateOf(visit: Visit): SessionState {
  if (visit.reduction === null) throw new Error("a session was not reduced");
  return visit.reduction.state;
}
