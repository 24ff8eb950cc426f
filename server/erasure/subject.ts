import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { kindsAndValues } from "../profiles/contact-rows.ts";
import { type Contact, contactKey } from "../profiles/people.ts";
import { contactIdentity } from "../sessions/public.ts";
import { sameContacts } from "./contacts-in.ts";

/** The subject of an erasure, and what it covers. */

export interface ErasureSubject {
  /** UUIDs */
  profileIds: readonly string[];
  /** UUIDs of sessions that are erased whoever they belong to; named by a ledger entry */
  sessionIds: readonly string[];
  /** keys of contacts that are removed everywhere, whoever holds them */
  contacts: readonly string[];
  /** global ids of orders whose contacts are removed */
  orderIds: readonly string[];
}

/** What an erasure covers in the current data. */
export interface ErasureExtent {
  /** people who exist */
  profileIds: string[];
  /** their sessions, and those that the subject names */
  sessionIds: string[];
  /**
   * contact keys: those of the subject, those that the people hold, and those they typed or ordered with that nobody
   * holds; in every form in which they may be stored
   */
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
  const ordered = await db.all(sql<Contact>`
  SELECT DISTINCT k.tier AS kind, k.value FROM orders o
  JOIN order_keys k ON k.store_id = ${ownStore} AND k.order_id = o.id AND k.tier IN ('email', 'phone')
  WHERE o.store_id = ${ownStore} AND o.profile_id = ANY (${profileIds}::uuid[])`);
  const tied = [...sessions.flatMap(typedIn), ...ordered.map(contactKey), ...subject.contacts];
  const typed = [...new Set(tied.flatMap(sameContacts))];
  const identities = await db.all(sql<Contact & { profile_id: string }>`
  SELECT kind, value, profile_id FROM identities WHERE store_id = ${ownStore}
    AND (profile_id = ANY (${profileIds}::uuid[]) OR (kind, value) IN (${kindsAndValues(typed)}))`);
  const own = new Set(profileIds);
  // another person's contact that was typed in one of these sessions, or stands in an order, stays with that person
  const others = new Set(identities.filter((row) => !own.has(row.profile_id)).map(contactKey));
  const contacts = new Set([
    ...subject.contacts,
    ...identities.filter((row) => own.has(row.profile_id)).map(contactKey),
  ]);
  for (const key of typed) if (!others.has(key)) contacts.add(key);
  for (const key of [...contacts].flatMap(sameContacts)) if (!others.has(key)) contacts.add(key);
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
