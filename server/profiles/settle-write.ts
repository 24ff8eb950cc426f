import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";
import {
  type Capture,
  type ContactKind,
  type KnownIdentity,
  type KnownSession,
  type People,
  readContactKey,
} from "./people.ts";

/** Each function writes one thing that settling people has changed, for all sessions of a transaction at once. */

/** Their figures are counted afterwards. */
export async function insertPeople(
  tx: Transaction,
  storeId: string,
  people: readonly { id: string; at: Date }[],
  now: number,
): Promise<void> {
  const row = await tx.forStore(storeId).first(sql<{
    last: number;
  }>`UPDATE store_revisions SET profiles_numbered = profiles_numbered + ${people.length}::bigint WHERE store_id = ${ownStore}
       RETURNING profiles_numbered AS last`);
  if (!row) throw new Error("a store has no revision row");
  await tx.forStore(storeId).all(sql`INSERT INTO profiles (store_id, id, number, created_at, last_seen_at)
          SELECT ${ownStore}::uuid, p.id, ${row.last - people.length}::bigint + p.place, p.at, ${new Date(now)}::timestamptz
          FROM unnest(${people.map(({ id }) => id)}::uuid[], ${people.map(({ at }) => at.toISOString())}::timestamptz[]) WITH ORDINALITY AS p (id, at, place)`);
}

/** @param mergeIds by phone that changed hands, the record of it */
export async function writeHolders(
  tx: Transaction,
  storeId: string,
  identities: readonly KnownIdentity[],
  { holders: after, bringers }: Pick<People, "holders" | "bringers">,
  mergeIds: ReadonlyMap<string, string>,
): Promise<void> {
  const before = new Map(identities.map((identity) => [identity.key, identity]));
  // one that was given up and brought again by somebody else may have come back to the person who held it
  const given = [...after].filter(([key, holder]) => {
    const known = before.get(key);
    return known?.profileId !== holder || known.broughtBy !== bringers.get(key);
  });
  if (given.length > 0) {
    const contacts = given.map(([key]) => readContactKey(key));
    await tx.forStore(storeId).all(sql`INSERT INTO identities (store_id, kind, value, profile_id, brought_by, merge_id)
            SELECT ${ownStore}::uuid, i.kind, i.value, i.profile_id, i.brought_by, i.merge_id
            FROM unnest(${contacts.map(({ kind }) => kind)}::text[], ${contacts.map(({ value }) => value)}::text[], ${given.map(([, id]) => id)}::uuid[], ${given.map(([key]) => bringers.get(key) ?? null)}::uuid[], ${given.map(([key]) => mergeIds.get(key) ?? null)}::uuid[])
              AS i (kind, value, profile_id, brought_by, merge_id)
            ON CONFLICT (store_id, kind, value) DO UPDATE SET profile_id = excluded.profile_id,
              brought_by = excluded.brought_by, merge_id = excluded.merge_id`);
  }
  const released = [...before.keys()].filter((key) => !after.has(key)).map(readContactKey);
  if (released.length === 0) return;
  await tx.forStore(storeId).all(sql`DELETE FROM identities WHERE store_id = ${ownStore}
          AND (kind, value) IN (SELECT k.kind, k.value FROM unnest(${released.map(({ kind }) => kind)}::text[], ${released.map(({ value }) => value)}::text[]) AS k (kind, value))`);
}

/** Answers the sessions whose captures changed. */
export async function writeCaptures(
  tx: Transaction,
  storeId: string,
  before: ReadonlyMap<string, readonly Capture[]>,
  after: ReadonlyMap<string, KnownSession>,
): Promise<string[]> {
  const changed = [...after.values()].filter(
    (session) => fingerprint(before.get(session.id) ?? []) !== fingerprint(session.captures),
  );
  const replaced = changed.map(({ id }) => id).filter((id) => before.has(id));
  if (replaced.length > 0) {
    await tx
      .forStore(storeId)
      .all(sql`DELETE FROM captures WHERE store_id = ${ownStore} AND session_id = ANY(${replaced}::uuid[])`);
  }
  const rows = changed.flatMap(({ id, captures }) =>
    captures.map((capture) => ({ session_id: id, ...columnsOf(capture) })),
  );
  const ids = changed.map(({ id }) => id);
  if (rows.length === 0) return ids;
  await tx
    .forStore(storeId)
    .all(sql`INSERT INTO captures (store_id, session_id, component_key, kind, value, consent, page_key, at)
          SELECT ${ownStore}::uuid, c.session_id, c.component_key, c.kind, c.value, c.consent, c.page_key, c.at
          FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS c (session_id uuid, component_key text, kind text, value text,
            consent boolean, page_key text, at timestamptz)`);
  return ids;
}

const columnsOf = ({ componentKey, pageKey, kind, value, consent, at }: Capture) => {
  return { component_key: componentKey, page_key: pageKey, kind, value, consent, at };
};

const fingerprint = (captures: readonly Capture[]): string =>
  captures
    .map((capture) => JSON.stringify(columnsOf(capture)))
    .sort()
    .join();

export async function writeSessions(
  tx: Transaction,
  storeId: string,
  owned: readonly { id: string; profileId: string | null }[],
  captured: readonly { sessionId: string; mark: string }[],
): Promise<void> {
  if (owned.length > 0) {
    await tx.forStore(storeId).all(sql`UPDATE sessions s SET profile_id = o.profile_id
            FROM unnest(${owned.map(({ id }) => id)}::uuid[], ${owned.map(({ profileId }) => profileId)}::uuid[]) AS o (id, profile_id) WHERE s.store_id = ${ownStore} AND s.id = o.id`);
  }
  if (captured.length === 0) return;
  await tx.forStore(storeId).all(sql`UPDATE sessions s SET emitted = s.emitted || c.marks
          FROM (SELECT m.id, array_agg(m.mark) AS marks FROM unnest(${captured.map(({ sessionId }) => sessionId)}::uuid[], ${captured.map(({ mark }) => mark)}::text[]) AS m (id, mark) GROUP BY m.id) c
          WHERE s.store_id = ${ownStore} AND s.id = c.id`);
}

/**
 * Hands over sessions, then deletes the rows; answers the sessions that followed, and when the people were made who are
 * gone. Orders follow their sessions and contacts, and are counted again then.
 */
export async function mergePeople(
  tx: Transaction,
  storeId: string,
  merged: readonly { from: string; into: string | null }[],
): Promise<{ followed: string[]; gone: Map<string, Date> }> {
  if (merged.length === 0) return { followed: [], gone: new Map() };
  const parameters = [storeId, merged.map(({ from }) => from), merged.map(({ into }) => into)];
  const followed = await tx.all(
    written<{ id: string }>(
      `UPDATE sessions s SET profile_id = m.into_id FROM unnest($2::uuid[], $3::uuid[]) AS m (from_id, into_id)
       WHERE s.store_id = $1 AND s.profile_id = m.from_id RETURNING s.id`,
      parameters,
    ),
  );
  const gone = await tx.forStore(storeId).all(
    sql<{
      id: string;
      created_at: Date;
    }>`DELETE FROM profiles WHERE store_id = ${ownStore} AND id = ANY (${merged.map(({ from }) => from)}::uuid[]) RETURNING id, created_at`,
  );
  return { followed: followed.map(({ id }) => id), gone: new Map(gone.map((row) => [row.id, row.created_at])) };
}

export interface Merge {
  id: string;
  from: string;
  into: string;
  confirmedBy: "visitor" | "order";
}

export async function recordMerges(
  tx: Transaction,
  storeId: string,
  merges: readonly Merge[],
  { gone, now }: { gone: ReadonlyMap<string, Date>; now: number },
): Promise<void> {
  if (merges.length === 0) return;
  const rows = merges.map(({ id, from, into, confirmedBy }) => ({
    id,
    from_id: from,
    into_id: into,
    confirmed_by: confirmedBy,
    gone_created_at: gone.get(from) ?? null,
  }));
  await tx
    .forStore(storeId)
    .all(sql`INSERT INTO person_merges (store_id, id, from_id, into_id, confirmed_by, merged_at, gone_created_at)
          SELECT ${ownStore}::uuid, m.id, m.from_id, m.into_id, m.confirmed_by, ${new Date(now)}::timestamptz, m.gone_created_at
          FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS m (id uuid, from_id uuid, into_id uuid, confirmed_by text,
            gone_created_at timestamptz)`);
}

export interface Follower {
  id: string;
  left_id: string;
  profile_id: string;
}

/** Sessions to which a moved phone leaves no contact of their person go with it; of two phones, with the later moved. */
export async function moveFollowers(tx: Transaction, storeId: string, phones: readonly string[]): Promise<Follower[]> {
  if (phones.length === 0) return [];
  const values = phones.map((key) => readContactKey(key).value);
  const kind: ContactKind = "phone";
  return tx.forStore(storeId).all(sql<Follower>`WITH followers AS (
         SELECT DISTINCT ON (s.id) s.id, s.profile_id AS left_id, i.profile_id
         FROM unnest(${values}::text[]) WITH ORDINALITY AS m (value, place)
         JOIN identities i ON i.store_id = ${ownStore} AND i.kind = ${kind} AND i.value = m.value
         JOIN captures c ON c.store_id = ${ownStore} AND c.kind = ${kind} AND c.value = m.value
         JOIN sessions s ON s.store_id = ${ownStore} AND s.id = c.session_id
         WHERE s.profile_id IS NOT NULL AND NOT EXISTS (
           SELECT 1 FROM captures o JOIN identities h ON h.store_id = ${ownStore} AND h.kind = o.kind AND h.value = o.value
           WHERE o.store_id = ${ownStore} AND o.session_id = s.id AND h.profile_id = s.profile_id)
         ORDER BY s.id, m.place DESC
       )
       UPDATE sessions s SET profile_id = f.profile_id FROM followers f WHERE s.store_id = ${ownStore} AND s.id = f.id
       RETURNING s.id, f.left_id, f.profile_id`);
}
