import type { Transaction } from "../platform/database/sql.ts";
import { written } from "../platform/database/statements.ts";

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
  const rows = await tx.all(
    written<{ id: string }>(
      `WITH figures AS (
         SELECT a.id, count(o.id)::integer AS orders, max(o.created_at) AS last,
           coalesce(sum(o.total) FILTER (WHERE o.currency = (SELECT currency FROM stores WHERE id = $1)), 0) AS spent
         FROM unnest($2::uuid[]) AS a (id)
         LEFT JOIN orders o ON o.store_id = $1 AND o.profile_id = a.id AND o.cancelled_at IS NULL
         GROUP BY a.id
       )
       UPDATE profiles p SET orders_count = f.orders, spent = f.spent, last_order_at = f.last
       FROM figures f
       WHERE p.store_id = $1 AND p.id = f.id
         AND (p.orders_count, p.spent, p.last_order_at) IS DISTINCT FROM (f.orders, f.spent, f.last)
       RETURNING p.id`,
      [storeId, profileIds],
    ),
  );
  return rows.map(({ id }) => id);
}
