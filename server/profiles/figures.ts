import { anyOf, ownStore, type Statement, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { together } from "../platform/database/together.ts";

/**
 * Counts figures over sessions and orders, for many people at once. Each function returns the people whose figures
 * changed. Its statements are sent at once. They name the rows by their ids wherever they join them: the join alone may
 * read all rows of the store [database.young-tables].
 */

/** How a transaction holds the store's revision: it has raised it already, or does so at its end for what it changed. */
export type Held = "raised" | "held";

/** The store's revision (of `store_revisions r`) before the one of this transaction. */
export const revisionBefore = (held: Held): Statement<never> =>
  held === "raised" ? sql`(r.revision - 1)` : sql`r.revision`;

/**
 * Counts sessions, completed sessions, visits, first opening, last event, and the quizzes in the order of their first
 * opening [people.figures]. Sessions belong to one visit if less than 30 minutes lie between the latest end of the
 * earlier ones and the opening of the next [people.visits]. A person without any sessions left keeps the times.
 *
 * Keeps the earlier last event of those who change their place in the list, for whoever is paging through it
 * [people.list-pages]; not of those who have changed it in this transaction already.
 */
export async function countFigures(tx: StoreTransaction, profileIds: readonly string[], held: Held): Promise<string[]> {
  if (profileIds.length === 0) return [];
  const [, rows] = await together([
    keepEarlierPlaces(tx, profileIds, held),
    tx.all(sql<{ id: string }>`
  WITH taken AS (
    SELECT s.profile_id, s.quiz_id, s.status, s.opened_at, s.last_event_at,
      max(s.last_event_at) OVER (PARTITION BY s.profile_id ORDER BY s.opened_at, s.id
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier_end
    FROM sessions s WHERE s.store_id = ${ownStore} AND s.profile_id = ${anyOf(profileIds)} AND NOT s.preview
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
    FROM unnest(${profileIds}::uuid[]) AS a (id)
    LEFT JOIN totals t ON t.profile_id = a.id LEFT JOIN quizzes q ON q.profile_id = a.id
  ), moved AS (
    SELECT p.id, ${revisionBefore(held)} AS until
    FROM profiles p JOIN totals t ON t.profile_id = p.id JOIN store_revisions r ON r.store_id = ${ownStore}
    WHERE p.store_id = ${ownStore} AND p.id = ${anyOf(profileIds)} AND p.last_seen_at <> t.last
  )
  UPDATE profiles p SET sessions_count = f.sessions, completed_count = f.completed, visits_count = f.visits,
    first_seen_at = coalesce(f.first, p.first_seen_at), last_seen_at = coalesce(f.last, p.last_seen_at),
    quiz_ids = f.quiz_ids, placed_after = coalesce(m.until, p.placed_after)
  FROM figures f LEFT JOIN moved m ON m.id = f.id
  WHERE p.store_id = ${ownStore} AND p.id = f.id AND p.id = ${anyOf(profileIds)} AND
    (p.sessions_count, p.completed_count, p.visits_count, p.first_seen_at, p.last_seen_at, p.quiz_ids)
    IS DISTINCT FROM (f.sessions, f.completed, f.visits, coalesce(f.first, p.first_seen_at),
      coalesce(f.last, p.last_seen_at), f.quiz_ids)
  RETURNING p.id`),
  ]);
  return rows.map(({ id }) => id);
}

/**
 * By a statement of its own [database.one-node], which takes the store from the people's rows: a cluster sends it to the
 * store's node as a whole.
 */
const keepEarlierPlaces = (tx: StoreTransaction, profileIds: readonly string[], held: Held): Promise<unknown> =>
  tx.all(sql`
  INSERT INTO earlier_places (store_id, until_revision, profile_id, placed_after, last_seen_at)
  SELECT p.store_id, ${revisionBefore(held)}, p.id, p.placed_after, p.last_seen_at
  FROM profiles p JOIN store_revisions r ON r.store_id = ${ownStore}
  WHERE p.store_id = ${ownStore} AND p.id = ${anyOf(profileIds)}
    AND (p.placed_after IS NULL OR p.placed_after < ${revisionBefore(held)})
    AND p.last_seen_at <> (
      SELECT max(s.last_event_at) FROM sessions s
      WHERE s.store_id = ${ownStore} AND s.profile_id = p.id AND NOT s.preview)`);

/**
 * The visitor who brought a contact (`i`). Contacts from before `brought_by` was recorded take the visitor of the
 * oldest session that holds the contact.
 */
export const broughtBySql = sql`coalesce(i.brought_by, (SELECT s.visitor_id FROM captures c
  JOIN sessions s ON s.store_id = ${ownStore} AND s.id = c.session_id
  WHERE c.store_id = ${ownStore} AND c.kind = i.kind AND c.value = i.value ORDER BY c.at, s.number LIMIT 1))`;

/**
 * Determines when each contact was first and last left, in any session, and its consent: the checkbox of the newest
 * answered field of that kind in the person's sessions [people.consent], limited to those who may give it
 * [people.consent-of-strangers]. The answer of the visitor who brought the contact counts. Another visitor who types it
 * can withdraw consent, but can give it only if an order carries the contact and names their session or browser;
 * otherwise their checkbox applies to their own session only.
 */
export async function countIdentities(tx: StoreTransaction, profileIds: readonly string[]): Promise<string[]> {
  if (profileIds.length === 0) return [];
  const rows = await tx.all(sql<{ profile_id: string }>`
  WITH held AS MATERIALIZED (
    SELECT i.kind, i.value, i.profile_id, ${broughtBySql} AS brought_by FROM identities i
    WHERE i.store_id = ${ownStore} AND i.profile_id = ${anyOf(profileIds)}
  ), spans AS (
    SELECT h.kind, h.value, h.profile_id, min(c.at) AS first, max(c.at) AS last
    FROM held h LEFT JOIN captures c ON c.store_id = ${ownStore} AND c.kind = h.kind AND c.value = h.value
    GROUP BY h.kind, h.value, h.profile_id
  ), their_sessions AS MATERIALIZED (
    SELECT s.id, s.profile_id, s.visitor_id FROM sessions s
    WHERE s.store_id = ${ownStore} AND s.profile_id = ${anyOf(profileIds)}
  ), theirs AS (
    SELECT s.id, s.profile_id, s.visitor_id, c.kind, c.value, c.consent, c.at, c.component_key
    FROM their_sessions s JOIN captures c ON c.store_id = ${ownStore} AND c.session_id = s.id
    WHERE c.session_id = ANY(ARRAY(SELECT id FROM their_sessions))
  ), own AS (
    SELECT DISTINCT ON (profile_id, kind, visitor_id) * FROM theirs
    ORDER BY profile_id, kind, visitor_id, at DESC, id DESC, component_key DESC
  ), counting AS (
    SELECT h.kind, h.value, o.consent, o.at, o.id, o.component_key FROM held h
    JOIN own o ON o.profile_id = h.profile_id AND o.kind = h.kind AND o.visitor_id = h.brought_by
    UNION ALL SELECT h.kind, h.value, t.consent, t.at, t.id, t.component_key FROM held h
    JOIN theirs t ON t.profile_id = h.profile_id AND t.kind = h.kind AND t.value = h.value
    WHERE t.visitor_id IS DISTINCT FROM h.brought_by AND (t.consent IS NOT TRUE OR EXISTS (
      SELECT 1 FROM order_keys k JOIN order_keys n ON n.store_id = ${ownStore} AND n.order_id = k.order_id
      WHERE k.store_id = ${ownStore} AND k.tier = t.kind AND k.value = t.value
        AND (n.tier IN ('line_item', 'cart') AND n.value = t.id::text
          OR n.tier = 'visitor' AND n.value = t.visitor_id::text)))
  ), newest AS (
    SELECT DISTINCT ON (kind, value) kind, value, consent FROM counting
    ORDER BY kind, value, at DESC, id DESC, component_key DESC
  ), found AS (
    SELECT s.kind, s.value, s.first, s.last, n.consent
    FROM spans s LEFT JOIN newest n ON n.kind = s.kind AND n.value = s.value
  )
  UPDATE identities i SET first_seen_at = f.first, last_seen_at = f.last, consent = f.consent
  FROM found f
  WHERE i.store_id = ${ownStore} AND i.kind = f.kind AND i.value = f.value AND
    (i.first_seen_at, i.last_seen_at, i.consent) IS DISTINCT FROM (f.first, f.last, f.consent)
  RETURNING i.profile_id`);
  return [...new Set(rows.map((row) => row.profile_id))];
}

/**
 * Counts orders, money spent and the time of the last order, over all orders of each person [orders.figures]. Cancelled
 * orders are ignored; orders in a currency other than the store's are counted but add no money [orders.currencies]. The
 * caller's transaction must hold the store's revision.
 */
export async function countOrders(tx: StoreTransaction, profileIds: readonly string[]): Promise<string[]> {
  if (profileIds.length === 0) return [];
  const rows = await tx.all(sql<{ id: string }>`
  WITH figures AS (
    SELECT a.id, count(o.id)::integer AS orders, max(o.created_at) AS last,
      coalesce(sum(o.total) FILTER (WHERE o.currency = (SELECT currency FROM stores WHERE id = ${ownStore})), 0) AS spent
    FROM unnest(${profileIds}::uuid[]) AS a (id)
    LEFT JOIN orders o ON o.store_id = ${ownStore} AND o.profile_id = a.id AND o.cancelled_at IS NULL
    GROUP BY a.id
  )
  UPDATE profiles p SET orders_count = f.orders, spent = f.spent, last_order_at = f.last
  FROM figures f
  WHERE p.store_id = ${ownStore} AND p.id = f.id AND p.id = ${anyOf(profileIds)}
    AND (p.orders_count, p.spent, p.last_order_at) IS DISTINCT FROM (f.orders, f.spent, f.last)
  RETURNING p.id`);
  return rows.map(({ id }) => id);
}
