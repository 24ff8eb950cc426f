import { ownStore, type Runner, sql } from "../platform/database/sql.ts";
import { type ContactKind, contactKey } from "../profiles/people.ts";
import { contactIdentity } from "../sessions/public.ts";

/** Who and what an erasure is about. */

export interface ErasureSubject {
  /** UUIDs */
  profileIds: readonly string[];
  /** UUIDs of sessions that are erased whoever they belong to, as a ledger names them */
  sessionIds: readonly string[];
  /** contact keys that go wherever they are, whoever holds them */
  contacts: readonly string[];
  /** global ids of orders whose contacts go */
  orderIds: readonly string[];
}

/** What an erasure amounts to, as things stand. */
export interface ErasureExtent {
  /** people who are there */
  profileIds: string[];
  /** their sessions, and those that the subject names */
  sessionIds: string[];
  /** contact keys: those of the subject, those that the people hold, and those that nobody holds among what they typed */
  contacts: string[];
}

export async function extentOf(db: Runner, storeId: string, subject: ErasureSubject): Promise<ErasureExtent> {
  const people = await db.forStore(storeId).all(
    sql<{
      id: string;
    }>`SELECT id FROM profiles WHERE store_id = ${ownStore} AND id = ANY (${subject.profileIds}::uuid[]) AND removed_at IS NULL`,
  );
  const profileIds = people.map(({ id }) => id);
  const sessions = await db
    .forStore(storeId)
    .all(sql<TypedRow>`SELECT s.id, s.country, s.state -> 'contacts' AS contacts FROM sessions s
       WHERE s.store_id = ${ownStore} AND (s.profile_id = ANY (${profileIds}::uuid[]) OR s.id = ANY (${subject.sessionIds}::uuid[]))`);
  const typed = new Set(sessions.flatMap(typedIn));
  const others = await readHeldByOthers(db, storeId, [...typed], profileIds);
  const held = await readHeld(db, storeId, profileIds);
  const own = [...typed].filter((key) => !others.has(key));
  return {
    profileIds,
    sessionIds: sessions.map(({ id }) => id),
    contacts: [...new Set([...subject.contacts, ...held, ...own])],
  };
}

interface TypedRow {
  id: string;
  country: string | null;
  contacts: { kind: ContactKind; value: string }[] | null;
}

function typedIn({ contacts, country }: TypedRow): string[] {
  return (contacts ?? []).flatMap(({ kind, value }) => {
    const identity = contactIdentity(kind, value, country);
    return identity === null ? [] : contactKey({ kind, value: identity });
  });
}

interface IdentityRow {
  kind: ContactKind;
  value: string;
}

async function readHeld(db: Runner, storeId: string, profileIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .forStore(storeId)
    .all(
      sql<IdentityRow>`SELECT kind, value FROM identities WHERE store_id = ${ownStore} AND profile_id = ANY (${profileIds}::uuid[])`,
    );
  return rows.map(contactKey);
}

/** Another person's contact that was typed in one of these sessions stays that person's. */
async function readHeldByOthers(
  db: Runner,
  storeId: string,
  keys: readonly string[],
  profileIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .forStore(storeId)
    .all(sql<IdentityRow>`SELECT i.kind, i.value FROM unnest(${keys}::text[]) AS k (key)
       JOIN identities i ON i.store_id = ${ownStore} AND i.kind = split_part(k.key, ':', 1)
         AND i.value = substr(k.key, strpos(k.key, ':') + 1)
       WHERE i.profile_id <> ALL (${profileIds}::uuid[])`);
  return new Set(rows.map(contactKey));
}
