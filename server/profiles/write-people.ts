import { anyOf, ownStore, type Statement, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { kindsAndValues } from "./contact-rows.ts";
import { type Held, revisionBefore } from "./figures.ts";
import { type Capture, type KnownIdentity, type KnownSession, type People, readContactKey } from "./people.ts";

/**
 * Writes the changes that resolving people has made: one kind per function, for all sessions of a transaction at once.
 * Functions that return statements leave it to the caller to send them, in their order, together with others.
 */

/** Inserts people with the store's next numbers, and without figures, which are counted afterwards. */
export function insertPeople(
  people: readonly { id: string; at: Date }[],
  { now, held }: { now: number; held: Held },
): Statement[] {
  const count = people.length;
  if (count === 0) return [];
  const [ids, times] = [people.map(({ id }) => id), people.map(({ at }) => at.toISOString())];
  return [
    sql`
    UPDATE store_revisions SET profiles_numbered = profiles_numbered + ${count}::bigint WHERE store_id = ${ownStore}`,
    sql`
    INSERT INTO profiles (store_id, id, number, created_at, last_seen_at, placed_after)
    SELECT ${ownStore}::uuid, p.id, r.profiles_numbered - ${count}::bigint + p.place, p.at,
      ${new Date(now)}::timestamptz, ${revisionBefore(held)}
    FROM store_revisions r
    CROSS JOIN unnest(${ids}::uuid[], ${times}::timestamptz[]) WITH ORDINALITY AS p (id, at, place)
    WHERE r.store_id = ${ownStore}`,
  ];
}

/** @param mergeIds the id of the merge record, by the key of a phone that moved */
export function writeHolders(
  identities: readonly KnownIdentity[],
  { holders: after, bringers, shown }: Pick<People, "holders" | "bringers" | "shown">,
  mergeIds: ReadonlyMap<string, string>,
): Statement[] {
  const statements: Statement[] = [];
  const before = new Map(identities.map((identity) => [identity.key, identity]));
  // also covers a contact that was given up and then brought again by another visitor for the same person
  const changed = [...after].filter(([key, holder]) => {
    const known = before.get(key);
    return known?.profileId !== holder || known.broughtBy !== bringers.get(key);
  });
  if (changed.length > 0) {
    const rows = changed.map(([key, holder]) => ({
      ...readContactKey(key),
      profile_id: holder,
      brought_by: bringers.get(key) ?? null,
      shown: shown.get(key) ?? null,
      merge_id: mergeIds.get(key) ?? null,
    }));
    statements.push(sql`
    INSERT INTO identities (store_id, kind, value, shown, profile_id, brought_by, merge_id)
    SELECT ${ownStore}::uuid, i.kind, i.value, i.shown, i.profile_id, i.brought_by, i.merge_id
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS i (kind text, value text, shown text, profile_id uuid, brought_by uuid, merge_id uuid)
    ON CONFLICT (store_id, kind, value) DO UPDATE SET shown = excluded.shown, profile_id = excluded.profile_id,
      brought_by = excluded.brought_by, merge_id = excluded.merge_id`);
  }
  const released = [...before.keys()].filter((key) => !after.has(key));
  if (released.length > 0) {
    statements.push(
      sql`DELETE FROM identities WHERE store_id = ${ownStore} AND (kind, value) IN (${kindsAndValues(released)})`,
    );
  }
  return statements;
}

/** The sessions whose captures differ from the stored ones, `before`. */
export const recaptured = (
  before: ReadonlyMap<string, readonly Capture[]>,
  sessions: Iterable<KnownSession>,
): KnownSession[] =>
  [...sessions].filter((session) => fingerprint(before.get(session.id) ?? []) !== fingerprint(session.captures));

/** Replaces the stored captures of these sessions, `before`, by those that they have now. */
export function writeCaptures(
  before: ReadonlyMap<string, readonly Capture[]>,
  sessions: readonly KnownSession[],
): Statement[] {
  const statements: Statement[] = [];
  const replaced = sessions.flatMap(({ id }) => (before.has(id) ? [id] : []));
  if (replaced.length > 0) {
    statements.push(sql`DELETE FROM captures WHERE store_id = ${ownStore} AND session_id = ${anyOf(replaced)}`);
  }
  const rows = sessions.flatMap(({ id, captures }) =>
    captures.map((capture) => ({ session_id: id, ...columnsOf(capture) })),
  );
  if (rows.length > 0) {
    statements.push(sql`
    INSERT INTO captures (store_id, session_id, component_key, kind, value, shown, consent, page_key, at)
    SELECT ${ownStore}::uuid, c.session_id, c.component_key, c.kind, c.value, c.shown, c.consent, c.page_key, c.at
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS c (session_id uuid, component_key text, kind text,
      value text, shown text, consent boolean, page_key text, at timestamptz)`);
  }
  return statements;
}

const columnsOf = ({ componentKey, pageKey, kind, value, shown, consent, at }: Capture) => {
  return { component_key: componentKey, page_key: pageKey, kind, value, shown, consent, at };
};

const fingerprint = (captures: readonly Capture[]): string =>
  captures
    .map((capture) => JSON.stringify(columnsOf(capture)))
    .sort()
    .join();

/** Sets the person and the emitted topics of sessions in one statement, so that each row is rewritten once. */
export function writeSessions(
  owned: readonly { id: string; profileId: string | null }[],
  captured: readonly { sessionId: string; mark: string }[],
): Statement[] {
  if (owned.length + captured.length === 0) return [];
  const owners = new Map(owned.map(({ id, profileId }) => [id, profileId]));
  const marks = Map.groupBy(captured, ({ sessionId }) => sessionId);
  const ids = [...new Set([...owners.keys(), ...marks.keys()])];
  const rows = ids.map((id) => ({
    id,
    changes_hands: owners.has(id),
    profile_id: owners.get(id) ?? null,
    marks: (marks.get(id) ?? []).map(({ mark }) => mark),
  }));
  // the rows are named by their ids too: the join alone may read all sessions of the store [database.young-tables]
  return [
    sql`
    UPDATE sessions s SET profile_id = CASE WHEN r.changes_hands THEN r.profile_id ELSE s.profile_id END,
      emitted = s.emitted || r.marks
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS r (id uuid, changes_hands boolean, profile_id uuid, marks text[])
    WHERE s.store_id = ${ownStore} AND s.id = r.id AND s.id = ${anyOf(ids)}`,
  ];
}

/**
 * Moves the sessions of merged people, then deletes the people. Returns the sessions that moved, and the creation time
 * of each deleted person. Orders follow their sessions and contacts and are counted at that point.
 */
export async function mergePeople(
  tx: StoreTransaction,
  merged: readonly { from: string; into: string | null }[],
): Promise<{ followed: string[]; gone: Map<string, Date> }> {
  if (merged.length === 0) return { followed: [], gone: new Map() };
  const [from, into] = [merged.map((each) => each.from), merged.map((each) => each.into)];
  const followed = await tx.all(sql<{ id: string }>`
  UPDATE sessions s SET profile_id = m.into_id FROM unnest(${from}::uuid[], ${into}::uuid[]) AS m (from_id, into_id)
  WHERE s.store_id = ${ownStore} AND s.profile_id = m.from_id RETURNING s.id`);
  const gone = await tx.all(sql<{ id: string; created_at: Date }>`
  DELETE FROM profiles WHERE store_id = ${ownStore} AND id = ${anyOf(from)} RETURNING id, created_at`);
  return { followed: followed.map(({ id }) => id), gone: new Map(gone.map((row) => [row.id, row.created_at])) };
}

export interface Merge {
  id: string;
  from: string;
  into: string;
  confirmedBy: "visitor" | "order" | "operator";
}

export async function recordMerges(
  tx: StoreTransaction,
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
  await tx.all(sql`
  INSERT INTO person_merges (store_id, id, from_id, into_id, confirmed_by, merged_at, gone_created_at)
  SELECT ${ownStore}::uuid, m.id, m.from_id, m.into_id, m.confirmed_by, ${new Date(now)}::timestamptz, m.gone_created_at
  FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS m (id uuid, from_id uuid, into_id uuid, confirmed_by text,
    gone_created_at timestamptz)`);
}

export interface Follower {
  id: string;
  left_id: string;
  profile_id: string;
}

/**
 * Moves sessions that hold no contact of their person any more to the holder of the moved phone; if several phones
 * moved, to that of the last.
 */
export async function moveFollowers(tx: StoreTransaction, phones: readonly string[]): Promise<Follower[]> {
  if (phones.length === 0) return [];
  const values = phones.map((key) => readContactKey(key).value);
  return tx.all(sql<Follower>`
  WITH followers AS (
    SELECT DISTINCT ON (s.id) s.id, s.profile_id AS left_id, i.profile_id
    FROM unnest(${values}::text[]) WITH ORDINALITY AS m (value, place)
    JOIN identities i ON i.store_id = ${ownStore} AND i.kind = 'phone' AND i.value = m.value
    JOIN captures c ON c.store_id = ${ownStore} AND c.kind = 'phone' AND c.value = m.value
    JOIN sessions s ON s.store_id = ${ownStore} AND s.id = c.session_id
    WHERE s.profile_id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM captures o JOIN identities h ON h.store_id = ${ownStore} AND h.kind = o.kind AND h.value = o.value
      WHERE o.store_id = ${ownStore} AND o.session_id = s.id AND h.profile_id = s.profile_id)
    ORDER BY s.id, m.place DESC
  )
  UPDATE sessions s SET profile_id = f.profile_id FROM followers f WHERE s.store_id = ${ownStore} AND s.id = f.id
  RETURNING s.id, f.left_id, f.profile_id`);
}
