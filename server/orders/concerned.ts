import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";

export async function concernedOrders(
  tx: Transaction,
  storeId: string,
  { sessionIds, profileIds }: { sessionIds: readonly string[]; profileIds: readonly string[] },
): Promise<string[]> {
  if (sessionIds.length === 0 && profileIds.length === 0) return [];
  // The orders that may be somebody else's now that these sessions and people have changed [orders.rematch]: those that
  // name such a session or its visitor, or a contact of its person, and lie in its window; those that it has; those with
  // a contact that one of the people holds and that are another's, or known by less; those of people who hold no contact
  // of theirs any more. Every branch goes by an index, and most find nothing.
  // Its time is an order's whole second, hence the second before the session's start. Each table is read once, by arrays:
  // joins of the same steps were planned as scans of whole tables (173 ms for 200 sessions among 30,000 orders, against
  // 11, both on a busy machine; 200 sessions that no order concerns take 2).
  const rows = await tx.forStore(storeId).all(sql<{ id: string }>`
  WITH touched AS MATERIALIZED (
    SELECT s.id, s.visitor_id, s.profile_id, s.started_at FROM sessions s
    WHERE s.store_id = ${ownStore} AND s.id = ANY (${sessionIds}::uuid[]) AND NOT s.preview
  ), people AS MATERIALIZED (
    SELECT profile_id FROM touched WHERE profile_id IS NOT NULL UNION SELECT p.id FROM unnest(${profileIds}::uuid[]) AS p (id)
  ), held AS MATERIALIZED (
    SELECT i.kind, i.value, i.profile_id FROM identities i
    WHERE i.store_id = ${ownStore} AND i.profile_id = ANY (ARRAY(SELECT profile_id FROM people))
  ), reached AS MATERIALIZED (
    SELECT t.id::text AS value, t.started_at FROM touched t WHERE t.started_at IS NOT NULL
    UNION ALL SELECT t.visitor_id::text, t.started_at FROM touched t WHERE t.started_at IS NOT NULL
    UNION ALL SELECT h.value, t.started_at FROM touched t JOIN held h ON h.profile_id = t.profile_id
      WHERE t.started_at IS NOT NULL
  ), keyed AS MATERIALIZED (
    SELECT k.order_id, k.tier, k.value FROM order_keys k
    WHERE k.store_id = ${ownStore} AND k.value = ANY (ARRAY(SELECT value FROM reached UNION SELECT value FROM held))
  ), near AS MATERIALIZED (
    SELECT o.id, o.created_at, o.profile_id, o.matched_tier, o.profile_tier FROM orders o
    WHERE o.store_id = ${ownStore} AND o.id = ANY (ARRAY(SELECT order_id FROM keyed))
  ), bought AS MATERIALIZED (
    SELECT o.id, o.profile_id, o.profile_tier FROM orders o
    WHERE o.store_id = ${ownStore} AND o.profile_id = ANY (ARRAY(SELECT profile_id FROM people))
      AND o.profile_tier IN ('email', 'phone')
  )
  SELECT o.id FROM reached r JOIN keyed k ON k.value = r.value JOIN near o ON o.id = k.order_id
    WHERE o.created_at > r.started_at - interval '1 second' AND o.created_at <= r.started_at + interval '90 days'
  UNION SELECT o.id FROM orders o WHERE o.store_id = ${ownStore} AND o.session_id = ANY (${sessionIds}::uuid[])
  UNION SELECT o.id FROM held h
    JOIN keyed k ON k.value = h.value AND k.tier = h.kind
    JOIN near o ON o.id = k.order_id
    WHERE o.profile_id IS DISTINCT FROM h.profile_id
      OR k.tier = 'email' AND (o.matched_tier = 'phone' OR o.profile_tier = 'phone')
  UNION SELECT b.id FROM bought b
    WHERE NOT EXISTS (SELECT 1 FROM keyed k JOIN held h ON h.kind = k.tier AND h.value = k.value
      WHERE k.order_id = b.id AND k.tier = b.profile_tier AND h.profile_id = b.profile_id)`);
  return rows.map(({ id }) => id);
}
