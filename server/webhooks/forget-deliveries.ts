import { topicsAbout } from "../../contract/events.ts";
import { ownStore, type StoreTransaction, sql, type Transaction } from "../platform/database/sql.ts";
import { lockEndpoints } from "./deliveries.ts";
import { type Forgotten, forgetIn } from "./forget-in.ts";
import { endDeliveries, personErased, rewritePayloads } from "./remove-contacts.ts";

/** Removes erased people from retained deliveries [erasure.events]. */

interface ErasedPeople {
  /** UUIDs */
  profileIds: readonly string[];
  sessionIds: readonly string[];
  /** single answers in sessions of other people; the stored events still contain the typed text */
  answers: readonly { sessionId: string; eventId: string }[];
  /** sessions of anybody that were opened with a text that contains one of the contacts */
  openings: readonly { sessionId: string }[];
  emails: readonly string[];
  phones: readonly string[];
  /** finds the contacts in any text */
  search: { holds: (text: string) => boolean };
}

const atOnce = 500;

/**
 * Removes contacts and free text from payloads, and the stored responses, which may repeat them. Deliveries are kept,
 * so that what was sent can still be counted; waiting ones that are only about the person are ended, as in the outbox.
 *
 * Holds the endpoints' lock, since payloads may be built at the same time. Deliveries are found by session and person,
 * which are indexed. A contact that belonged to somebody else before is searched for only in payloads about people.
 */
export async function forgetDeliveries(outer: Transaction, storeId: string, erased: ErasedPeople): Promise<[]> {
  const { profileIds, sessionIds, answers, openings, emails, phones, search } = erased;
  const others = [...new Set([...answers, ...openings].map(({ sessionId }) => sessionId))];
  const contacts = [...emails, ...phones];
  if (profileIds.length + sessionIds.length + others.length + contacts.length === 0) return [];
  const tx = outer.forStore(storeId);
  await lockEndpoints(tx);
  const common = { contacts, holds: search.holds, typed: [] };
  const own = await findDeliveries(tx, profileIds, sessionIds);
  await rewrite(tx, own, () => ({ ...common, everything: true }));
  await endDeliveries(tx, own, topicsAbout("person"), personErased);
  const typed = await readTyped(tx, answers);
  const mine = new Set(own);
  const found = await findDeliveries(tx, [], others);
  const containing = [...(await findHolders(tx, contacts)), ...(await findSearches(tx))];
  const strangers = [...new Set([...found, ...containing])].filter((id) => !mine.has(id));
  await rewrite(tx, strangers, (sessionId) => ({
    ...common,
    everything: false,
    typed: typed.get(sessionId ?? "") ?? [],
  }));
  return [];
}

async function findDeliveries(
  tx: StoreTransaction,
  profileIds: readonly string[],
  sessionIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    SELECT id FROM webhook_deliveries WHERE store_id = ${ownStore} AND session_id = ANY (${sessionIds}::uuid[])
    UNION SELECT id FROM webhook_deliveries WHERE store_id = ${ownStore} AND profile_id = ANY (${profileIds}::uuid[])`);
  return rows.map(({ id }) => id);
}

/** Payloads list identities with their exact values, so the search can include the JSON quotes around each value. */
async function findHolders(tx: StoreTransaction, contacts: readonly string[]): Promise<string[]> {
  if (contacts.length === 0) return [];
  const quoted = contacts.map((value) => JSON.stringify(value));
  const rows = await tx.all(sql<{ id: string }>`
    SELECT d.id FROM webhook_deliveries d WHERE d.store_id = ${ownStore} AND d.profile_id IS NOT NULL
      AND EXISTS (SELECT 1 FROM unnest(${quoted}::text[]) AS c (value) WHERE strpos(d.payload, c.value) > 0)`);
  return rows.map(({ id }) => id);
}

/** Deliveries about exports that searched for something. */
async function findSearches(tx: StoreTransaction): Promise<string[]> {
  const rows = await tx.all(sql<{ id: string }>`
    SELECT id FROM webhook_deliveries WHERE store_id = ${ownStore} AND topic = 'export.completed'`);
  return rows.map(({ id }) => id);
}

type Typed = Forgotten["typed"][number];

async function readTyped(tx: StoreTransaction, answers: ErasedPeople["answers"]): Promise<Map<string, Typed[]>> {
  const bySession = new Map<string, Typed[]>();
  for (let from = 0; from < answers.length; from += atOnce) {
    const some = answers.slice(from, from + atOnce);
    const sessionIds = some.map(({ sessionId }) => sessionId);
    const eventIds = some.map(({ eventId }) => eventId);
    const rows = await tx.all(sql<{ session_id: string; component_key: string; value: string }>`
      SELECT e.session_id, e.data ->> 'component_key' AS component_key, e.data ->> 'value' AS value
      FROM unnest(${sessionIds}::uuid[], ${eventIds}::uuid[]) AS k (session_id, id)
      JOIN session_events e ON e.store_id = ${ownStore} AND e.session_id = k.session_id AND e.id = k.id
      WHERE e.data ? 'component_key' AND e.data ->> 'value' IS NOT NULL`);
    for (const { session_id, component_key: componentKey, value } of rows) {
      bySession.set(session_id, [...(bySession.get(session_id) ?? []), { componentKey, value }]);
    }
  }
  return bySession;
}

interface RetainedRow {
  id: string;
  session_id: string | null;
  payload: string;
}

async function rewrite(
  tx: StoreTransaction,
  ids: readonly string[],
  forgottenIn: (sessionId: string | null) => Forgotten,
): Promise<void> {
  for (let from = 0; from < ids.length; from += atOnce) {
    const rows = await tx.all(sql<RetainedRow>`
      SELECT id, session_id, payload FROM webhook_deliveries
      WHERE store_id = ${ownStore} AND id = ANY (${ids.slice(from, from + atOnce)}::uuid[])`);
    const looked = rows.map(({ id, session_id, payload }) => {
      const forgotten = forgottenIn(session_id);
      const left = forgetIn(payload, forgotten);
      return { id, payload: left, isChanged: left !== payload, isOwn: forgotten.everything };
    });
    const changed = looked.filter(({ isChanged }) => isChanged);
    await rewritePayloads(tx, changed);
    // the receiver may have repeated in its response what it was sent
    const answered = looked.filter(({ isChanged, isOwn }) => isChanged || isOwn).map(({ id }) => id);
    await tx.all(sql`
      UPDATE webhook_deliveries SET last_response = NULL
      WHERE store_id = ${ownStore} AND id = ANY (${answered}::uuid[]) AND last_response IS NOT NULL`);
    const nameless = changed.filter(({ payload }) => JSON.parse(payload).data.object.identity?.value === null);
    const withoutContact = nameless.map(({ id }) => id);
    await endDeliveries(tx, withoutContact, topicsAbout("contact"), personErased);
  }
}
