import { setImmediate as nextTurn } from "node:timers/promises";
import type { StoreTransaction } from "../platform/database/sql.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { StoreChange } from "../stores/public.ts";
import { countFigures, countIdentities } from "./figures.ts";
import { type OrderedContacts, type ReadPeople, readMet, readPeople, type SessionRow } from "./known-people.ts";
import { type CapturedContact, contactKey, contactKeys, People, type Resolution } from "./people.ts";
import { capturedEvents, personEvents } from "./people-events.ts";
import { putOffRecounts } from "./recount.ts";
import {
  insertPeople,
  type Merge,
  mergePeople,
  moveFollowers,
  recordMerges,
  writeCaptures,
  writeHolders,
  writeSessions,
} from "./write-people.ts";

/** Who is behind the contacts of sessions and orders: read once, decided in memory (`people.ts`), written at once. */

export interface SessionContacts {
  /** UUID */
  sessionId: string;
  /**
   * What the session had after each contact that came, the last what it has now: every contact that was typed in it by
   * then and can be an identity, in `seq` order, overtaken ones too; empty for a session that never had any. Preview
   * sessions are never given: they make no person.
   */
  states: readonly (readonly CapturedContact[])[];
}

export interface PeopleChanges {
  /** people made, changed and gone; sessions that changed hands (the caller's own ones among them) */
  changes: StoreChange[];
  /** profile.created, profile.updated, identity.captured, ready for the outbox */
  events: OutboxEvent[];
}

export interface ResolveDeps {
  /** ms, the calendar's */
  now: number;
  random: RandomBytes;
}

/**
 * Brings people in line with the contacts that sessions hold now. Writes `captures`, `identities`,
 * `profiles`, and of `sessions` the columns `profile_id` and `emitted` (appended to); sessions whose `emits` is false
 * cause no events.
 *
 * The caller's transaction holds the store's revision, which keeps every other change of its people away, and has
 * written the sessions' rows; it records the changes and appends the events that are answered. After this it writes
 * neither of the two columns from what it read before.
 *
 * @param deps `touchedSessionIds`: UUIDs of sessions that changed in this transaction; the figures of their people are
 *   counted again
 */
export async function resolvePeople(
  tx: StoreTransaction,
  sessions: readonly SessionContacts[],
  deps: ResolveDeps & { touchedSessionIds: readonly string[] },
): Promise<PeopleChanges> {
  const states = new Map(sessions.map((session) => [session.sessionId, session.states]));
  const read = await readPeople(tx, states, deps.touchedSessionIds, []);
  const newId = () => uuidAt(deps.now, deps.random);
  const people = new People(read.known, newId);
  const resolutions: Resolution[] = [];
  for (const [sessionId, each] of states) {
    resolutions.push(...people.resolve(sessionId, each));
    // a hundred contacts that came together take some tens of milliseconds
    if (each.length > 1) await nextTurn();
  }
  return write(tx, { people, resolutions, read, now: deps.now, newId });
}

/**
 * Makes one person of two where an order carries an email of the one and a phone of the other, which somebody typed
 * together, before or after ([people.order-confirms]; `resolvePeople` knows of orders that came before): the phone goes
 * to the email's person, who takes over whoever is left without a contact. Of an order's contacts only the first of
 * each kind count, which are the buyer's. The caller's transaction holds the store's revision, and the orders are
 * written; it records the changes, and appends the events where orders may cause any.
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
  const { changes, events } = await write(tx, { people, resolutions, read, now, newId });
  // a box beside a contact counts for more once an order names its session with the contact
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
}

/** Writes whatever is not as it was read. */
async function write(tx: StoreTransaction, resolved: Resolved): Promise<PeopleChanges> {
  const { people, resolutions, read } = resolved;
  const written = await writePeople(tx, resolved);
  const counted = await countAgain(tx, resolved, written);
  const changed = [...new Set([...written.changed, ...counted])].filter((id) => !people.merged.has(id));
  const gone = [...people.merged.keys()].filter((id) => !people.made.has(id));
  return {
    changes: [
      ...[...changed, ...gone].map((id) => ({ kind: "profile" as const, id })),
      ...written.sessions.map((id) => ({ kind: "session" as const, id })),
    ],
    events: [
      ...written.captured.map(({ event }) => event),
      ...(await personEvents(tx, resolutions, people, read, resolved)),
    ],
  };
}

interface Written {
  /** sessions that changed hands */
  sessions: string[];
  /** people made, or with other contacts than before */
  changed: string[];
  /** sessions of this transaction whose contacts or person are not what they were */
  concerned: Set<string>;
  /** people that gained or lost sessions of others than this transaction's */
  moved: string[];
  captured: { sessionId: string; mark: string; event: OutboxEvent }[];
}

async function writePeople(
  tx: StoreTransaction,
  { people, resolutions, read, now, newId }: Resolved,
): Promise<Written> {
  const made = [...people.made].filter(([id]) => !people.merged.has(id)).map(([id, at]) => ({ id, at }));
  if (made.length > 0) await insertPeople(tx, made, now);
  const { merges, mergeIds } = mergesOf(people, newId);
  await writeHolders(tx, read.known.identities, people, mergeIds);
  const recaptured = await writeCaptures(tx, read.captures, people.sessions);
  const captured = capturedEvents(resolutions, read.rows, { now, newId });
  const own = handedOver(people, read.rows);
  await writeSessions(tx, own, captured);
  const merged = [...people.merged.keys()]
    .filter((id) => !people.made.has(id))
    .map((id) => ({ from: id, into: people.finally(id) }));
  const { followed, gone } = await mergePeople(tx, merged);
  await recordMerges(tx, merges, { gone, now });
  const phones = [...new Set(people.moves.map(({ phone }) => phone))].filter((key) => people.holders.has(key));
  const left = await moveFollowers(tx, phones);
  const updated = resolutions.flatMap(({ steps }) => steps.map(({ profileId }) => profileId));
  return {
    sessions: [...own.map(({ id }) => id), ...followed, ...left.map((row) => row.id)],
    concerned: new Set([...recaptured, ...own.map(({ id }) => id)]),
    changed: [...made.map(({ id }) => id), ...updated],
    moved: [
      ...updated,
      ...merged.flatMap(({ into }) => into ?? []),
      ...left.flatMap((row) => [row.left_id, row.profile_id]),
    ],
    captured,
  };
}

/** One for each two people between whom phones moved; whoever was made by this very transaction was nobody yet. */
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

/** Sessions of this transaction that belong to somebody else than before. */
function handedOver(people: People, rows: ReadonlyMap<string, SessionRow>): { id: string; profileId: string | null }[] {
  return [...people.sessions.values()].filter((session) => session.profileId !== rows.get(session.id)?.profile_id);
}

/** Counts again whatever figures of people may have changed; answers the people for whom they did. */
async function countAgain(
  tx: StoreTransaction,
  { people, read, now }: Resolved,
  { moved, concerned }: Written,
): Promise<string[]> {
  const isThere = (id: string | null): id is string => id !== null && !people.merged.has(id);
  const resolved = [...people.sessions.values()];
  const before = [...read.rows.values()].map((row) => row.profile_id);
  const figures = new Set([...before, ...resolved.map((session) => session.profileId), ...moved].filter(isThere));
  // consent and times of contacts only move with what sessions captured; a contact's holder need not have the session
  const other = resolved.filter((session) => concerned.has(session.id));
  const captures = other.flatMap((session) => [...(read.captures.get(session.id) ?? []), ...session.captures]);
  const contacts = new Set(
    [
      ...other.flatMap((session) => [session.profileId, read.rows.get(session.id)?.profile_id ?? null]),
      ...captures.map((capture) => people.holders.get(contactKey(capture)) ?? null),
      ...moved,
    ].filter(isThere),
  );
  const later = await putOffRecounts(tx, [...new Set([...figures, ...contacts])], now);
  const atOnce = (ids: ReadonlySet<string>) => [...ids].filter((id) => !later.has(id));
  const [counting, consenting] = [atOnce(figures), atOnce(contacts)];
  const counted = counting.length > 0 ? await countFigures(tx, counting) : [];
  const recounted = consenting.length > 0 ? await countIdentities(tx, consenting) : [];
  return [...counted, ...recounted];
}
