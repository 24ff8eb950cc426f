import type { Transaction } from "../platform/database/database.ts";
import { written } from "../platform/database/statements.ts";

/** What is counted over a person's sessions, for many people at once. Both answer the people for whom a figure changed. */

/**
 * Sessions, finished ones, visits (sessions less than 30 minutes apart are one, measured from the latest end of the
 * earlier ones to the opening, storefront 3), first opening, last event, and quizzes in the order in which they were
 * first opened. A person whom every session has left keeps the times.
 */
export async function countFigures(tx: Transaction, storeId: string, profileIds: readonly string[]): Promise<string[]> {
  const rows = await tx.all(
    written<{ id: string }>(
      `WITH taken AS (
         SELECT s.profile_id, s.quiz_id, s.status, s.opened_at, s.last_event_at,
           max(s.last_event_at) OVER (PARTITION BY s.profile_id ORDER BY s.opened_at, s.id
             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier_end
         FROM sessions s WHERE s.store_id = $1 AND s.profile_id = ANY($2::uuid[]) AND NOT s.preview
       ), totals AS (
         SELECT profile_id, count(*)::integer AS sessions, count(*) FILTER (WHERE status = 'completed')::integer AS completed,
           count(*) FILTER (WHERE earlier_end IS NULL OR opened_at - earlier_end >= interval '30 minutes')::integer AS visits,
           min(opened_at) AS first, max(last_event_at) AS last
         FROM taken GROUP BY profile_id
       ), quizzes AS (
         SELECT profile_id, array_agg(quiz_id ORDER BY first, quiz_id) AS ids
         FROM (SELECT profile_id, quiz_id, min(opened_at) AS first FROM taken GROUP BY profile_id, quiz_id) q
         GROUP BY profile_id
       ), figures AS (
         SELECT a.id, coalesce(t.sessions, 0) AS sessions, coalesce(t.completed, 0) AS completed,
           coalesce(t.visits, 0) AS visits, t.first, t.last, coalesce(q.ids, '{}') AS quiz_ids
         FROM unnest($2::uuid[]) AS a (id)
         LEFT JOIN totals t ON t.profile_id = a.id LEFT JOIN quizzes q ON q.profile_id = a.id
       )
       UPDATE profiles p SET sessions_count = f.sessions, completed_count = f.completed, visits_count = f.visits,
         first_seen_at = coalesce(f.first, p.first_seen_at), last_seen_at = coalesce(f.last, p.last_seen_at),
         quiz_ids = f.quiz_ids
       FROM figures f
       WHERE p.store_id = $1 AND p.id = f.id AND
         (p.sessions_count, p.completed_count, p.visits_count, p.first_seen_at, p.last_seen_at, p.quiz_ids)
         IS DISTINCT FROM (f.sessions, f.completed, f.visits, coalesce(f.first, p.first_seen_at),
           coalesce(f.last, p.last_seen_at), f.quiz_ids)
       RETURNING p.id`,
      [storeId, profileIds],
    ),
  );
  return rows.map(({ id }) => id);
}

/**
 * When each contact was first and last left, in whichever session; and consent: the checkbox beside the newest answered
 * field of that kind across the person's sessions (2.6).
 */
export async function countIdentities(
  tx: Transaction,
  storeId: string,
  profileIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.all(
    written<{ profile_id: string }>(
      `WITH held AS (
         SELECT i.kind, i.value, i.profile_id FROM identities i
         WHERE i.store_id = $1 AND i.profile_id = ANY($2::uuid[])
       ), spans AS (
         SELECT h.kind, h.value, h.profile_id, min(c.at) AS first, max(c.at) AS last
         FROM held h LEFT JOIN captures c ON c.store_id = $1 AND c.kind = h.kind AND c.value = h.value
         GROUP BY h.kind, h.value, h.profile_id
       ), newest AS (
         SELECT DISTINCT ON (s.profile_id, c.kind) s.profile_id, c.kind, c.consent
         FROM sessions s JOIN captures c ON c.store_id = $1 AND c.session_id = s.id
         WHERE s.store_id = $1 AND s.profile_id = ANY($2::uuid[])
         ORDER BY s.profile_id, c.kind, c.at DESC, c.session_id DESC, c.component_key DESC
       ), facts AS (
         SELECT s.kind, s.value, s.first, s.last, n.consent
         FROM spans s LEFT JOIN newest n ON n.profile_id = s.profile_id AND n.kind = s.kind
       )
       UPDATE identities i SET first_seen_at = f.first, last_seen_at = f.last, consent = f.consent
       FROM facts f
       WHERE i.store_id = $1 AND i.kind = f.kind AND i.value = f.value AND
         (i.first_seen_at, i.last_seen_at, i.consent) IS DISTINCT FROM (f.first, f.last, f.consent)
       RETURNING i.profile_id`,
      [storeId, profileIds],
    ),
  );
  return [...new Set(rows.map((row) => row.profile_id))];
}
