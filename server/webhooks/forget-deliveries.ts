import { ownStore, raw, sql, type Transaction } from "../platform/database/sql.ts";
import { lastDue, lockEndpoints } from "./deliveries.ts";
import { type Forgotten, forgetIn } from "./forget-in.ts";
import { personErased, rewritePayloads } from "./remove-contacts.ts";

/** What retained deliveries hold of people who are erased [erasure.events]. */

interface ErasedPeople {
  /** UUIDs */
  profileIds: readonly string[];
  sessionIds: readonly string[];
  /** single answers of other sessions; their events still hold what was typed */
  answers: readonly { sessionId: string; eventId: string }[];
  /** UUIDs of other sessions that were opened by a link with one of the emails */
  openedWith: readonly string[];
  linkedEmails: readonly string[];
  emails: readonly string[];
  phones: readonly string[];
}

const atOnce = 500;

/**
 * Takes contacts and free text out of payloads, and what receivers may have repeated of them. Deliveries stay, so that
 * what was sent can be counted; those that are about the person alone and wait are sent no more, as in the outbox.
 *
 * Behind the endpoints' lock, since a payload may be built at this moment. It finds deliveries by session and by
 * person, for which there are indexes; a contact of somebody who had it before is looked for in payloads about people
 * alone.
 */
export async function forgetDeliveries(tx: Transaction, storeId: string, erased: ErasedPeople): Promise<[]> {
  const { profileIds, sessionIds, answers, openedWith, linkedEmails, emails, phones } = erased;
  const others = [...new Set([...answers.map(({ sessionId }) => sessionId), ...openedWith])];
  const contacts = [...emails, ...phones];
  if (profileIds.length + sessionIds.length + others.length + contacts.length === 0) return [];
  await lockEndpoints(tx, storeId);
  const linked = [...new Set([...emails, ...linkedEmails])];
  const common = { contacts, linked, typed: [] };
  const own = await findDeliveries(tx, storeId, { profileIds, sessionIds });
  await rewrite(tx, storeId, own, () => ({ ...common, everything: true }));
  await endOwn(tx, storeId, own);
  const typed = await readTyped(tx, storeId, answers);
  const mine = new Set(own);
  const found = await findDeliveries(tx, storeId, { profileIds: [], sessionIds: others });
  const held = await findHolders(tx, storeId, contacts);
  const strangers = [...new Set([...found, ...held])].filter((id) => !mine.has(id));
  await rewrite(tx, storeId, strangers, (sessionId) => ({
    ...common,
    everything: false,
    typed: typed.get(sessionId ?? "") ?? [],
  }));
  return [];
}

async function findDeliveries(
  tx: Transaction,
  storeId: string,
  { profileIds, sessionIds }: Pick<ErasedPeople, "profileIds" | "sessionIds">,
): Promise<string[]> {
  const rows = await tx.forStore(storeId).all(sql<{
    id: string;
  }>`SELECT id FROM webhook_deliveries WHERE store_id = ${ownStore} AND session_id = ANY (${sessionIds}::uuid[])
       UNION SELECT id FROM webhook_deliveries WHERE store_id = ${ownStore} AND profile_id = ANY (${profileIds}::uuid[])`);
  return rows.map(({ id }) => id);
}

/** Payloads list identities with their exact values, so that the quotes around one can be looked for as well. */
async function findHolders(tx: Transaction, storeId: string, contacts: readonly string[]): Promise<string[]> {
  if (contacts.length === 0) return [];
  const rows = await tx.forStore(storeId).all(sql<{
    id: string;
  }>`SELECT d.id FROM webhook_deliveries d WHERE d.store_id = ${ownStore} AND d.profile_id IS NOT NULL
         AND EXISTS (SELECT 1 FROM unnest(${contacts.map((value) => JSON.stringify(value))}::text[]) AS c (value) WHERE strpos(d.payload, c.value) > 0)`);
  return rows.map(({ id }) => id);
}

type Typed = Forgotten["typed"][number];

async function readTyped(
  tx: Transaction,
  storeId: string,
  answers: ErasedPeople["answers"],
): Promise<Map<string, Typed[]>> {
  const bySession = new Map<string, Typed[]>();
  for (let from = 0; from < answers.length; from += atOnce) {
    const some = answers.slice(from, from + atOnce);
    const rows = await tx.forStore(storeId).all(sql<{
      session_id: string;
      component_key: string;
      value: string;
    }>`SELECT e.session_id, e.data ->> 'component_key' AS component_key, e.data ->> 'value' AS value
         FROM unnest(${some.map(({ sessionId }) => sessionId)}::uuid[], ${some.map(({ eventId }) => eventId)}::uuid[]) AS k (session_id, id)
         JOIN session_events e ON e.store_id = ${ownStore} AND e.session_id = k.session_id AND e.id = k.id
         WHERE e.data ? 'component_key' AND e.data ->> 'value' IS NOT NULL`);
    for (const { session_id, component_key: componentKey, value } of rows) {
      bySession.set(session_id, [...(bySession.get(session_id) ?? []), { componentKey, value }]);
    }
  }
  return bySession;
}

interface Retained {
  id: string;
  session_id: string | null;
  payload: string;
}

async function rewrite(
  tx: Transaction,
  storeId: string,
  ids: readonly string[],
  forgottenIn: (sessionId: string | null) => Forgotten,
): Promise<void> {
  for (let from = 0; from < ids.length; from += atOnce) {
    const rows = await tx
      .forStore(storeId)
      .all(
        sql<Retained>`SELECT id, session_id, payload FROM webhook_deliveries WHERE store_id = ${ownStore} AND id = ANY (${ids.slice(from, from + atOnce)}::uuid[])`,
      );
    const looked = rows.map(({ id, session_id, payload }) => {
      const forgotten = forgottenIn(session_id);
      const left = forgetIn(payload, forgotten);
      return { id, payload: left, isChanged: left !== payload, isOwn: forgotten.everything };
    });
    const changed = looked.filter(({ isChanged }) => isChanged);
    await rewritePayloads(tx, storeId, changed);
    // what was told may have come back
    const answered = looked.filter(({ isChanged, isOwn }) => isChanged || isOwn);
    await tx.forStore(storeId).all(sql`UPDATE webhook_deliveries SET last_response = NULL
            WHERE store_id = ${ownStore} AND id = ANY (${answered.map(({ id }) => id)}::uuid[]) AND last_response IS NOT NULL`);
    await endNameless(tx, storeId, changed);
  }
}

/** identity.captured whose contact went. */
async function endNameless(
  tx: Transaction,
  storeId: string,
  changed: readonly { id: string; payload: string }[],
): Promise<void> {
  const nameless = changed.filter(({ payload }) => JSON.parse(payload).data.object.identity?.value === null);
  await end(
    tx,
    storeId,
    nameless.map(({ id }) => id),
    ["identity.captured"],
  );
}

const endOwn = (tx: Transaction, storeId: string, ids: readonly string[]): Promise<void> =>
  end(tx, storeId, ids, ["profile.created", "profile.updated"]);

async function end(tx: Transaction, storeId: string, ids: readonly string[], topics: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .forStore(storeId)
    .all(sql`UPDATE webhook_deliveries SET status = 'dead', next_attempt_at = ${raw(lastDue)}, last_error = ${personErased}
          WHERE store_id = ${ownStore} AND id = ANY (${ids}::uuid[]) AND topic = ANY (${topics}::text[]) AND status <> 'delivered'`);
}
