import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { kindsAndValues } from "../profiles/contact-rows.ts";
import { type Contact, contactKey } from "../profiles/people.ts";
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

export async function extentOf(db: StoreRunner, subject: ErasureSubject): Promise<ErasureExtent> {
  const people = await db.all(sql<{ id: string }>`
  SELECT id FROM profiles
  WHERE store_id = ${ownStore} AND id = ANY (${subject.profileIds}::uuid[]) AND removed_at IS NULL`);
  const profileIds = people.map(({ id }) => id);
  const sessions = await db.all(sql<TypedRow>`
  SELECT s.id, s.country, s.state -> 'contacts' AS contacts FROM sessions s WHERE s.store_id = ${ownStore}
    AND (s.profile_id = ANY (${profileIds}::uuid[]) OR s.id = ANY (${subject.sessionIds}::uuid[]))`);
  const typed = [...new Set(sessions.flatMap(typedIn))];
  const held = await db.all(sql<Contact & { profile_id: string }>`
  SELECT kind, value, profile_id FROM identities WHERE store_id = ${ownStore}
    AND (profile_id = ANY (${profileIds}::uuid[]) OR (kind, value) IN (${kindsAndValues(typed)}))`);
  const own = new Set(profileIds);
  // another person's contact that was typed in one of these sessions stays that person's
  const others = new Set(held.filter((row) => !own.has(row.profile_id)).map(contactKey));
  const contacts = new Set([...subject.contacts, ...held.filter((row) => own.has(row.profile_id)).map(contactKey)]);
  for (const key of typed) if (!others.has(key)) contacts.add(key);
  return { profileIds, sessionIds: sessions.map(({ id }) => id), contacts: [...contacts] };
}

interface TypedRow {
  id: string;
  country: string | null;
  contacts: Contact[] | null;
}

function typedIn({ contacts, country }: TypedRow): string[] {
  return (contacts ?? []).flatMap(({ kind, value }) => {
    const identity = contactIdentity(kind, value, country);
    return identity === null ? [] : contactKey({ kind, value: identity });
  });
}
