import type { Transaction } from "../platform/database/sql.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { StoreChange } from "../stores/public.ts";
import { countFigures, countIdentities } from "./figures.ts";
import { type CapturedContact, type ContactKind, contactKey, People, type Settlement } from "./people.ts";
import { capturedEvents, personEvents } from "./settle-events.ts";
import {
  type OrderedContacts,
  orderedKeys,
  type ReadPeople,
  readMet,
  readPeople,
  type SessionRow,
} from "./settle-read.ts";
import {
  insertPeople,
  type Merge,
  mergePeople,
  moveFollowers,
  recordMerges,
  writeCaptures,
  writeHolders,
  writeSessions,
} from "./settle-write.ts";

interface Context {
  now: number;
  random: RandomBytes;
  touchedSessionIds: readonly string[];
}

interface Changed {
  changes: StoreChange[];
  events: OutboxEvent[];
}

/** See `settlePeople` in public.ts. */
export async function settle(
  tx: Transaction,
  storeId: string,
  contacts: ReadonlyMap<string, readonly CapturedContact[]>,
  context: Context,
): Promise<Changed> {
  const read = await readPeople(tx, storeId, contacts, context.touchedSessionIds, []);
  const newId = () => uuidAt(context.now, context.random);
  const people = new People(read.known, newId);
  const settlements = [...contacts].map(([sessionId, typed]) => people.settle(sessionId, typed));
  return keep(tx, storeId, people, settlements, read, { now: context.now, newId });
}

/** See `confirmByOrders` in public.ts. */
export async function confirm(
  tx: Transaction,
  storeId: string,
  orders: readonly OrderedContacts[],
  { now, random }: Omit<Context, "touchedSessionIds">,
): Promise<Changed> {
  const read = await readPeople(tx, storeId, new Map(), [], orders);
  if (read.holders.size === 0) return { changes: [], events: [] };
  const newId = () => uuidAt(now, random);
  const people = new People(read.known, newId);
  const pairs = orders.flatMap(({ emails: [email], phones: [phone] }) =>
    email === undefined || phone === undefined ? [] : { email, phone },
  );
  const met = await readMet(tx, storeId, pairs);
  const settlements = met.map(({ email, phone }) => people.confirm(keyOf("email", email), keyOf("phone", phone)));
  const kept = await keep(tx, storeId, people, settlements, read, { now, newId });
  // a box beside a contact counts for more once an order names its session with the contact
  const holders = orders.flatMap(orderedKeys).flatMap((key) => people.holders.get(key) ?? []);
  const counted = await countIdentities(tx, storeId, [...new Set(holders)]);
  return { ...kept, changes: [...kept.changes, ...counted.map((id) => ({ kind: "profile" as const, id }))] };
}

const keyOf = (kind: ContactKind, value: string): string => contactKey({ kind, value });

interface Tools {
  now: number;
  newId: () => string;
}

/** Writes whatever is not as it was read. */
async function keep(
  tx: Transaction,
  storeId: string,
  people: People,
  settlements: readonly Settlement[],
  read: ReadPeople,
  deps: Tools,
): Promise<Changed> {
  const written = await writePeople(tx, storeId, people, settlements, read, deps);
  const counted = await countAgain(tx, storeId, people, read, written);
  const isThere = (id: string) => !people.merged.has(id);
  const changed = new Set([...written.changed, ...counted]);
  const gone = [...people.merged.keys()].filter((id) => !people.made.has(id));
  return {
    changes: [
      ...[...changed].filter(isThere).map((id) => ({ kind: "profile" as const, id })),
      ...gone.map((id) => ({ kind: "profile" as const, id })),
      ...written.sessions.map((id) => ({ kind: "session" as const, id })),
    ],
    events: [
      ...written.captured.map(({ event }) => event),
      ...(await personEvents(tx, storeId, settlements, people, read.rows, deps)),
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
  tx: Transaction,
  storeId: string,
  people: People,
  settlements: readonly Settlement[],
  read: ReadPeople,
  { now, newId }: Tools,
): Promise<Written> {
  const made = [...people.made].filter(([id]) => !people.merged.has(id)).map(([id, at]) => ({ id, at }));
  if (made.length > 0) await insertPeople(tx, storeId, made, now);
  const { merges, mergeIds } = mergesOf(people, newId);
  await writeHolders(tx, storeId, read.known.identities, people, mergeIds);
  const recaptured = await writeCaptures(tx, storeId, read.captures, people.sessions);
  const captured = capturedEvents(settlements, read.rows, now, newId);
  const own = handedOver(people, read.rows);
  await writeSessions(tx, storeId, own, captured);
  const merged = [...people.merged.keys()]
    .filter((id) => !people.made.has(id))
    .map((id) => ({ from: id, into: people.finally(id) }));
  const { followed, gone } = await mergePeople(tx, storeId, merged);
  await recordMerges(tx, storeId, merges, { gone, now });
  const phones = [...new Set(people.moves.map(({ phone }) => phone))].filter((key) => people.holders.has(key));
  const left = await moveFollowers(tx, storeId, phones);
  const updated = settlements.flatMap(({ steps }) => steps.map(({ profileId }) => profileId));
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
  for (const { phone, from, confirmedBy } of people.moves) {
    const into = people.holders.get(phone);
    if (into === undefined || into === from || people.made.has(from)) continue;
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
  tx: Transaction,
  storeId: string,
  people: People,
  read: ReadPeople,
  { moved, concerned }: Written,
): Promise<string[]> {
  const isThere = (id: string | null): id is string => id !== null && !people.merged.has(id);
  const settled = [...people.sessions.values()];
  const before = [...read.rows.values()].map((row) => row.profile_id);
  const figures = new Set([...before, ...settled.map((session) => session.profileId), ...moved].filter(isThere));
  // consent and times of contacts only move with what sessions captured; a contact's holder need not have the session
  const other = settled.filter((session) => concerned.has(session.id));
  const captures = other.flatMap((session) => [...(read.captures.get(session.id) ?? []), ...session.captures]);
  const contacts = new Set(
    [
      ...other.flatMap((session) => [session.profileId, read.rows.get(session.id)?.profile_id ?? null]),
      ...captures.map((capture) => people.holders.get(contactKey(capture)) ?? null),
      ...moved,
    ].filter(isThere),
  );
  const counted = figures.size > 0 ? await countFigures(tx, storeId, [...figures]) : [];
  const recounted = contacts.size > 0 ? await countIdentities(tx, storeId, [...contacts]) : [];
  return [...counted, ...recounted];
}
