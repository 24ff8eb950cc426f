import { ownStore, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { noteDeletion, readDeletions } from "./deletions.ts";
import { isInShop } from "./offered-products.ts";
import { fieldsOf, globalId, newestOfEach, PayloadError, platformId, readEach, timeOf } from "./payload.ts";
import { type ProductRow, readProduct } from "./read-product.ts";

/** The catalog, filled from the commerce platform's product payloads [orders.catalog]: names and prices of products. */

/**
 * Inserts products into the catalog. A payload older than the stored product changes nothing. Throws a PayloadError for
 * a payload that is not a product.
 */
export const putProducts = (
  tx: StoreTransaction,
  payloads: readonly unknown[],
  now: number,
  triggeredAt: number | null = null,
) =>
  insertProducts(
    tx,
    payloads.map((payload) => readProduct(payload, now, triggeredAt)),
  );

/** The same, but skips and reports payloads that are not products. */
export async function importProducts(tx: StoreTransaction, payloads: readonly unknown[], now: number) {
  const { items, refused } = readEach(payloads, (payload) => readProduct(payload, now));
  return { ...(await insertProducts(tx, items)), refused };
}

/**
 * Must come first in every transaction that writes the catalog. It serializes a store's writers, and lets readers
 * detect that what they derived from the catalog is outdated [storefront.catalog]. Returns the write's number, which
 * every product that it changes has to get; a write that does not count as `numbered` has readers begin anew.
 */
export async function noteWrite(tx: StoreTransaction): Promise<number> {
  const [row] = await tx.all(sql<{ writes: number }>`
  INSERT INTO catalog_states AS c (store_id, writes, numbered) VALUES (${ownStore}, 1, 1)
  ON CONFLICT (store_id) DO UPDATE SET writes = c.writes + 1, numbered = c.numbered + 1 RETURNING writes`);
  return row?.writes ?? 0;
}

async function insertProducts(tx: StoreTransaction, products: readonly ProductRow[]) {
  const write = await noteWrite(tx);
  const newest = newestOfEach(
    products,
    (row) => row.product_id,
    (row, known) => row.updated_at >= known.updated_at,
  );
  const deletions = await readDeletions(
    tx,
    newest.map((row) => row.product_id),
  );
  const rows = newest.filter((row) => Date.parse(row.updated_at) > (deletions.get(row.product_id) ?? 0));
  const written = await tx.all(sql<{ product_id: string }>`
  INSERT INTO products AS p (store_id, product_id, handle, title, image, had_variants, updated_at, triggered_at, status,
    published_at, unpublished, tags, vendor, product_type, options, written, deleted_at)
  SELECT ${ownStore}::uuid, r.product_id, r.handle, r.title, r.image, r.had_variants, r.updated_at, r.triggered_at,
    r.status, r.published_at, r.unpublished, r.tags, r.vendor, r.product_type, r.options, ${write}::bigint, NULL
  FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (product_id text, handle text, title text, image text,
    had_variants boolean, updated_at timestamptz, triggered_at timestamptz, status text, published_at timestamptz,
    unpublished boolean, tags text[], vendor text, product_type text, options jsonb)
  ON CONFLICT (store_id, product_id) DO UPDATE SET handle = excluded.handle, title = excluded.title,
    image = excluded.image, had_variants = p.had_variants OR excluded.had_variants,
    updated_at = excluded.updated_at, triggered_at = coalesce(excluded.triggered_at, p.triggered_at),
    status = excluded.status, published_at = excluded.published_at, unpublished = excluded.unpublished,
    tags = excluded.tags, vendor = excluded.vendor, product_type = excluded.product_type, options = excluded.options,
    written = excluded.written, deleted_at = NULL
  WHERE (p.updated_at, coalesce(p.triggered_at, excluded.triggered_at, '-infinity'))
    <= (excluded.updated_at, coalesce(excluded.triggered_at, p.triggered_at, '-infinity'))
  RETURNING product_id`);
  const ids = new Set(written.map((row) => row.product_id));
  const variants = rows
    .filter((row) => ids.has(row.product_id))
    .flatMap((row) => row.variants.map((variant) => ({ ...variant, product_id: row.product_id })));
  await replaceVariants(tx, [...ids], variants);
  return { products: ids.size, variants: variants.length };
}

/** A variant of which the message has only the id keeps what is known of it, if it did not change since. */
async function replaceVariants(
  tx: StoreTransaction,
  productIds: readonly string[],
  variants: readonly (ProductRow["variants"][number] & { product_id: string })[],
): Promise<void> {
  const idsOnly = variants.flatMap(({ id_only, variant_id, updated_at }) =>
    id_only ? { variant_id, updated_at } : [],
  );
  await tx.all(sql`
  DELETE FROM product_variants v WHERE v.store_id = ${ownStore} AND v.product_id = ANY (${productIds}::text[])
    AND NOT EXISTS (SELECT 1
      FROM jsonb_to_recordset(${JSON.stringify(idsOnly)}::jsonb) AS k (variant_id text, updated_at timestamptz)
      WHERE k.variant_id = v.variant_id AND k.updated_at = v.updated_at AND NOT v.id_only)`);
  await tx.all(sql`
  INSERT INTO product_variants (store_id, product_id, variant_id, position, title, price, compare_at_price,
    options, available, inventory_item_id, stock, updated_at, id_only)
  SELECT ${ownStore}::uuid, v.product_id, v.variant_id, v.position, v.title, v.price, v.compare_at_price,
    v.options, v.available, v.inventory_item_id, v.stock, v.updated_at, v.id_only
  FROM jsonb_to_recordset(${JSON.stringify(variants)}::jsonb) AS v (product_id text, variant_id text, position integer,
    title text, price numeric, compare_at_price numeric, options jsonb, available boolean, inventory_item_id text,
    stock numeric, updated_at timestamptz, id_only boolean)
  ON CONFLICT (store_id, product_id, variant_id) DO NOTHING`);
}

/**
 * Whether the shop counts a variant's stock, which product messages no longer say [orders.availability]. A message older
 * than the last changes nothing. Throws a PayloadError for a payload that is not an inventory item.
 */
export async function putInventoryItem(
  tx: StoreTransaction,
  payload: unknown,
  { now, triggeredAt }: { now: number; triggeredAt: number | null },
): Promise<void> {
  const item = fieldsOf(payload);
  const id = platformId(item?.["id"]);
  if (!item || id === null) throw new PayloadError("must be the id of an inventory item", { field: "id" });
  const tracked = item["tracked"];
  if (typeof tracked !== "boolean") return;
  const updatedAt = new Date(timeOf(item["updated_at"]) ?? now);
  const sentAt = triggeredAt === null ? null : new Date(triggeredAt);
  const write = await noteWrite(tx);
  await tx.all(sql`
  UPDATE products SET written = ${write} WHERE store_id = ${ownStore} AND product_id IN (
    SELECT v.product_id FROM product_variants v WHERE v.store_id = ${ownStore} AND v.inventory_item_id = ${id})`);
  await tx.all(sql`
  INSERT INTO inventory_items AS i (store_id, inventory_item_id, tracked, updated_at, triggered_at)
  VALUES (${ownStore}, ${id}, ${tracked}, ${updatedAt}, ${sentAt})
  ON CONFLICT (store_id, inventory_item_id) DO UPDATE SET tracked = excluded.tracked, updated_at = excluded.updated_at,
    triggered_at = coalesce(excluded.triggered_at, i.triggered_at)
  WHERE (i.updated_at, coalesce(i.triggered_at, excluded.triggered_at, '-infinity'))
    <= (excluded.updated_at, coalesce(excluded.triggered_at, i.triggered_at, '-infinity'))`);
}

/**
 * A deleted product is still known by name. A message from before the deletion does not restore it
 * [orders.deleted-products].
 */
export async function deleteProduct(
  tx: StoreTransaction,
  payload: unknown,
  now: number,
  triggeredAt: number | null = null,
): Promise<void> {
  const id = platformId(fieldsOf(payload)?.["id"]);
  if (id === null) throw new PayloadError("must be the id of a product", { field: "id" });
  const at = new Date(triggeredAt ?? now);
  const write = await noteWrite(tx);
  await noteDeletion(tx, globalId("Product", id), at);
  await tx.all(sql`
  UPDATE products SET deleted_at = ${at}, updated_at = greatest(updated_at, ${at}), written = ${write}
  WHERE store_id = ${ownStore} AND product_id = ${globalId("Product", id)} AND deleted_at IS NULL`);
}

export interface CatalogEntry {
  title: string;
  had_variants: boolean;
  /** whether the shop has it [orders.in-shop] */
  in_store: boolean;
}

/** Catalog entries by global id; products that were never in the catalog are missing from the map. */
export async function catalogEntries(
  db: StoreRunner,
  productIds: readonly string[],
): Promise<Map<string, CatalogEntry>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.all(sql<CatalogEntry & { product_id: string }>`
  SELECT p.product_id, p.title, p.had_variants, ${isInShop} AS in_store FROM products p
  WHERE p.store_id = ${ownStore} AND p.product_id = ANY (${productIds}::text[])`);
  return new Map(rows.map(({ product_id, ...entry }) => [product_id, entry]));
}
