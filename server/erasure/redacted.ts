import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { everyForm, kindsAndValues } from "../profiles/contact-rows.ts";
import { broughtBySql } from "../profiles/figures.ts";
import { type Contact, contactKey, contactKeys } from "../profiles/people.ts";
import type { ErasureSubject } from "./subject.ts";

/** The contacts and orders that a customer's request lists. */
export interface RedactedContacts {
  /** normalized as in identities */
  emails: readonly string[];
  phones: readonly string[];
  /** global ids */
  orderIds: readonly string[];
}

/** What a redaction of listed contacts and orders covers [erasure.redacted-customer, erasure.redacted-orders]. */
export async function readRedacted(db: StoreRunner, redacted: RedactedContacts): Promise<ErasureSubject> {
  const { orderIds } = redacted;
  const listed = everyForm(contactKeys(redacted));
  const named = await readNamed(db, orderIds);
  const contacts = [...new Set([...listed, ...named, ...(await readBrought(db, listed, orderIds))])];
  const gone = new Set(contacts);
  const holders = [...(await readHolders(db, contacts))];
  const isWhole = ([, own]: (typeof holders)[number]) => own.every((contact) => gone.has(contactKey(contact)));
  const partly = holders.filter((holder) => !isWhole(holder)).map(([id]) => id);
  return {
    profileIds: holders.filter(isWhole).map(([id]) => id),
    sessionIds: await readHanging(db, contacts, partly),
    contacts,
    orderIds: [...new Set([...orderIds, ...(await readCarrying(db, contacts))])],
  };
}

/** Contacts that only the named orders have: they are of whoever asked, unless a person holds them. */
async function readNamed(db: StoreRunner, orderIds: readonly string[]): Promise<string[]> {
  if (orderIds.length === 0) return [];
  const rows = await db.all(sql<Contact>`
  SELECT DISTINCT k.tier AS kind, k.value FROM orders o
  JOIN order_keys k ON k.store_id = ${ownStore} AND k.order_id = o.id AND k.tier IN ('email', 'phone')
  WHERE o.store_id = ${ownStore} AND o.gid = ANY (${orderIds}::text[]) AND NOT EXISTS (SELECT 1 FROM identities h
    WHERE h.store_id = ${ownStore} AND h.kind = k.tier AND h.value = k.value)`);
  return rows.map(contactKey);
}

/**
 * Contacts that the browsers behind the orders brought in the sessions that the orders name, for people without a
 * listed contact.
 */
async function readBrought(db: StoreRunner, listed: readonly string[], orderIds: readonly string[]): Promise<string[]> {
  if (orderIds.length === 0) return [];
  const rows = await db.all(sql<Contact>`
  SELECT i.kind, i.value FROM orders o
  JOIN sessions s ON s.store_id = ${ownStore} AND s.id = o.session_id
  JOIN captures t ON t.store_id = ${ownStore} AND t.session_id = s.id
  JOIN identities i ON i.store_id = ${ownStore} AND i.kind = t.kind AND i.value = t.value AND i.profile_id = s.profile_id
  WHERE o.store_id = ${ownStore} AND o.gid = ANY (${orderIds}::text[])
    AND o.matched_tier IN ('line_item', 'cart', 'visitor') AND ${broughtBySql} = s.visitor_id
    AND NOT EXISTS (SELECT 1 FROM identities h WHERE h.store_id = ${ownStore} AND h.profile_id = s.profile_id
      AND (h.kind, h.value) IN (${kindsAndValues(listed)}))`);
  return rows.map(contactKey);
}

/** People who hold any of these contacts, with all contacts they hold. */
async function readHolders(db: StoreRunner, keys: readonly string[]): Promise<Map<string, Contact[]>> {
  const rows = await db.all(sql<Contact & { profile_id: string }>`
  SELECT i.kind, i.value, i.profile_id FROM identities i
  WHERE i.store_id = ${ownStore} AND i.profile_id IN (SELECT h.profile_id FROM identities h
    WHERE h.store_id = ${ownStore} AND (h.kind, h.value) IN (${kindsAndValues(keys)}))`);
  return Map.groupBy(rows, ({ profile_id }) => profile_id);
}

/** Sessions of these people that contain one of the contacts, and none that their person keeps. */
async function readHanging(db: StoreRunner, keys: readonly string[], profileIds: readonly string[]): Promise<string[]> {
  if (profileIds.length === 0) return [];
  const rows = await db.all(sql<{ id: string }>`
  SELECT s.id FROM sessions s WHERE s.store_id = ${ownStore} AND s.profile_id = ANY (${profileIds}::uuid[])
    AND EXISTS (SELECT 1 FROM captures c WHERE c.store_id = ${ownStore} AND c.session_id = s.id
      AND (c.kind, c.value) IN (${kindsAndValues(keys)}))
    AND NOT EXISTS (SELECT 1 FROM captures c
      JOIN identities i ON i.store_id = ${ownStore} AND i.kind = c.kind AND i.value = c.value
        AND i.profile_id = s.profile_id
      WHERE c.store_id = ${ownStore} AND c.session_id = s.id AND (i.kind, i.value) NOT IN (${kindsAndValues(keys)}))`);
  return rows.map(({ id }) => id);
}

/** Orders with one of the contacts. They keep their attribution permanently and accept no contacts again. */
async function readCarrying(db: StoreRunner, keys: readonly string[]): Promise<string[]> {
  const rows = await db.all(sql<{ gid: string }>`
  SELECT DISTINCT o.gid FROM order_keys c JOIN orders o ON o.store_id = ${ownStore} AND o.id = c.order_id
  WHERE c.store_id = ${ownStore} AND (c.tier, c.value) IN (${kindsAndValues(keys)})`);
  return rows.map(({ gid }) => gid);
}
