import { topicsAbout } from "../../contract/events.ts";
import { ownStore, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { replaceTexts } from "../platform/replace-texts.ts";
import { kindsAndValues } from "../profiles/contact-rows.ts";
import { type Contact, contactKey } from "../profiles/people.ts";
import { eachRow } from "./each-row.ts";

/** Removes erased people from the data behind people: their rows, captures, and events about them. */

/** Returns the people who held one of the contacts. */
export async function removePeople(
  tx: StoreTransaction,
  { profileIds, contacts, at }: { profileIds: readonly string[]; contacts: readonly string[]; at: Date },
): Promise<string[]> {
  const released = await tx.all(sql<{ profile_id: string }>`
  DELETE FROM identities WHERE store_id = ${ownStore}
    AND (profile_id = ANY (${profileIds}::uuid[]) OR (kind, value) IN (${kindsAndValues(contacts)}))
  RETURNING profile_id`);
  await tx.all(sql`
  UPDATE profiles SET removed_at = ${at}
  WHERE store_id = ${ownStore} AND id = ANY (${profileIds}::uuid[]) AND removed_at IS NULL`);
  return released.map(({ profile_id }) => profile_id);
}

export interface ForgottenCaptures {
  /** sessions that contained one of the contacts */
  sessionIds: string[];
  /** keys of contacts that other people still hold */
  keys: string[];
}

export async function removeCaptures(
  tx: StoreTransaction,
  { sessionIds, contacts }: { sessionIds: readonly string[]; contacts: readonly string[] },
): Promise<ForgottenCaptures> {
  const rows = await tx.all(sql<Contact & { session_id: string }>`
  DELETE FROM captures WHERE store_id = ${ownStore}
    AND (session_id = ANY (${sessionIds}::uuid[]) OR (kind, value) IN (${kindsAndValues(contacts)}))
  RETURNING session_id, kind, value`);
  const gone = new Set(contacts);
  return {
    sessionIds: [...new Set(rows.map(({ session_id }) => session_id))],
    keys: [...new Set(rows.map(contactKey))].filter((key) => !gone.has(key)),
  };
}

/** People whose contacts have times or consent from sessions that no longer contain them. */
export async function readAffected(
  tx: StoreTransaction,
  { keys, sessionIds }: { keys: readonly string[]; sessionIds: readonly string[] },
): Promise<string[]> {
  const rows = await tx.all(sql<{ profile_id: string }>`
  SELECT i.profile_id FROM identities i WHERE i.store_id = ${ownStore} AND (i.kind, i.value) IN (${kindsAndValues(keys)})
  UNION SELECT s.profile_id FROM sessions s JOIN profiles p ON p.store_id = ${ownStore} AND p.id = s.profile_id
    WHERE s.store_id = ${ownStore} AND s.id = ANY (${sessionIds}::uuid[]) AND p.removed_at IS NULL`);
  return rows.map(({ profile_id }) => profile_id);
}

/**
 * Events about erased people that were handed to the webhooks, or are waiting for that, keep only the fact that they
 * happened; waiting ones are not sent. Events of other people lose the erased contacts, such as a phone that has moved
 * since.
 */
export async function cleanOutbox(
  tx: StoreTransaction,
  {
    profileIds,
    sessionIds,
    values,
  }: { profileIds: readonly string[]; sessionIds: readonly string[]; values: readonly string[] },
): Promise<void> {
  const topics = topicsAbout("contact", "person");
  await tx.all(sql`
  UPDATE outbox o SET data = '{"erased": true}', due_at = NULL
  WHERE o.store_id = ${ownStore} AND o.topic = ANY (${topics}::text[]) AND (o.profile_id = ANY (${profileIds}::uuid[])
    OR o.topic = ANY (${topicsAbout("contact")}::text[]) AND o.session_id = ANY (${sessionIds}::uuid[])
    OR o.data -> 'identity' ->> 'value' = ANY (${values}::text[])
    OR o.profile_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM profiles p
      WHERE p.store_id = ${ownStore} AND p.id = o.profile_id) AND EXISTS (
        SELECT 1 FROM jsonb_array_elements(o.data -> 'identities') AS i (value)
        WHERE i.value ->> 'value' = ANY (${values}::text[])))`);
  await tx.all(sql`
  UPDATE outbox o SET data = jsonb_set(o.data, '{identities}', jsonb_path_query_array(o.data,
    '$.identities[*] ? (!(@.value == $gone[*]))', jsonb_build_object('gone', ${values}::text[])))
  WHERE o.store_id = ${ownStore} AND o.topic = ANY (${topics}::text[]) AND EXISTS (
    SELECT 1 FROM jsonb_array_elements(o.data -> 'identities') AS i (value)
    WHERE i.value ->> 'value' = ANY (${values}::text[]))`);
}

/** Finished exports' events name what was searched for [erasure.exports]. */
export async function cleanExportEvents(tx: StoreTransaction, holds: (text: string) => boolean): Promise<void> {
  const found: { id: string; data: unknown }[] = [];
  const events = sql<{ id: string; data: unknown }>`
  SELECT o.id, o.data FROM outbox o WHERE o.store_id = ${ownStore} AND o.topic = 'export.completed'
    AND o.data -> 'filters' ->> 'search' IS NOT NULL`;
  await eachRow(tx, events, ({ id, data }) => {
    const left = replaceTexts(data, holds);
    if (left !== data) found.push({ id, data: left });
  });
  if (found.length === 0) return;
  await tx.all(sql`
  UPDATE outbox o SET data = f.data FROM jsonb_to_recordset(${JSON.stringify(found)}::jsonb) AS f (id uuid, data jsonb)
  WHERE o.store_id = ${ownStore} AND o.id = f.id`);
}
