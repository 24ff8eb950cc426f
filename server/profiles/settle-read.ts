import type { Transaction } from "../platform/database/database.ts";
import { written } from "../platform/database/statements.ts";
import {
  type Capture,
  type CapturedContact,
  type ContactKind,
  contactKey,
  type KnownSession,
  readContactKey,
} from "./people.ts";

/** What has to be known before people can be settled, read once for all sessions of a transaction. */

export interface SessionRow {
  id: string;
  /** null for sessions of a removed person too, whom no contact reaches any more */
  profile_id: string | null;
  quiz_id: string;
  emits: boolean;
  emitted: string[];
}

export interface ReadPeople {
  /** sessions that are settled and sessions that are only counted again */
  rows: ReadonlyMap<string, SessionRow>;
  /** those that are settled */
  sessions: KnownSession[];
  /** their captures as the database has them, by session */
  captures: ReadonlyMap<string, readonly Capture[]>;
  identities: { key: string; profileId: string }[];
  /** the same, by contact key */
  holders: ReadonlyMap<string, string>;
  /** contacts given up here that other sessions have in force */
  elsewhere: ReadonlySet<string>;
}

export async function readPeople(
  tx: Transaction,
  storeId: string,
  contacts: ReadonlyMap<string, readonly CapturedContact[]>,
  touchedSessionIds: readonly string[],
): Promise<ReadPeople> {
  const ids = [...contacts.keys()];
  const rows = await readSessions(tx, storeId, [...new Set([...ids, ...touchedSessionIds])]);
  const captures = await readCaptures(tx, storeId, ids);
  const sessions = ids.map((id): KnownSession => {
    const row = rows.get(id);
    if (!row) throw new Error("people are settled for a session without a row");
    return { id, profileId: row.profile_id, captures: captures.get(id) ?? [] };
  });
  const typed = new Set([...contacts.values(), ...captures.values()].flat().map(contactKey));
  const people = sessions.flatMap((session) => session.profileId ?? []);
  const identities = typed.size === 0 ? [] : await readIdentities(tx, storeId, [...typed], people);
  const dropped = sessions.flatMap((session) => droppedKeys(session, contacts.get(session.id) ?? []));
  const elsewhere = dropped.length === 0 ? [] : await readElsewhere(tx, storeId, dropped, ids);
  return {
    rows,
    sessions,
    captures,
    identities,
    holders: new Map(identities.map(({ key, profileId }) => [key, profileId])),
    elsewhere: new Set(elsewhere),
  };
}

function droppedKeys(session: KnownSession, contacts: readonly CapturedContact[]): string[] {
  const current = new Set(contacts.filter((contact) => contact.current).map(contactKey));
  return session.captures.map(contactKey).filter((key) => !current.has(key));
}

async function readSessions(
  tx: Transaction,
  storeId: string,
  ids: readonly string[],
): Promise<Map<string, SessionRow>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.all(
    written<SessionRow>(
      `SELECT s.id, CASE WHEN p.removed_at IS NULL THEN s.profile_id END AS profile_id, s.quiz_id, s.emits, s.emitted
       FROM sessions s LEFT JOIN profiles p ON p.store_id = $1 AND p.id = s.profile_id
       WHERE s.store_id = $1 AND s.id = ANY($2::uuid[])`,
      [storeId, ids],
    ),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

interface CaptureRow {
  session_id: string;
  component_key: string;
  page_key: string;
  kind: ContactKind;
  value: string;
  consent: boolean | null;
  at: Date;
}

async function readCaptures(tx: Transaction, storeId: string, ids: readonly string[]): Promise<Map<string, Capture[]>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.all(
    written<CaptureRow>(
      `SELECT session_id, component_key, page_key, kind, value, consent, at
       FROM captures WHERE store_id = $1 AND session_id = ANY($2::uuid[])`,
      [storeId, ids],
    ),
  );
  const captures = rows.map(({ session_id, component_key, page_key, kind, value, consent, at }) => {
    return { session_id, capture: { componentKey: component_key, pageKey: page_key, kind, value, consent, at } };
  });
  const grouped = Map.groupBy(captures, (row) => row.session_id);
  return new Map([...grouped].map(([id, list]) => [id, list.map(({ capture }) => capture)]));
}

/** The contacts of everybody who holds one of these, and of these people. */
async function readIdentities(
  tx: Transaction,
  storeId: string,
  keys: readonly string[],
  people: readonly string[],
): Promise<{ key: string; profileId: string }[]> {
  const contacts = keys.map(readContactKey);
  const rows = await tx.all(
    written<{ kind: ContactKind; value: string; profile_id: string }>(
      `WITH involved AS (
         SELECT i.profile_id FROM unnest($2::text[], $3::text[]) AS k (kind, value)
         JOIN identities i ON i.store_id = $1 AND i.kind = k.kind AND i.value = k.value
         UNION SELECT unnest($4::uuid[])
       )
       SELECT i.kind, i.value, i.profile_id FROM involved v
       JOIN identities i ON i.store_id = $1 AND i.profile_id = v.profile_id`,
      [storeId, contacts.map(({ kind }) => kind), contacts.map(({ value }) => value), people],
    ),
  );
  return rows.map((row) => ({ key: contactKey(row), profileId: row.profile_id }));
}

async function readElsewhere(
  tx: Transaction,
  storeId: string,
  keys: readonly string[],
  sessionIds: readonly string[],
): Promise<string[]> {
  const contacts = keys.map(readContactKey);
  const rows = await tx.all(
    written<{ kind: ContactKind; value: string }>(
      `SELECT DISTINCT k.kind, k.value FROM unnest($2::text[], $3::text[]) AS k (kind, value)
       WHERE EXISTS (SELECT 1 FROM captures c WHERE c.store_id = $1 AND c.kind = k.kind AND c.value = k.value
         AND c.session_id <> ALL($4::uuid[]))`,
      [storeId, contacts.map(({ kind }) => kind), contacts.map(({ value }) => value), sessionIds],
    ),
  );
  return rows.map(contactKey);
}
