import type { ExplainedProductAnswer } from "../../contract/ruled-preview.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { isInShop } from "./offered-products.ts";

type State = NonNullable<ExplainedProductAnswer["not_shown"]>;

/** Why rules do not find some products, by id; ids that the catalog does not have are left out [editor.rules]. */
export async function statesOf(db: StoreRunner, productIds: readonly string[]): Promise<ReadonlyMap<string, State>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.all(sql<{ product_id: string; state: State }>`
    SELECT p.product_id, CASE WHEN p.deleted_at IS NOT NULL THEN 'deleted'
        WHEN p.status IN ('draft', 'archived') THEN p.status
        WHEN ${isInShop} THEN 'not_searched' ELSE 'unpublished' END AS state
    FROM products p WHERE p.store_id = ${ownStore} AND p.product_id = ANY (${productIds}::text[])`);
  return new Map(rows.map(({ product_id, state }) => [product_id, state]));
}

/** Products that the shop has, and how many of them came before the catalog kept tags. */
export async function catalogCounts(db: StoreRunner): Promise<{ products: number; without_tags: number }> {
  const row = await db.first(sql<{ products: number; without_tags: number }>`
    SELECT count(*)::integer AS products, (count(*) FILTER (WHERE p.tags IS NULL))::integer AS without_tags
    FROM products p WHERE p.store_id = ${ownStore} AND ${isInShop}`);
  return row ?? { products: 0, without_tags: 0 };
}
