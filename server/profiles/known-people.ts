import { storedContact } from "../platform/contacts.ts";
import { anyOf, ownStore, type Statement, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";
import { adoptForms } from "./adopt-forms.ts";
import { contactRows } from "./contact-rows.ts";
import { broughtBySql } from "./figures.ts";
import {
  type Capture,
  type CapturedContact,
  type Contact,
  type ContactKind,
  contactKey,
  contactKeys,
  type KnownIdentity,
  type KnownPeople,
  type KnownSession,
  pairOf,
  readContactKey,
} from "./people.ts";
import { countColumns, mostCountedAtOnce, type PersonCount } from "./recount.ts";

/** Reads everything needed to resolve people, once for all sessions of a transaction. */

/** The contacts on an order, normalized as in identities, the buyer's own first. */
export interface OrderedContacts {
  emails: readonly string[];
  phones: readonly string[];
}

export interface SessionRow {
  id: string;
  /** also null if the person was removed, since contacts no longer lead to them */
  profile_id: string | null;
  visitor_id: string;
  quiz_id: string;
  emits: boolean;
  emitted: string[];
}

export interface ReadPeople {
  /** sessions to resolve, and sessions whose people are only recounted */
  rows: ReadonlyMap<string, SessionRow>;
  /** the sessions to resolve, and the people who are involved */
  known: KnownPeople;
  /** stored captures of the sessions to resolve, by session */
  captures: ReadonlyMap<string, readonly Capture[]>;
  /** the person who holds each contact, by contact key */
  holders: ReadonlyMap<string, string>;
  /** of the people of the sessions, and of those who are involved, by id */
  counts: ReadonlyMap<string, PersonCount>;
}

export async function readPeople(
  tx: StoreTransaction,
  states: ReadonlyMap<string, readonly (readonly CapturedContact[])[]>,
  touchedSessionIds: readonly string[],
  orders: readonly OrderedContacts[],
): Promise<ReadPeople> {
  const ids = [...states.keys()];
  const [{ rows, counts }, captures] = await together([
    readSessions(tx, [...new Set([...ids, ...touchedSessionIds])]),
    readCaptures(tx, ids),
  ]);
  const sessions = ids.map((id): KnownSession => {
    const row = rows.get(id);
    if (!row) throw new Error("people are resolved for a session without a row");
    return { id, visitorId: row.visitor_id, profileId: row.profile_id, captures: captures.get(id) ?? [] };
  });
  const all = [...states.values()].flat();
  const ofSessions = [...all, ...captures.values()].flat().map(contactKey);
  const typed = new Set([...ofSessions, ...orders.flatMap(contactKeys)]);
  const people = sessions.flatMap((session) => session.profileId ?? []);
  await adoptForms(tx, [...typed]);
  const dropped = sessions.flatMap((session) => droppedKeys(session, states.get(session.id) ?? []));
  const [identities, elsewhere] = await together([
    typed.size === 0 ? Promise.resolve([]) : readIdentities(tx, [...typed], people, counts),
    dropped.length === 0 ? Promise.resolve([]) : readElsewhere(tx, dropped, ids),
  ]);
  const holders = new Map(identities.map(({ key, profileId }) => [key, profileId]));
  const meetings = all.map((typed) => typed.filter((contact) => contact.current));
  // with a single session, nobody holds an unknown phone, so it cannot move
  const mayMove = (key: string) => states.size > 1 || holders.has(key);
  const phones = new Set(meetings.filter(holdsBoth).flatMap((met) => met.map(contactKey).filter(mayMove)));
  const mayMeet = phones.size + orders.length > 0;
  const [ordered, crowded, apart] = await together([
    readOrdered(tx, [...phones]),
    readCrowded(tx, [...phones]),
    mayMeet ? readApart(tx, [...new Set(holders.values())]) : Promise.resolve([]),
  ]);
  return {
    rows,
    captures,
    holders,
    counts,
    known: { sessions, identities, elsewhere: new Set(elsewhere), ordered, apart: new Set(apart), crowded },
  };
}

const holdsBoth = (contacts: readonly { kind: ContactKind }[]): boolean =>
  new Set(contacts.map(({ kind }) => kind)).size === 2;

/**
 * Contacts that were in force in the session at some point and then no longer, including those that came and went
 * within these states.
 */
function droppedKeys(session: KnownSession, states: readonly (readonly CapturedContact[])[]): string[] {
  const dropped = new Set<string>();
  let before = session.captures.map(contactKey);
  for (const state of states) {
    const now = state.filter(({ current }) => current).map(contactKey);
    for (const key of before) if (!now.includes(key)) dropped.add(key);
    before = now;
  }
  return [...dropped];
}

interface CountRow {
  /** null: nobody, or somebody who was removed */
  profile_id: string | null;
  sessions: number | null;
  is_put_off: boolean;
}

function noteCount(
  counts: Map<string, PersonCount>,
  { profile_id: id, sessions, is_put_off: isPutOff }: CountRow,
): void {
  if (id !== null) counts.set(id, { id, sessions: sessions ?? 0, isPutOff });
}

/**
 * The person (`p`) with this id, if any. Looked up for each row: for a join, a plan made while the tables were small would
 * read all of the store's people [database.young-tables].
 */
const joinPerson = (id: Statement): Statement =>
  sql`LEFT JOIN LATERAL (SELECT * FROM profiles WHERE store_id = ${ownStore} AND id = ${id} LIMIT 1) p ON true`;

async function readSessions(
  tx: StoreTransaction,
  ids: readonly string[],
): Promise<{ rows: Map<string, SessionRow>; counts: Map<string, PersonCount> }> {
  const counts = new Map<string, PersonCount>();
  if (ids.length === 0) return { rows: new Map(), counts };
  const rows = await tx.all(sql<SessionRow & CountRow>`
  SELECT s.id, CASE WHEN p.removed_at IS NULL THEN s.profile_id END AS profile_id, s.visitor_id, s.quiz_id, s.emits,
    s.emitted, ${countColumns}
  FROM sessions s ${joinPerson(sql`s.profile_id`)}
  WHERE s.store_id = ${ownStore} AND s.id = ${anyOf(ids)}`);
  for (const row of rows) noteCount(counts, row);
  return { rows: new Map(rows.map((row) => [row.id, row])), counts };
}

interface CaptureRow {
  session_id: string;
  component_key: string;
  page_key: string;
  kind: ContactKind;
  value: string;
  shown: string | null;
  consent: boolean | null;
  at: Date;
}

async function readCaptures(tx: StoreTransaction, ids: readonly string[]): Promise<Map<string, Capture[]>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.all(sql<CaptureRow>`
  SELECT session_id, component_key, page_key, kind, value, shown, consent, at
  FROM captures WHERE store_id = ${ownStore} AND session_id = ${anyOf(ids)}`);
  const captures = new Map<string, Capture[]>();
  for (const { session_id, component_key: componentKey, page_key: pageKey, ...contact } of rows) {
    const own = captures.get(session_id) ?? [];
    const { value, shown } = storedContact(contact.kind, contact.shown ?? contact.value);
    own.push({ componentKey, pageKey, ...contact, value, shown });
    captures.set(session_id, own);
  }
  return captures;
}

interface IdentityRow extends Contact, CountRow {
  shown: string | null;
  profile_id: string;
  brought_by: string | null;
}

/** All contacts of the people who hold one of these keys, and of the given people. Adds to `counts`. */
async function readIdentities(
  tx: StoreTransaction,
  keys: readonly string[],
  people: readonly string[],
  counts: Map<string, PersonCount>,
): Promise<KnownIdentity[]> {
  const contacts = keys.map(readContactKey);
  // an email is no phone, so there is no need to look for pairs of kind and value, which would be a join
  const kinds = [...new Set(contacts.map(({ kind }) => kind))];
  const values = contacts.map(({ value }) => value);
  const rows = await tx.all(sql<IdentityRow>`
  WITH involved AS MATERIALIZED (
    SELECT i.profile_id FROM identities i
    WHERE i.store_id = ${ownStore} AND i.kind = ${anyOf(kinds, "text")} AND i.value = ${anyOf(values, "text")}
    UNION ALL SELECT unnest(${people}::uuid[])
  )
  SELECT i.kind, i.value, i.shown, i.profile_id, ${broughtBySql} AS brought_by, ${countColumns} FROM identities i
  ${joinPerson(sql`i.profile_id`)}
  WHERE i.store_id = ${ownStore} AND i.profile_id = ANY(ARRAY(SELECT profile_id FROM involved))`);
  for (const row of rows) noteCount(counts, row);
  return rows.map((row) => {
    const { shown, profile_id: profileId, brought_by: broughtBy } = row;
    return { key: contactKey(row), profileId, broughtBy, shown };
  });
}

/**
 * The emails that orders carry together with each phone. Only an order's first email and first phone count, since those
 * are the buyer's.
 */
async function readOrdered(tx: StoreTransaction, keys: readonly string[]): Promise<Map<string, Set<string>>> {
  const phones = keys.map(readContactKey).flatMap(({ kind, value }) => (kind === "phone" ? value : []));
  const ordered = new Map<string, Set<string>>();
  if (phones.length === 0) return ordered;
  const rows = await tx.all(sql<{ phone: string; email: string }>`
  SELECT DISTINCT p.value AS phone, e.value AS email FROM order_keys p
  JOIN order_keys e ON e.store_id = ${ownStore} AND e.order_id = p.order_id AND e.tier = 'email'
  WHERE p.store_id = ${ownStore} AND p.value = ${anyOf(phones, "text")} AND p.tier = 'phone' AND NOT EXISTS (
    SELECT 1 FROM order_keys o WHERE o.store_id = ${ownStore} AND o.order_id = p.order_id
      AND (o.tier = 'phone' AND o.rank < p.rank OR o.tier = 'email' AND o.rank < e.rank))`);
  for (const { phone, email } of rows) {
    const key = contactKey({ kind: "phone", value: phone });
    ordered.set(key, (ordered.get(key) ?? new Set()).add(contactKey({ kind: "email", value: email })));
  }
  return ordered;
}

/**
 * Phones with too many sessions to move: moving one takes along every session without another contact
 * [people.many-sessions].
 */
async function readCrowded(tx: StoreTransaction, keys: readonly string[]): Promise<Set<string>> {
  const phones = keys.map(readContactKey).flatMap(({ kind, value }) => (kind === "phone" ? value : []));
  if (phones.length === 0) return new Set();
  const rows = await tx.all(sql<{ value: string }>`
  SELECT k.value FROM unnest(${phones}::text[]) AS k (value)
  WHERE (SELECT count(*) FROM (SELECT 1 FROM captures c WHERE c.store_id = ${ownStore} AND c.kind = 'phone'
    AND c.value = k.value LIMIT ${mostCountedAtOnce + 1}::integer) AS few) > ${mostCountedAtOnce}::integer`);
  return new Set(rows.map(({ value }) => contactKey({ kind: "phone", value })));
}

interface Pair {
  email: string;
  phone: string;
}

/** Which of these pairs some session has in force together. */
export async function readMet(tx: StoreTransaction, pairs: readonly Pair[]): Promise<Pair[]> {
  if (pairs.length === 0) return [];
  const [emails, phones] = [pairs.map(({ email }) => email), pairs.map(({ phone }) => phone)];
  return tx.all(sql<Pair>`
  SELECT k.email, k.phone
  FROM unnest(${emails}::text[], ${phones}::text[]) WITH ORDINALITY AS k (email, phone, place)
  WHERE EXISTS (SELECT 1 FROM captures e JOIN captures p ON p.store_id = ${ownStore} AND p.session_id = e.session_id
    WHERE e.store_id = ${ownStore} AND e.kind = 'email' AND e.value = k.email AND p.kind = 'phone' AND p.value = k.phone)
  ORDER BY k.place`);
}

/** Which pairs among these people were separated by an operator. */
async function readApart(tx: StoreTransaction, people: readonly string[]): Promise<string[]> {
  if (people.length < 2) return [];
  const rows = await tx.all(sql<{ from_id: string; into_id: string }>`
  SELECT m.from_id, m.into_id FROM person_merges m WHERE m.store_id = ${ownStore} AND m.undone_at IS NOT NULL
    AND m.from_id = ${anyOf(people)} AND m.into_id = ${anyOf(people)}`);
  return rows.map(({ from_id, into_id }) => pairOf(from_id, into_id));
}

async function readElsewhere(
  tx: StoreTransaction,
  keys: readonly string[],
  sessionIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.all(sql<Contact>`
  SELECT DISTINCT k.kind, k.value FROM ${contactRows(keys)}
  WHERE EXISTS (SELECT 1 FROM captures c WHERE c.store_id = ${ownStore} AND c.kind = k.kind AND c.value = k.value
    AND c.session_id <> ALL (${sessionIds}::uuid[]))`);
  return rows.map(contactKey);
}
