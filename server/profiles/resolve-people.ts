import { setImmediate as nextTurn } from "node:timers/promises";
import type { StoreTransaction } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { StoreChange } from "../stores/public.ts";
import { countFigures, countIdentities, type Held } from "./figures.ts";
import { type OrderedContacts, type ReadPeople, readMet, readPeople, type SessionRow } from "./known-people.ts";
import { type CapturedContact, contactKey, contactKeys, People, type Resolution } from "./people.ts";
import { capturedEvents, personEvents } from "./people-events.ts";
import { type PersonCount, putOffRecounts, readCounts } from "./recount.ts";
import {
  insertPeople,
  type Merge,
  mergePeople,
  moveFollowers,
  recaptured,
  recordMerges,
  writeCaptures,
  writeHolders,
  writeSessions,
} from "./write-people.ts";

/**
 * Finds out which people the contacts of sessions and orders belong to: reads once, decides in memory (`people.ts`),
 * then writes.
 */

export interface SessionContacts {
  /** UUID */
  sessionId: string;
  /**
   * The session's contacts after each one that came; the last entry is the current state. Each entry lists every
   * contact typed so far that can be an identity, in `seq` order, including replaced ones. Empty for a session that
   * never had any. Preview sessions must not be passed, since they create no people.
   */
  states: readonly (readonly CapturedContact[])[];
}

export interface PeopleChanges {
  /** people created, changed and gone; sessions that moved to another person, possibly including the caller's own */
  changes: StoreChange[];
  /** profile.created, profile.updated and identity.captured events, ready for the outbox */
  events: OutboxEvent[];
}

/**
 * What is known once all statements are sent. The store is locked until they are answered, so a caller sends its own
 * right behind them.
 */
export interface SentPeople {
  /** every change that there may be */
  mayChange: StoreChange[];
  /** the changes that there are, once all statements are answered */
  answered: Promise<PeopleChanges>;
}

export interface ResolveDeps {
  /** calendar time in ms */
  now: number;
  random: RandomBytes;
}

/**
 * Updates people to match the contacts that sessions have now. Writes `captures`, `identities`, `profiles`, and the
 * columns `profile_id` and `emitted` (appended to) of `sessions`. Sessions whose `emits` is false cause no events.
 *
 * The caller's transaction must have raised the store's revision, which keeps other changes to its people out, and must
 * have written the sessions' rows. The caller records the returned changes and appends the returned events. Afterwards it
 * must not write the two columns of `sessions` from data it read earlier.
 *
 * @param deps `touchedSessionIds`: UUIDs of sessions changed in this transaction; the figures of their people are
 * recounted
 */
export async function resolvePeople(
  tx: StoreTransaction,
  sessions: readonly SessionContacts[],
  deps: ResolveDeps & { touchedSessionIds: readonly string[] },
): Promise<SentPeople> {
  const states = new Map(sessions.map((session) => [session.sessionId, session.states]));
  const read = await readPeople(tx, states, deps.touchedSessionIds, []);
  const newId = () => uuidAt(deps.now, deps.random);
  const people = new People(read.known, newId);
  const resolutions: Resolution[] = [];
  for (const [sessionId, each] of states) {
    resolutions.push(...people.resolve(sessionId, each));
    // a hundred contacts that come together take some tens of milliseconds
    if (each.length > 1) await nextTurn();
  }
  return write(tx, { people, resolutions, read, now: deps.now, newId, held: "raised" });
}

/**
 * Merges two people if an order carries an email of one and a phone of the other, and some session has both, typed
 * before or after the order ([people.order-confirms]; `resolvePeople` handles orders that came first). The phone moves
 * to the email's person, who also takes over the phone's previous holder if no contact is left there. Only the first
 * email and first phone of an order count, since those are the buyer's. The caller's transaction must hold the store's
 * revision without having raised it, and must have written the orders. The caller records the changes, and appends the events if orders may cause
 * any.
 */
export async function confirmByOrders(
  tx: StoreTransaction,
  orders: readonly OrderedContacts[],
  { now, random }: ResolveDeps,
): Promise<PeopleChanges> {
  const read = await readPeople(tx, new Map(), [], orders);
  if (read.holders.size === 0) return { changes: [], events: [] };
  const newId = () => uuidAt(now, random);
  const people = new People(read.known, newId);
  const pairs = orders.flatMap(({ emails: [email], phones: [phone] }) =>
    email === undefined || phone === undefined ? [] : { email, phone },
  );
  const met = await readMet(tx, pairs);
  const resolutions = met.map(({ email, phone }) =>
    people.confirm(contactKey({ kind: "email", value: email }), contactKey({ kind: "phone", value: phone })),
  );
  const sent = await write(tx, { people, resolutions, read, now, newId, held: "held" });
  const { changes, events } = await sent.answered;
  // once an order names a session together with the contact, that session's checkbox counts for the contact
  const holders = orders.flatMap(contactKeys).flatMap((key) => people.holders.get(key) ?? []);
  const counted = await countIdentities(tx, [...new Set(holders)]);
  return { changes: [...changes, ...counted.map((id) => ({ kind: "profile" as const, id }))], events };
}

interface Resolved {
  people: People;
  resolutions: readonly Resolution[];
  read: ReadPeople;
  now: number;
  newId: () => string;
  held: Held;
}

/** Writes everything that differs from what was read. */
async function write(tx: StoreTransaction, resolved: Resolved): Promise<SentPeople> {
  const { people, resolutions, read, now } = resolved;
  const written = await writePeople(tx, resolved);
  const { figures, contacts } = peopleToCount(resolved, written);
  const counts = await countsOf(tx, [...figures, ...contacts], { resolved, written });
  const { later, statements } = putOffRecounts(counts, now);
  const atOnce = (ids: ReadonlySet<string>) => [...ids].filter((id) => !later.has(id));
  // each is sent right behind the one before: events show people as they are counted
  const sent = together([
    written.sent,
    countFigures(tx, atOnce(figures), resolved.held),
    countIdentities(tx, atOnce(contacts)),
    personEvents(tx, resolutions, people, read, resolved),
    ...statements.map((statement) => tx.all(statement)),
  ]);
  const gone = [...people.merged.keys()].filter((id) => !people.made.has(id));
  const changesOf = (ids: Iterable<string>): StoreChange[] => {
    const changed = [...new Set([...written.changed, ...ids])].filter((id) => !people.merged.has(id));
    return [
      ...[...changed, ...gone].map((id) => ({ kind: "profile" as const, id })),
      ...written.sessions.map((id) => ({ kind: "session" as const, id })),
    ];
  };
  const answered = sent.then(([, counted, recounted, events]) => ({
    changes: changesOf([...counted, ...recounted]),
    events: [...written.captured.map(({ event }) => event), ...events],
  }));
  return { mayChange: changesOf([...figures, ...contacts]), answered };
}

interface Written {
  /** the statements that were sent and perhaps not answered yet */
  sent: Promise<unknown>;
  /** sessions that moved to another person */
  sessions: string[];
  /** people who were created or whose contacts changed */
  changed: string[];
  /** sessions of this transaction whose contacts or person changed */
  concerned: Set<string>;
  /** people who gained or lost sessions that are not part of this transaction */
  moved: string[];
  captured: { sessionId: string; mark: string; event: OutboxEvent }[];
}

async function writePeople(
  tx: StoreTransaction,
  { people, resolutions, read, now, newId, held }: Resolved,
): Promise<Written> {
  const made = [...people.made].filter(([id]) => !people.merged.has(id)).map(([id, at]) => ({ id, at }));
  const { merges, mergeIds } = mergesOf(people, newId);
  const captured = capturedEvents(resolutions, read.rows, { now, newId });
  const own = handedOver(people, read.rows);
  const changed = recaptured(read.captures, people.sessions.values());
  // people first, whom the others name
  const statements = [
    ...insertPeople(made, { now, held }),
    ...writeCaptures(read.captures, changed),
    ...writeHolders(read.known.identities, people, mergeIds),
    ...writeSessions(own, captured),
  ];
  const sent = together(statements.map((statement) => tx.all(statement)));
  const merged = [...people.merged.keys()]
    .filter((id) => !people.made.has(id))
    .map((id) => ({ from: id, into: people.finally(id) }));
  const phones = [...new Set(people.moves.map(({ phone }) => phone))].filter((key) => people.holders.has(key));
  if (merged.length + merges.length + phones.length > 0) await sent;
  const { followed, gone } = await mergePeople(tx, merged);
  await recordMerges(tx, merges, { gone, now });
  const left = await moveFollowers(tx, phones);
  const updated = resolutions.flatMap(({ steps }) => steps.map(({ profileId }) => profileId));
  return {
    sent,
    sessions: [...own.map(({ id }) => id), ...followed, ...left.map((row) => row.id)],
    concerned: new Set([...changed, ...own].map(({ id }) => id)),
    changed: [...made.map(({ id }) => id), ...updated],
    moved: [
      ...updated,
      ...merged.flatMap(({ into }) => into ?? []),
      ...left.flatMap((row) => [row.left_id, row.profile_id]),
    ],
    captured,
  };
}

/** One merge for each pair of people between whom phones moved, except from people created in this transaction. */
function mergesOf(people: People, newId: () => string): { merges: Merge[]; mergeIds: Map<string, string> } {
  const merges: Merge[] = [];
  const mergeIds = new Map<string, string>();
  for (const { phone, from, to, confirmedBy } of people.moves) {
    const into = people.finally(to);
    if (into === null || into === from || people.made.has(from)) continue;
    let merge = merges.find((other) => other.from === from && other.into === into);
    if (merge === undefined) {
      merge = { id: newId(), from, into, confirmedBy };
      merges.push(merge);
    }
    mergeIds.set(phone, merge.id);
  }
  return { merges, mergeIds };
}

/** Sessions of this transaction that now belong to another person. */
function handedOver(people: People, rows: ReadonlyMap<string, SessionRow>): { id: string; profileId: string | null }[] {
  return [...people.sessions.values()].filter((session) => session.profileId !== rows.get(session.id)?.profile_id);
}

/** The people whose figures may have changed, and those whose contacts' times and consent may have. */
function peopleToCount(
  { people, read }: Resolved,
  { moved, concerned }: Written,
): { figures: Set<string>; contacts: Set<string> } {
  const isThere = (id: string | null): id is string => id !== null && !people.merged.has(id);
  const resolved = [...people.sessions.values()];
  const before = [...read.rows.values()].map((row) => row.profile_id);
  const figures = new Set([...before, ...resolved.map((session) => session.profileId), ...moved].filter(isThere));
  // times and consent change only with captured contacts; the holder of a contact may differ from the session's person
  const other = resolved.filter((session) => concerned.has(session.id));
  const captures = other.flatMap((session) => [...(read.captures.get(session.id) ?? []), ...session.captures]);
  const contacts = new Set(
    [
      ...other.flatMap((session) => [session.profileId, read.rows.get(session.id)?.profile_id ?? null]),
      ...captures.map((capture) => people.holders.get(contactKey(capture)) ?? null),
      ...moved,
    ].filter(isThere),
  );
  return { figures, contacts };
}

/** The numbers of sessions, from before this transaction, of the given people who existed then. */
async function countsOf(
  tx: StoreTransaction,
  ids: readonly string[],
  { resolved, written }: { resolved: Resolved; written: Written },
): Promise<PersonCount[]> {
  const { people, read } = resolved;
  const old = [...new Set(ids)].filter((id) => !people.made.has(id));
  const known = old.flatMap((id) => read.counts.get(id) ?? []);
  const unknown = old.filter((id) => !read.counts.has(id));
  // people whose session followed a phone
  if (unknown.length === 0) return known;
  await written.sent;
  return [...known, ...(await readCounts(tx, unknown))];
}
