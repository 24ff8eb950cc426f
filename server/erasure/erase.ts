import { isoTime } from "../platform/clock.ts";
import type { Transaction } from "../platform/database/sql.ts";
import { uuidAt } from "../platform/ids.ts";
import { countIdentities } from "../profiles/figures.ts";
import { readContactKey } from "../profiles/people.ts";
import { holdRevision, raiseRevision, recordChanges, type StoreChange } from "../stores/public.ts";
import type { ErasedPeople, ErasureDeps } from "./eraser.ts";
import { cleanOutbox, readAffected, removeCaptures, removePeople } from "./forget.ts";
import { contactHashes } from "./known-again.ts";
import { recordErasure } from "./ledger.ts";
import type { LedgerEntry } from "./ledger-file.ts";
import { type ErasureExtent, type ErasureSubject, extentOf } from "./subject.ts";
import {
  changedSince,
  findTraces,
  revisionOf,
  type Traces,
  type Wanted,
  wantedContacts,
  wantedHashes,
} from "./traces.ts";

/** What an erasure is called by in the ledger, for one that is carried out again; a new one is named here. */
export type Naming = { by: string } | { again: LedgerEntry };

/**
 * Erases whatever the subject comes to, in the caller's transaction: contacts, free text, and what other
 * slices hold; rows that are counted stay. Null when nothing of the subject is there, and then nothing is written.
 *
 * The subject is read again once nobody changes it any more. What others typed is looked for before the store's
 * revision is held, since that takes seconds in a large store, and then only in what changed meanwhile.
 */
export async function erase(
  tx: Transaction,
  deps: ErasureDeps,
  storeId: string,
  readSubject: () => Promise<ErasureSubject>,
  naming: Naming,
): Promise<LedgerEntry | null> {
  const before = await revisionOf(tx, storeId);
  const early = await extentOf(tx, storeId, await readSubject());
  const wanted = (keys: readonly string[]) =>
    "again" in naming ? wantedHashes(deps.secrets, storeId, naming.again.hashes) : wantedContacts(keys);
  const earlyTraces = await findTraces(tx, storeId, wanted(early.contacts), { except: early.sessionIds });
  await holdRevision(tx, storeId);
  const subject = await readSubject();
  const extent = await extentOf(tx, storeId, subject);
  const size = extent.profileIds.length + extent.sessionIds.length + extent.contacts.length + subject.orderIds.length;
  if (size === 0) return null;
  const traces = await tracesSince(tx, storeId, { before, early, earlyTraces, extent, wanted });
  const now = deps.now();
  const at = "again" in naming ? new Date(naming.again.erased_at) : new Date(now);
  const changes = await forget(tx, deps, storeId, { subject, extent, traces, at });
  const revision = await recordAll(tx, deps, storeId, changes, now);
  const entry = entryFor(deps, storeId, { subject, extent, naming, revision, at });
  await recordErasure(tx, entry);
  // last, since it is not undone with the transaction
  if (!("again" in naming)) await deps.ledger.append([entry]);
  return entry;
}

/** A revision without a change would lead every copy astray: where nothing changed the present one is good enough. */
async function recordAll(
  tx: Transaction,
  deps: ErasureDeps,
  storeId: string,
  changes: readonly StoreChange[],
  now: number,
): Promise<number> {
  if (changes.length === 0) return revisionOf(tx, storeId);
  const { revision } = await raiseRevision(tx, storeId);
  await recordChanges(tx, storeId, revision, uuidAt(now, deps.random), new Date(now), changes);
  return revision;
}

interface Looked {
  /** the revision before it was looked for the first time */
  before: number;
  early: ErasureExtent;
  earlyTraces: Traces;
  extent: ErasureExtent;
  wanted: (keys: readonly string[]) => Wanted;
}

async function tracesSince(
  tx: Transaction,
  storeId: string,
  { before, early, earlyTraces, extent, wanted }: Looked,
): Promise<Traces> {
  const own = new Set(extent.sessionIds);
  const changed = (await changedSince(tx, storeId, before)).filter((id) => !own.has(id));
  const added = extent.contacts.filter((key) => !early.contacts.includes(key));
  const left = early.sessionIds.filter((id) => !own.has(id));
  const found = [
    earlyTraces,
    await findTraces(tx, storeId, wanted(extent.contacts), { only: [...changed, ...left] }),
    ...(added.length > 0 ? [await findTraces(tx, storeId, wanted(added), { except: extent.sessionIds })] : []),
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
async function forget(tx: Transaction, deps: ErasureDeps, storeId: string, plan: Plan): Promise<StoreChange[]> {
  const { extent, traces, subject, at } = plan;
  const { profileIds, sessionIds, contacts } = extent;
  const erased = erasedPeople(subject, extent, traces);
  const released = await removePeople(tx, storeId, { profileIds, contacts, at });
  const captures = await removeCaptures(tx, storeId, { sessionIds, contacts });
  const traced = [...traces.answers.map(({ sessionId }) => sessionId), ...captures.sessionIds];
  const removed = new Set(profileIds);
  const affected = (await readAffected(tx, storeId, { keys: captures.keys, sessionIds: traced })).filter(
    (id) => !removed.has(id),
  );
  if (affected.length > 0) await countIdentities(tx, storeId, affected);
  await cleanOutbox(tx, storeId, { profileIds, sessionIds, values: [...erased.emails, ...erased.phones] });
  const changes: StoreChange[] = [];
  for (const eraser of deps.erasers) changes.push(...(await eraser.forgetPeople(tx, storeId, erased)));
  const people = new Set([...profileIds, ...released, ...affected]);
  const sessions = new Set([...sessionIds, ...traced, ...traces.openedWith]);
  return [
    ...[...people].map((id) => ({ kind: "profile" as const, id })),
    ...[...sessions].map((id) => ({ kind: "session" as const, id })),
    ...changes,
  ];
}

function erasedPeople(subject: ErasureSubject, extent: ErasureExtent, traces: Traces): ErasedPeople {
  const contacts = extent.contacts.map(readContactKey);
  const valuesOf = (kind: "email" | "phone") =>
    contacts.filter((contact) => contact.kind === kind).map(({ value }) => value);
  return {
    profileIds: extent.profileIds,
    sessionIds: extent.sessionIds,
    answers: traces.answers,
    openedWith: traces.openedWith,
    linkedEmails: traces.emails,
    orderIds: subject.orderIds,
    emails: valuesOf("email"),
    phones: valuesOf("phone"),
  };
}

interface ErasureRecord {
  subject: ErasureSubject;
  extent: ErasureExtent;
  naming: Naming;
  revision: number;
  at: Date;
}

/** One that is carried out again keeps its name and time, and what it knew of then. */
function entryFor(
  deps: ErasureDeps,
  storeId: string,
  { subject, extent, naming, revision, at }: ErasureRecord,
): LedgerEntry {
  const again = "again" in naming ? naming.again : null;
  const merged = (kept: readonly string[] | undefined, found: readonly string[]) => [
    ...new Set([...(kept ?? []), ...found]),
  ];
  const hashes = contactHashes(deps.secrets, storeId, extent.contacts);
  return {
    id: again?.id ?? uuidAt(at.getTime(), deps.random),
    store_id: storeId,
    scope: "people",
    profile_ids: merged(again?.profile_ids, extent.profileIds),
    session_ids: merged(again?.session_ids, extent.sessionIds),
    order_ids: merged(again?.order_ids, subject.orderIds),
    hashes: merged(again?.hashes, hashes),
    erased_at: isoTime(at),
    erased_by: "by" in naming ? naming.by : naming.again.erased_by,
    revision,
  };
}
