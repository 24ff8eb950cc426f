import type { Transaction } from "../platform/database/database.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import type { OutboxEvent } from "../platform/outbox.ts";
import type { StoreChange } from "../stores/public.ts";
import { countFigures, countIdentities } from "./figures.ts";
import { type CapturedContact, contactKey, People, type Settlement } from "./people.ts";
import { capturedEvents, personEvents } from "./settle-events.ts";
import { type ReadPeople, readPeople, type SessionRow } from "./settle-read.ts";
import {
  insertPeople,
  mergePeople,
  moveFollowers,
  writeCaptures,
  writeHolders,
  writeSessions,
} from "./settle-write.ts";

interface Context {
  now: number;
  random: RandomBytes;
  touchedSessionIds: readonly string[];
}

/** See `settlePeople` in public.ts. */
export async function settle(
  tx: Transaction,
  storeId: string,
  contacts: ReadonlyMap<string, readonly CapturedContact[]>,
  context: Context,
): Promise<{ changes: StoreChange[]; events: OutboxEvent[] }> {
  const read = await readPeople(tx, storeId, contacts, context.touchedSessionIds);
  const newId = () => uuidAt(context.now, context.random);
  const people = new People(read.sessions, read.identities, read.elsewhere, newId);
  const settlements = [...contacts].map(([sessionId, typed]) => people.settle(sessionId, typed));
  const written = await writePeople(tx, storeId, people, settlements, read, { now: context.now, newId });
  const counted = await countAgain(tx, storeId, people, settlements, read, written);
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
      ...(await personEvents(tx, storeId, settlements, people, read.rows, { now: context.now, newId })),
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
  { now, newId }: { now: number; newId: () => string },
): Promise<Written> {
  const made = [...people.made].filter(([id]) => !people.merged.has(id)).map(([id, at]) => ({ id, at }));
  if (made.length > 0) await insertPeople(tx, storeId, made, now);
  await writeHolders(tx, storeId, read.holders, people.holders);
  const recaptured = await writeCaptures(tx, storeId, read.captures, people.sessions);
  const captured = capturedEvents(settlements, read.rows, now, newId);
  const own = handedOver(people, read.rows);
  await writeSessions(tx, storeId, own, captured);
  const merged = [...people.merged.keys()]
    .filter((id) => !people.made.has(id))
    .map((id) => ({ from: id, into: people.finally(id) }));
  const followed = merged.length > 0 ? await mergePeople(tx, storeId, merged) : [];
  const phones = [...new Set(people.moved)].filter((key) => people.holders.has(key));
  const left = phones.length > 0 ? await moveFollowers(tx, storeId, phones) : [];
  const updated = settlements.flatMap((settlement) => settlement.updated);
  return {
    sessions: [...own.map(({ id }) => id), ...followed, ...left.map((row) => row.id)],
    concerned: new Set([...recaptured, ...own.map(({ id }) => id)]),
    changed: [...made.map(({ id }) => id), ...updated],
    moved: [...merged.flatMap(({ into }) => into ?? []), ...left.flatMap((row) => [row.left_id, row.profile_id])],
    captured,
  };
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
  settlements: readonly Settlement[],
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
      ...settlements.flatMap(({ created, updated }) => [...created, ...updated]),
      ...moved,
    ].filter(isThere),
  );
  const counted = figures.size > 0 ? await countFigures(tx, storeId, [...figures]) : [];
  const recounted = contacts.size > 0 ? await countIdentities(tx, storeId, [...contacts]) : [];
  return [...counted, ...recounted];
}
