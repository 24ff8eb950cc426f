import type { StoreTransaction } from "../platform/database/sql.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import type { Secrets } from "../platform/secrets.ts";
import { countIdentities } from "../profiles/figures.ts";
import { contactKeys, readContactKey } from "../profiles/people.ts";
import { holdRevision, recordRevision, revisionOf, type StoreChange } from "../stores/public.ts";
import { contactHashes } from "./contact-hashes.ts";
import { cleanOutbox, readAffected, removeCaptures, removePeople } from "./forget.ts";
import { entryOf, type LedgerEntry, type LedgerFile, type Naming, recordErasure } from "./ledger.ts";
import { type RedactedContacts, readRedacted } from "./redacted.ts";
import { type ErasureExtent, type ErasureSubject, extentOf } from "./subject.ts";
import { changedSince, findTraces, type Traces, type Wanted, wantedContacts, wantedHashes } from "./traces.ts";

/** What has to go. People have `removed_at` already, and sessions and orders keep naming them, so that counts stay. */
export interface ErasedPeople {
  /** UUIDs */
  profileIds: readonly string[];
  /** UUIDs of sessions that were theirs: whatever was typed freely in them */
  sessionIds: readonly string[];
  /** single answers of other sessions that hold one of the contacts; UUIDs */
  answers: readonly { sessionId: string; eventId: string }[];
  /** UUIDs of other sessions whose first address or campaign holds one of these emails */
  openedWith: readonly string[];
  linkedEmails: readonly string[];
  /** global ids of orders that a redaction names */
  orderIds: readonly string[];
  /** as identities have them; to go wherever they are */
  emails: readonly string[];
  phones: readonly string[];
}

/**
 * A slice that holds something of people. Its part runs in the erasing transaction, which holds the store's revision:
 * it answers what changed, besides the people and the sessions that it was given, and records nothing itself.
 */
interface Eraser {
  name: string;
  forgetPeople(tx: StoreTransaction, erased: ErasedPeople): Promise<readonly StoreChange[]>;
}

export interface ErasureDeps {
  /** the calendar, ms */
  now: () => number;
  random: RandomBytes;
  secrets: Secrets;
  ledger: LedgerFile;
  erasers: readonly Eraser[];
}

/**
 * Erases a person: contacts and free text go wherever they are, rows that are counted stay [erasure.person]. Null:
 * there is nobody by that id, or not any more. An answer that arrives later in one of the sessions is new: a contact in
 * it makes a new person.
 */
export async function erasePerson(
  tx: StoreTransaction,
  deps: ErasureDeps,
  profileId: string,
  naming: { by: string },
): Promise<LedgerEntry | null> {
  const subject = { profileIds: [profileId], sessionIds: [], contacts: [], orderIds: [] };
  return erase(tx, deps, async () => subject, naming);
}

/**
 * Erases the contacts that are listed, wherever they are, and what hangs on them alone: a person who holds no other, and
 * of others the sessions in which none of their other contacts was left. Whoever bought one of the orders and holds none
 * of the contacts, since people leave another address at checkout than in a quiz, loses what their browser brought in the
 * session that the order names.
 */
export async function erasePeopleByContact(
  tx: StoreTransaction,
  deps: ErasureDeps,
  contacts: RedactedContacts,
  naming: { by: string },
): Promise<LedgerEntry | null> {
  if (contactKeys(contacts).length + contacts.orderIds.length === 0) return null;
  return erase(tx, deps, () => readRedacted(tx, contacts), naming);
}

/**
 * Erases whatever the subject comes to, in the caller's transaction [erasure.nothing-found]. Null when nothing of the
 * subject is there, and then nothing is written.
 *
 * The subject is read again once nobody changes it any more. What others typed is looked for before the store's
 * revision is held, since that takes seconds in a large store, and then only in what changed meanwhile.
 */
export async function erase(
  tx: StoreTransaction,
  deps: ErasureDeps,
  readSubject: () => Promise<ErasureSubject>,
  naming: Naming,
): Promise<LedgerEntry | null> {
  const again = "again" in naming ? naming.again : null;
  const wanted = (keys: readonly string[]) =>
    again === null ? wantedContacts(keys) : wantedHashes(deps.secrets, tx.storeId, again.hashes);
  const before = await revisionOf(tx);
  const early = await extentOf(tx, await readSubject());
  const earlyTraces = await findTraces(tx, wanted(early.contacts), { except: early.sessionIds });
  await holdRevision(tx, tx.storeId);
  const subject = await readSubject();
  const extent = await extentOf(tx, subject);
  const size = extent.profileIds.length + extent.sessionIds.length + extent.contacts.length + subject.orderIds.length;
  if (size === 0) return null;
  const traces = await tracesSince(tx, { before, early, earlyTraces, extent, wanted });
  const now = deps.now();
  const at = again === null ? new Date(now) : new Date(again.erased_at);
  const changes = await forget(tx, deps, { subject, extent, traces, at });
  const revision = await recordRevision(tx, changes, { now, random: deps.random });
  const entry = entryOf(naming, {
    id: uuidAt(now, deps.random),
    store_id: tx.storeId,
    scope: "people",
    profile_ids: extent.profileIds,
    session_ids: extent.sessionIds,
    order_ids: [...subject.orderIds],
    hashes: contactHashes(deps.secrets, tx.storeId, extent.contacts),
    at: now,
    revision: revision ?? (await revisionOf(tx)),
  });
  await recordErasure(tx, entry);
  // last, since it is not undone with the transaction [erasure.interrupted]
  if (again === null) await deps.ledger.append([entry]);
  return entry;
}

interface EarlyFindings {
  /** the revision before the first look */
  before: number;
  early: ErasureExtent;
  earlyTraces: Traces;
  extent: ErasureExtent;
  wanted: (keys: readonly string[]) => Wanted;
}

async function tracesSince(
  tx: StoreTransaction,
  { before, early, earlyTraces, extent, wanted }: EarlyFindings,
): Promise<Traces> {
  const own = new Set(extent.sessionIds);
  const changed = (await changedSince(tx, before)).filter((id) => !own.has(id));
  const added = extent.contacts.filter((key) => !early.contacts.includes(key));
  const left = early.sessionIds.filter((id) => !own.has(id));
  const found = [
    earlyTraces,
    await findTraces(tx, wanted(extent.contacts), { only: [...changed, ...left] }),
    ...(added.length > 0 ? [await findTraces(tx, wanted(added), { except: extent.sessionIds })] : []),
  ];
  const answers = new Map(found.flatMap((traces) => traces.answers.map((answer) => [answer.eventId, answer] as const)));
  return {
    answers: [...answers.values()].filter(({ sessionId }) => !own.has(sessionId)),
    openedWith: [...new Set(found.flatMap((traces) => traces.openedWith))].filter((id) => !own.has(id)),
    emails: [...new Set(found.flatMap((traces) => traces.emails))],
  };
}

interface Plan {
  subject: ErasureSubject;
  extent: ErasureExtent;
  traces: Traces;
  at: Date;
}

/** Answers what changed. */
async function forget(tx: StoreTransaction, deps: ErasureDeps, plan: Plan): Promise<StoreChange[]> {
  const { extent, traces, subject, at } = plan;
  const { profileIds, sessionIds, contacts } = extent;
  const valuesOf = (wanted: string) =>
    contacts.map(readContactKey).flatMap(({ kind, value }) => (kind === wanted ? value : []));
  const erased: ErasedPeople = {
    profileIds,
    sessionIds,
    answers: traces.answers,
    openedWith: traces.openedWith,
    linkedEmails: traces.emails,
    orderIds: subject.orderIds,
    emails: valuesOf("email"),
    phones: valuesOf("phone"),
  };
  const released = await removePeople(tx, { profileIds, contacts, at });
  const captures = await removeCaptures(tx, { sessionIds, contacts });
  const traced = [...traces.answers.map(({ sessionId }) => sessionId), ...captures.sessionIds];
  const removed = new Set(profileIds);
  const affected = (await readAffected(tx, { keys: captures.keys, sessionIds: traced })).filter(
    (id) => !removed.has(id),
  );
  if (affected.length > 0) await countIdentities(tx, affected);
  await cleanOutbox(tx, { profileIds, sessionIds, values: [...erased.emails, ...erased.phones] });
  const changes: StoreChange[] = [];
  for (const eraser of deps.erasers) changes.push(...(await eraser.forgetPeople(tx, erased)));
  const people = new Set([...profileIds, ...released, ...affected]);
  const sessions = new Set([...sessionIds, ...traced, ...traces.openedWith]);
  return [
    ...[...people].map((id) => ({ kind: "profile" as const, id })),
    ...[...sessions].map((id) => ({ kind: "session" as const, id })),
    ...changes,
  ];
}
