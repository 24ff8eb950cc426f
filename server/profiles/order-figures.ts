import { ownStore, sql, type Transaction } from "../platform/database/sql.ts";

/**
 * Orders, money and the last order of people, over every order that is theirs [orders.figures]. Cancelled orders count
 * nowhere; orders in another currency than the store's count, and add no money [orders.currencies]. Answers those for
 * whom a figure changed.
 */
export async function countOrderFigures(
  tx: Transaction,
  storeId: string,
  profileIds: readonly string[],
): Promise<string[]> {
  if (profileIds.length === 0) return [];
  const rows = await tx.forStore(storeId).all(sql<{ id: string }>`WITH figures AS (
         SELECT a.id, count(o.id)::integer AS orders, max(o.created_at) AS last,
           coalesce(sum(o.total) FILTER (WHERE o.currency = (SELECT currency FROM stores WHERE id = ${ownStore})), 0) AS spent
         FROM unnest(${profileIds}::uuid[]) AS a (id)
         LEFT JOIN orders o ON o.store_id = ${ownStore} AND o.profile_id = a.id AND o.cancelled_at IS NULL
         GROUP BY a.id
       )
       UPDATE profiles p SET orders_count = f.orders, spent = f.spent, last_order_at = f.last
       FROM figures f
       WHERE p.store_id = ${ownStore} AND p.id = f.id
         AND (p.orders_count, p.spent, p.last_order_at) IS DISTINCT FROM (f.orders, f.spent, f.last)
       RETURNING p.id`);
  return rows.map(({ id }) => id);
}
