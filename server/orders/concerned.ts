import type { Transaction } from "../platform/database/database.ts";
import { written } from "../platform/database/statements.ts";

/**
 * The orders that may be somebody else's now that these sessions and people have changed (decisions H): those that name
 * such a session or its visitor, or a contact of its person, and lie in its window; those that it has; those with a
 * contact that one of the people holds and that are another's, or known by less; those of people who hold no contact of
 * theirs any more. Every branch goes by an index, and most find nothing.
 *
 * Its time is an order's whole second, hence the second before the session's start.
 */
const concernedSql = `
  WITH touched AS (
    SELECT s.id, s.visitor_id, s.profile_id, s.started_at FROM sessions s
    WHERE s.store_id = $1 AND s.id = ANY ($2::uuid[]) AND NOT s.preview
  ), people AS (
    SELECT profile_id FROM touched WHERE profile_id IS NOT NULL UNION SELECT p.id FROM unnest($3::uuid[]) AS p (id)
  ), reached AS (
    SELECT t.id::text AS value, t.started_at FROM touched t WHERE t.started_at IS NOT NULL
    UNION ALL SELECT t.visitor_id::text, t.started_at FROM touched t WHERE t.started_at IS NOT NULL
    UNION ALL SELECT i.value, t.started_at FROM touched t
      JOIN identities i ON i.store_id = $1 AND i.profile_id = t.profile_id WHERE t.started_at IS NOT NULL
  )
  SELECT o.id FROM reached r
    JOIN order_keys k ON k.store_id = $1 AND k.value = r.value
    JOIN orders o ON o.store_id = $1 AND o.id = k.order_id
    WHERE o.created_at > r.started_at - interval '1 second' AND o.created_at <= r.started_at + interval '90 days'
  UNION SELECT o.id FROM orders o WHERE o.store_id = $1 AND o.session_id = ANY ($2::uuid[])
  UNION SELECT o.id FROM people p
    JOIN identities i ON i.store_id = $1 AND i.profile_id = p.profile_id
    JOIN order_keys k ON k.store_id = $1 AND k.value = i.value AND k.tier = i.kind
    JOIN orders o ON o.store_id = $1 AND o.id = k.order_id
    WHERE o.profile_id IS DISTINCT FROM p.profile_id
      OR k.tier = 'email' AND (o.matched_tier = 'phone' OR o.profile_tier = 'phone')
  UNION SELECT o.id FROM people p
    JOIN orders o ON o.store_id = $1 AND o.profile_id = p.profile_id
    WHERE o.profile_tier IN ('email', 'phone') AND NOT EXISTS (
      SELECT 1 FROM order_keys k JOIN identities i ON i.store_id = $1 AND i.kind = k.tier AND i.value = k.value
      WHERE k.store_id = $1 AND k.order_id = o.id AND k.tier = o.profile_tier AND i.profile_id = p.profile_id)`;

export async function concernedOrders(
  tx: Transaction,
  storeId: string,
  { sessionIds, profileIds }: { sessionIds: readonly string[]; profileIds: readonly string[] },
): Promise<string[]> {
  if (sessionIds.length === 0 && profileIds.length === 0) return [];
  const rows = await tx.all(written<{ id: string }>(concernedSql, [storeId, sessionIds, profileIds]));
  return rows.map(({ id }) => id);
}
