import type { StoreTransaction } from "../platform/database/sql.ts";
import { rewriteStoredAnswers } from "../platform/http/idempotency.ts";
import { type RandomBytes, uuidAt } from "../platform/ids.ts";
import { replaceTexts } from "../platform/replace-texts.ts";
import type { Secrets } from "../platform/secrets.ts";
import { everyForm } from "../profiles/contact-rows.ts";
import { countIdentities } from "../profiles/figures.ts";
import { contactKeys, readContactKey } from "../profiles/people.ts";
import { holdRevision, recordRevision, revisionOf, type StoreChange } from "../stores/public.ts";
import { contactHashes } from "./contact-hashes.ts";
import { type ContactSearch, searchOfContacts } from "./contact-search.ts";
import { cleanExportEvents, cleanOutbox, readAffected, removeCaptures, removePeople } from "./forget.ts";
import { entryOf, type LedgerEntry, type LedgerFile, type Naming, recordErasure } from "./ledger.ts";
import { type RedactedContacts, readRedacted } from "./redacted.ts";
import { type ErasureExtent, type ErasureSubject, extentOf } from "./subject.ts";
import { changedSince, findTraces, type Traces } from "./traces.ts";

/**
 * What has to be removed. People already have `removed_at`. Sessions and orders keep referring to them, so that counts
 * stay the same.
 */
export interface ErasedPeople {
  /** UUIDs */
  profileIds: readonly string[];
  /** UUIDs of their former sessions, in which all free text is removed */
  sessionIds: readonly string[];
  /** single answers, in sessions of other people, that contain one of the contacts; UUIDs */
  answers: readonly { sessionId: string; eventId: string }[];
  /** what any session of the store was opened with that contains one of the contacts, by columns of `sessions` */
  openings: Traces["openings"];
  /** lines of any order whose title contains one of the contacts */
  lines: Traces["lines"];
  /** global ids of orders named by a redaction */
  orderIds: readonly string[];
  /** normalized as in identities; removed wherever they are */
  emails: readonly string[];
  phones: readonly string[];
  /** finds the contacts in any text, whatever their notation */
  search: Pick<ContactSearch, "holds">;
}

/**
 * A slice with data about people. Its part runs in the erasing transaction, which holds the store's revision. It
 * returns what it changed besides the given people and sessions, and records nothing itself.
 */
interface Eraser {
  name: string;
  forgetPeople(tx: StoreTransaction, erased: ErasedPeople): Promise<readonly StoreChange[]>;
}

export interface ErasureDeps {
  /** calendar time in ms */
  now: () => number;
  random: RandomBytes;
  secrets: Secrets;
  ledger: LedgerFile;
  erasers: readonly Eraser[];
}

/**
 * Erases a person: removes contacts and free text everywhere, and keeps the rows that are counted [erasure.person].
 * Returns null if there is no such person, or no longer. An answer that arrives later in one of the sessions is new
 * data: a contact in it creates a new person.
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
 * Erases the listed contacts everywhere, and what depends only on them: people who hold no other contact, and of all
 * other people the sessions that contain none of their other contacts. The buyer of a listed order may hold none of the
 * contacts, since people often use another address at checkout than in a quiz; they lose what their browser brought in
 * the session that the order names.
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
 * Erases everything the subject covers, in the caller's transaction [erasure.nothing-found]. Returns null, and writes
 * nothing, if nothing of the subject exists.
 *
 * Traces in what others typed are searched before the store's revision is held, since that takes seconds in a large
 * store. Once it is held, so that nothing can change any more, the subject is read again, and traces are searched only
 * in what changed meanwhile.
 */
export async function erase(
  tx: StoreTransaction,
  deps: ErasureDeps,
  readSubject: () => Promise<ErasureSubject>,
  naming: Naming,
): Promise<LedgerEntry | null> {
  const again = "again" in naming ? naming.again : null;
  const before = await revisionOf(tx);
  const early = await extentOf(tx, await readSubject());
  const earlyTraces = await findTraces(tx, searchOfContacts(early.contacts), { exceptAnswersOf: early.sessionIds });
  await holdRevision(tx, tx.storeId);
  const subject = await readSubject();
  const extent = await extentOf(tx, subject);
  const size = extent.profileIds.length + extent.sessionIds.length + extent.contacts.length + subject.orderIds.length;
  if (size === 0) return null;
  const traces = await tracesSince(tx, { before, early, earlyTraces, extent });
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
    order_ids: [...new Set([...subject.orderIds, ...traces.lines.map(({ orderGid }) => orderGid)])],
    hashes: contactHashes(deps.secrets, tx.storeId, extent.contacts),
    at: now,
    revision: revision ?? (await revisionOf(tx)),
  });
  await recordErasure(tx, entry);
  // last, since writing the file is not undone if the transaction fails [erasure.interrupted]
  if (again === null) await deps.ledger.append([entry]);
  return entry;
}

interface EarlyFindings {
  /** the revision before the first search */
  before: number;
  early: ErasureExtent;
  earlyTraces: Traces;
  extent: ErasureExtent;
}

async function tracesSince(
  tx: StoreTransaction,
  { before, early, earlyTraces, extent }: EarlyFindings,
): Promise<Traces> {
  const own = new Set(extent.sessionIds);
  const changed = await changedSince(tx, before);
  const added = extent.contacts.filter((key) => !early.contacts.includes(key));
  const left = early.sessionIds.filter((id) => !own.has(id));
  const answersOf = [...changed.sessionIds.filter((id) => !own.has(id)), ...left];
  const found = [
    earlyTraces,
    await findTraces(tx, searchOfContacts(extent.contacts), { ...changed, answersOf }),
    ...(added.length > 0
      ? [await findTraces(tx, searchOfContacts(added), { exceptAnswersOf: extent.sessionIds })]
      : []),
  ];
  const answers = new Map(found.flatMap((traces) => traces.answers.map((answer) => [answer.eventId, answer] as const)));
  const openings = Map.groupBy(
    found.flatMap((traces) => traces.openings),
    ({ sessionId }) => sessionId,
  );
  const lines = found.flatMap((traces) => traces.lines);
  return {
    answers: [...answers.values()].filter(({ sessionId }) => !own.has(sessionId)),
    openings: [...openings].map(([sessionId, some]) => ({
      sessionId,
      columns: [...new Set(some.flatMap(({ columns }) => columns))],
    })),
    lines: [...new Map(lines.map((line) => [`${line.orderId} ${line.lineNo}`, line])).values()],
  };
}

interface Plan {
  subject: ErasureSubject;
  extent: ErasureExtent;
  traces: Traces;
  at: Date;
}

/** Returns what changed. */
async function forget(tx: StoreTransaction, deps: ErasureDeps, plan: Plan): Promise<StoreChange[]> {
  const { extent, traces, subject, at } = plan;
  const { profileIds, sessionIds } = extent;
  // also as earlier releases stored them, and as deliveries show them
  const contacts = everyForm(extent.contacts);
  const valuesOf = (ofKind: string) =>
    contacts.map(readContactKey).flatMap(({ kind, value }) => (kind === ofKind ? value : []));
  const erased: ErasedPeople = {
    profileIds,
    sessionIds,
    ...traces,
    orderIds: subject.orderIds,
    emails: valuesOf("email"),
    phones: valuesOf("phone"),
    search: searchOfContacts(contacts),
  };
  const released = await removePeople(tx, { profileIds, contacts, at });
  const captures = await removeCaptures(tx, { sessionIds, contacts });
  const traced = [...traces.answers.map(({ sessionId }) => sessionId), ...captures.sessionIds];
  const removed = new Set(profileIds);
  const affected = (await readAffected(tx, { keys: captures.keys, sessionIds: traced })).filter(
    (id) => !removed.has(id),
  );
  await countIdentities(tx, affected);
  await cleanOutbox(tx, { profileIds, sessionIds, values: [...erased.emails, ...erased.phones] });
  await cleanExportEvents(tx, erased.search.holds);
  await rewriteStoredAnswers(tx, deps.secrets, (body) => replaceTexts(body, erased.search.holds));
  const changes: StoreChange[] = [];
  for (const eraser of deps.erasers) changes.push(...(await eraser.forgetPeople(tx, erased)));
  const people = new Set([...profileIds, ...released, ...affected]);
  const sessions = new Set([...sessionIds, ...traced, ...traces.openings.map(({ sessionId }) => sessionId)]);
  return [
    ...[...people].map((id) => ({ kind: "profile" as const, id })),
    ...[...sessions].map((id) => ({ kind: "session" as const, id })),
    ...changes,
  ];
}
