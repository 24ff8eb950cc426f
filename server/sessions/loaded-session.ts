import type { BatchAnswer, RejectReason } from "../../contract/storefront.ts";
import { isContact } from "../../engine/kinds/value.ts";
import type { StoreRunner } from "../platform/database/sql.ts";
import type { CompiledVersion, VersionCache } from "../quizzes/public.ts";
import { type Admitted, admit, type Load } from "./admit.ts";
import { type SessionAttributes, sessionAttributes } from "./attributes.ts";
import { contactStates } from "./contact-states.ts";
import type { Devices } from "./device.ts";
import { foldOf, goesOn, isCounted, newFold } from "./fold.ts";
import type { IncomingBatch } from "./incoming.ts";
import { comparePlaces, dataOf, eventUuid, type KeptEvent, type KeptEventOf, keptEvent } from "./kept-event.ts";
import { shownByKey } from "./products.ts";
import { continueSession, reduceYielding, type Yielder } from "./reduce.ts";
import { type KeptSession, type NewEvent, readEventPages, readSessions, type SessionRow } from "./rows.ts";
import type { ContactCapture, Reduction, SessionState } from "./state.ts";

/** A session named by requests of a group: it is read from its row, given the requests' new events, and reduced. */
export interface LoadedSession {
  id: string;
  row: SessionRow | null;
  /** the state in its row; null without a row */
  state: Partial<SessionState> | null;
  /** for a session that the group opens: set by the first of its requests that brings an event */
  attributes: SessionAttributes | null;
  version: CompiledVersion;
  load: Load;
  fresh: KeptEvent[];
  /** rows of the `fresh` events */
  rows: NewEvent[];
  /** ids of the group's events that are stored */
  known: Set<string>;
  /** whether a new event answers a question for an email or phone */
  contactTyped: boolean;
  /** event ids of the contacts in force before the new events */
  heldBefore: ReadonlySet<string>;
  /** whether every new event comes after the earlier ones; set when the session is reduced */
  wentOn: boolean;
  /** set when the session is reduced */
  reduction: Reduction | null;
}

/** The outcome for each event of a request, in the order in which they were sent. */
export type Verdict = { kind: "kept" | "duplicate" } | { kind: "refused"; reason: RejectReason };

/** Reads the sessions that the requests name, and which of the requests' events they already have. */
export async function loadSessions(
  tx: StoreRunner,
  versions: VersionCache,
  batches: readonly IncomingBatch[],
): Promise<Map<string, LoadedSession>> {
  const asked = new Map<string, string[]>();
  for (const batch of batches) {
    const before = asked.get(batch.sessionId);
    asked.set(batch.sessionId, before === undefined ? eventIds(batch) : [...before, ...eventIds(batch)]);
  }
  const kept = await readSessions(tx, asked);
  const keptById = new Map(kept.map((one) => [one.row.id, one]));
  const sessions = new Map<string, LoadedSession>();
  for (const batch of batches) {
    const { sessionId: id } = batch;
    if (!sessions.has(id)) sessions.set(id, await loaded(tx, versions, batch, keptById.get(id)));
  }
  return sessions;
}

async function loaded(
  tx: StoreRunner,
  versions: VersionCache,
  { sessionId: id, versionId }: IncomingBatch,
  kept: KeptSession | undefined,
): Promise<LoadedSession> {
  const { row = null, state = null, known = [] } = kept ?? {};
  const version = await versions.existing(tx, row?.version_id ?? versionId);
  // copied now: a fold that continues takes over and changes the row's contacts
  const held = (state?.contacts ?? []).filter(({ current }) => current).map(({ event_id }) => event_id);
  const work = {
    attributes: null,
    fresh: [],
    rows: [],
    known: new Set(known.map((each) => `evt_${each}`)),
    contactTyped: false,
    reduction: null,
  };
  return { id, row, state, version, load: loadOf(kept), heldBefore: new Set(held), wentOn: false, ...work };
}

const eventIds = ({ events }: IncomingBatch): string[] =>
  events.flatMap((one) => (one.refused === null ? [eventUuid(one.event.id)] : []));

function loadOf(kept: KeptSession | undefined): Load {
  const { state = {}, counted = null } = kept ?? {};
  const { events, bytes } = counted ?? (isCounted(state) ? state.fold : { events: 0, bytes: 0 });
  let keys: Set<string> | null = null;
  return {
    events,
    bytes,
    get shown() {
      keys ??= new Set(shownByKey(state.shown ?? []).keys());
      return keys;
    },
  };
}

const isKept: Verdict = { kind: "kept" };
const isDuplicate: Verdict = { kind: "duplicate" };

/** Adds one request's events to its session [storefront.repeated-events]. */
export async function applyBatch(
  tx: StoreRunner,
  session: LoadedSession,
  batch: IncomingBatch,
  { versions, devices }: { versions: VersionCache; devices: Devices },
): Promise<Verdict[]> {
  if (session.row === null && session.attributes === null && session.version.id !== batch.versionId) {
    // an earlier request of the group named another version, but opened nothing
    session.version = (await versions.get(tx, batch.versionId)) ?? session.version;
  }
  const { quiz } = session.version;
  // until the session has its attributes, they will be those of this request
  const timeZone = (session.row ?? session.attributes ?? batch.session).time_zone ?? null;
  const kept: Admitted[] = [];
  const verdicts = batch.events.map((incoming): Verdict => {
    if (incoming.refused !== null) return { kind: "refused", reason: incoming.refused };
    const { event } = incoming;
    if (session.known.has(event.id)) return isDuplicate;
    const admitted = admit(event, batch, { quiz, load: session.load, timeZone });
    if (typeof admitted === "string") return { kind: "refused", reason: admitted };
    session.known.add(event.id);
    kept.push(admitted);
    return isKept;
  });
  kept.sort((one, other) => comparePlaces(one.event, other.event));
  if (kept.length > 0 && session.row === null) session.attributes ??= sessionAttributes(batch, devices);
  for (const admitted of kept) {
    const event = keptEvent(admitted, batch);
    session.fresh.push(event);
    session.rows.push(rowOf(session.id, event, event.own_time ? dataOf(event) : admitted.data));
    if (event.type === "answer_saved") session.contactTyped ||= asksForContact(session.version, event.component_key);
  }
  return verdicts;
}

const rowOf = (session_id: string, { id, seq, at, type }: KeptEvent, data: object): NewEvent => {
  return { session_id, id: eventUuid(id), seq, at, type, data };
};

/** The session's contacts after each new contact answer; only the final ones if its events came out of order. */
export function contactStatesOf(session: LoadedSession): ContactCapture[][] {
  const { contacts } = stateOf(session);
  const answers = session.fresh.filter(
    (event): event is KeptEventOf<"answer_saved"> =>
      event.type === "answer_saved" &&
      asksForContact(session.version, event.component_key) &&
      !session.reduction?.rejections.has(event.id),
  );
  return session.wentOn && answers.length > 1 ? contactStates(contacts, answers, session.heldBefore) : [contacts];
}

function asksForContact({ quiz }: CompiledVersion, componentKey: string): boolean {
  const component = quiz.questions.get(componentKey)?.component;
  return component !== undefined && isContact(component);
}

/**
 * Reduces a session with new events: from its row's fold or, if they come before earlier ones or change their effect,
 * from all of its events.
 */
export async function reduceLoaded(
  tx: StoreRunner,
  session: LoadedSession,
  { now, yielder }: { now: number; yielder: Yielder },
): Promise<void> {
  const { state, fresh } = session;
  const given = { quiz: session.version.quiz, country: attributesOf(session).country, now };
  const fold = state === null ? newFold() : foldOf(state);
  session.wentOn = fold !== null && goesOn(fold, fresh);
  if (fold !== null && session.wentOn) {
    session.reduction = await continueSession({ ...given, fold, events: fresh }, yielder);
    if (session.reduction !== null) return;
  }
  const events = [...fresh];
  if (state !== null) for await (const page of readEventPages(tx, session.id)) events.push(...page);
  events.sort(comparePlaces);
  session.reduction = await reduceYielding({ ...given, pages: () => [events] }, yielder);
  if (session.reduction === null) throw new Error("a session has no events");
}

/** The answer to a request: events that are stored but do not count are among the rejected. */
export function answerOf(batch: IncomingBatch, verdicts: readonly Verdict[], session: LoadedSession): BatchAnswer {
  const answer: BatchAnswer = { accepted: 0, duplicates: 0, rejected: [] };
  for (const [index, incoming] of batch.events.entries()) {
    const verdict = verdicts[index];
    const id = incoming.refused === null ? incoming.event.id : incoming.id;
    const late = verdict?.kind === "kept" && id !== null ? session.reduction?.rejections.get(id) : undefined;
    if (verdict?.kind === "duplicate") answer.duplicates += 1;
    else if (verdict?.kind === "refused") answer.rejected.push({ id, reason: verdict.reason });
    else if (late !== undefined) answer.rejected.push({ id, reason: late });
    else answer.accepted += 1;
  }
  return answer;
}

/** Attributes of a session with events: its row's, or those set by its first event. */
export function attributesOf({ row, attributes }: LoadedSession): SessionRow | SessionAttributes {
  const known = row ?? attributes;
  if (known === null) throw new Error("a session without events has no attributes");
  return known;
}

export function stateOf({ reduction }: LoadedSession): SessionState {
  if (reduction === null) throw new Error("a session was not reduced");
  return reduction.state;
}
