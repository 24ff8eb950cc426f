import type { Money } from "../../contract/common.ts";
import type { ExplainedProductAnswer } from "../../contract/ruled-preview.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import { minorUnits, moneyFromMinor } from "../platform/money.ts";

/** The catalog as shoppers and editors see it. */

/**
 * SQL condition on products `p`: the shop has it [orders.in-shop]. It has no drafts and archived products, and without
 * the store's setting none that its online store does not show; unlisted ones it has.
 */
export const isInShop = sql`(p.deleted_at IS NULL AND coalesce(p.status, 'active') NOT IN ('draft', 'archived')
  AND (NOT p.unpublished OR (SELECT s.sells_without_online_store FROM stores s WHERE s.id = ${ownStore})))`;

/**
 * SQL of a variant `v` with its inventory item `i`, if that is known: whether it can be bought [orders.availability]. A
 * row without stock comes from a program that took uncounted stock for none.
 */
export const available = sql`CASE WHEN v.available OR NOT i.tracked THEN true WHEN i.tracked THEN v.stock > 0
  WHEN v.stock IS NOT NULL THEN v.available END`;

/** The products and variants that a document refers to, by global id, each once. */
export interface NamedProducts {
  productIds: readonly string[];
  variantIds: readonly string[];
  /** also those that the shop has but does not show, such as drafts: for authors alone */
  anyState?: boolean;
}

/** A product as shoppers see it. */
export interface OfferedProduct {
  product_id: string;
  title: string;
  handle: string | null;
  url: string | null;
  image_url: string | null;
  variants: { variant_id: string; title: string | null; price: Money | null; available: boolean | null }[];
}

/**
 * Limits of an offer: products, variants of each product and in total, characters of a title or handle, of an image
 * address, and of all texts together [storefront.catalog-bounds].
 */
export const offerBounds = {
  products: 1_000,
  variantsEach: 100,
  variants: 10_000,
  title: 255,
  address: 2_000,
  characters: 1_000_000,
} as const;

interface OfferRow {
  product_id: string;
  title: string;
  handle: string | null;
  image: string | null;
  /** null if the product has no variants */
  variant_id: string | null;
  variant_title: string | null;
  price: string | null;
  available: boolean | null;
}

/**
 * The named products that are in the shop, in the given order, each with its variants by position. If a product has too
 * many variants, named ones take precedence; one of which only the id is known is there if it is named. Products beyond a total limit are left out.
 */
export async function offeredProducts(
  db: StoreRunner,
  { productIds, variantIds, anyState = false }: NamedProducts,
  { shopDomain, currency }: { shopDomain: string; currency: string },
): Promise<OfferedProduct[]> {
  if (productIds.length === 0) return [];
  const rows = await db.all(sql<OfferRow>`
  SELECT p.product_id, left(p.title, ${offerBounds.title}::integer) AS title,
    CASE WHEN length(p.handle) <= ${offerBounds.title}::integer THEN p.handle END AS handle,
    CASE WHEN length(p.image) <= ${offerBounds.address}::integer THEN p.image END AS image,
    v.variant_id, left(v.title, ${offerBounds.title}::integer) AS variant_title, v.price, v.available
  FROM unnest(${productIds.slice(0, offerBounds.products)}::text[]) WITH ORDINALITY AS named (product_id, place)
  JOIN products p ON p.store_id = ${ownStore} AND p.product_id = named.product_id AND ${anyState ? sql`true` : isInShop}
  LEFT JOIN LATERAL (
    SELECT v.variant_id, v.position, v.title, v.price, ${available} AS available FROM product_variants v
    LEFT JOIN inventory_items i ON i.store_id = ${ownStore} AND i.inventory_item_id = v.inventory_item_id
    WHERE v.store_id = ${ownStore} AND v.product_id = p.product_id
      AND (NOT v.id_only OR v.variant_id = ANY (${variantIds}::text[]))
    ORDER BY v.variant_id = ANY (${variantIds}::text[]) DESC, v.position, v.variant_id LIMIT ${offerBounds.variantsEach}
  ) v ON true
  ORDER BY named.place, v.position, v.variant_id LIMIT ${offerBounds.variants + 1}`);
  const products = new Map<string, OfferedProduct>();
  let characters = 0;
  for (const row of rows) {
    const { product_id, title, handle, image: image_url } = row;
    const url = handle === null ? null : `https://${shopDomain}/products/${encodeURIComponent(handle)}`;
    const known = products.get(product_id);
    const product = known ?? { product_id, title, handle, url, image_url, variants: [] };
    products.set(product_id, product);
    for (const text of [...(known ? [] : [title, handle, url, image_url]), row.variant_title])
      characters += text?.length ?? 0;
    if (characters > offerBounds.characters) break;
    if (row.variant_id === null) continue;
    const price = row.price === null ? null : moneyFromMinor(minorUnits(row.price, currency), currency);
    product.variants.push({ variant_id: row.variant_id, title: row.variant_title, price, available: row.available });
  }
  const whole = [...products.values()];
  // the last one may lack variants
  return rows.length > offerBounds.variants || characters > offerBounds.characters ? whole.slice(0, -1) : whole;
}

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
