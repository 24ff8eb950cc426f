import type { Runner } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";
import { broughtBySql } from "../profiles/figures.ts";
import { type ContactKind, contactKey } from "../profiles/people.ts";
import type { ErasureSubject } from "./subject.ts";

/** What a redaction that lists contacts and orders comes to [erasure.redacted-customer, erasure.redacted-orders]. */
export async function readRedacted(
  db: Runner,
  storeId: string,
  listed: readonly string[],
  orderIds: readonly string[],
): Promise<ErasureSubject> {
  const contacts = [...new Set([...listed, ...(await readBrought(db, storeId, listed, orderIds))])];
  const holders = await readHolders(db, storeId, contacts);
  const gone = new Set(contacts);
  const isWhole = (held: readonly string[]) => held.every((key) => gone.has(key));
  const partly = [...holders].filter(([, held]) => !isWhole(held)).map(([id]) => id);
  return {
    profileIds: [...holders].filter(([, held]) => isWhole(held)).map(([id]) => id),
    sessionIds: await readHanging(db, storeId, contacts, partly),
    contacts,
    orderIds: [...new Set([...orderIds, ...(await readCarrying(db, storeId, contacts))])],
  };
}

/** What is given as keys, as rows of kind and value. */
export const keysGiven = (parameter: string) =>
  `SELECT split_part(k.key, ':', 1), substr(k.key, strpos(k.key, ':') + 1) FROM unnest(${parameter}::text[]) AS k (key)`;

interface ContactRow {
  kind: ContactKind;
  value: string;
}

/**
 * Contacts that the browsers behind the orders brought in the sessions that these name, of people without a listed one.
 */
async function readBrought(
  db: Runner,
  storeId: string,
  listed: readonly string[],
  orderIds: readonly string[],
): Promise<string[]> {
  if (orderIds.length === 0) return [];
  const rows = await db.all(
    written<ContactRow>(
      `SELECT i.kind, i.value FROM orders o
       JOIN sessions s ON s.store_id = $1 AND s.id = o.session_id
       JOIN captures t ON t.store_id = $1 AND t.session_id = s.id
       JOIN identities i ON i.store_id = $1 AND i.kind = t.kind AND i.value = t.value AND i.profile_id = s.profile_id
       WHERE o.store_id = $1 AND o.gid = ANY ($2::text[]) AND o.matched_tier IN ('line_item', 'cart', 'visitor')
         AND ${broughtBySql} = s.visitor_id
         AND NOT EXISTS (SELECT 1 FROM identities h WHERE h.store_id = $1 AND h.profile_id = s.profile_id
           AND (h.kind, h.value) IN (${keysGiven("$3")}))`,
      [storeId, orderIds, listed],
    ),
  );
  return rows.map(contactKey);
}

/** People who hold any of these contacts, with all that they hold. */
async function readHolders(db: Runner, storeId: string, keys: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await db.all(
    written<ContactRow & { profile_id: string }>(
      `SELECT i.kind, i.value, i.profile_id FROM identities i
       WHERE i.store_id = $1 AND i.profile_id IN (SELECT h.profile_id FROM identities h
         WHERE h.store_id = $1 AND (h.kind, h.value) IN (${keysGiven("$2")}))`,
      [storeId, keys],
    ),
  );
  const holders = Map.groupBy(rows, ({ profile_id }) => profile_id);
  return new Map([...holders].map(([id, held]) => [id, held.map(contactKey)]));
}

/** Sessions of these people that hold one of the contacts, and none that their person keeps. */
async function readHanging(
  db: Runner,
  storeId: string,
  keys: readonly string[],
  profileIds: readonly string[],
): Promise<string[]> {
  if (profileIds.length === 0) return [];
  const rows = await db.all(
    written<{ id: string }>(
      `SELECT s.id FROM sessions s WHERE s.store_id = $1 AND s.profile_id = ANY ($3::uuid[])
         AND EXISTS (SELECT 1 FROM captures c WHERE c.store_id = $1 AND c.session_id = s.id
           AND (c.kind, c.value) IN (${keysGiven("$2")}))
         AND NOT EXISTS (SELECT 1 FROM captures c
           JOIN identities i ON i.store_id = $1 AND i.kind = c.kind AND i.value = c.value AND i.profile_id = s.profile_id
           WHERE c.store_id = $1 AND c.session_id = s.id AND (i.kind, i.value) NOT IN (${keysGiven("$2")}))`,
      [storeId, keys, profileIds],
    ),
  );
  return rows.map(({ id }) => id);
}

/** Orders with one of the contacts: they keep whom they were attributed to for good, and take no contact in again. */
async function readCarrying(db: Runner, storeId: string, keys: readonly string[]): Promise<string[]> {
  const rows = await db.all(
    written<{ gid: string }>(
      `SELECT DISTINCT o.gid FROM order_keys c JOIN orders o ON o.store_id = $1 AND o.id = c.order_id
       WHERE c.store_id = $1 AND (c.tier, c.value) IN (${keysGiven("$2")})`,
      [storeId, keys],
    ),
  );
  return rows.map(({ gid }) => gid);
}
