import type { Money } from "../../contract/common.ts";
import { isImageAddress } from "../../engine/addresses.ts";
import { ownStore, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { minorUnits, moneyFromMinor } from "../platform/money.ts";
import {
  decimalOf,
  type Fields,
  fieldsOf,
  globalId,
  listOf,
  newestOfEach,
  PayloadError,
  platformId,
  readEach,
  textOf,
  timeOf,
} from "./payload.ts";

/** The catalog, filled from the commerce platform's product payloads [orders.catalog]: names and prices of products. */

interface ProductRow {
  product_id: string;
  handle: string | null;
  title: string;
  image: string | null;
  had_variants: boolean;
  updated_at: string;
  variants: VariantRow[];
}

interface VariantRow {
  variant_id: string;
  position: number;
  title: string | null;
  price: string | null;
  /** null if unknown */
  available: boolean | null;
}

/**
 * Inserts products into the catalog. A payload older than the stored product changes nothing. Throws a PayloadError for
 * a payload that is not a product.
 */
export const putProducts = (tx: StoreTransaction, payloads: readonly unknown[], now: number) =>
  insertProducts(
    tx,
    payloads.map((payload) => readProduct(payload, now)),
  );

/** The same, but skips and reports payloads that are not products. */
export async function importProducts(tx: StoreTransaction, payloads: readonly unknown[], now: number) {
  const { items, refused } = readEach(payloads, (payload) => readProduct(payload, now));
  return { ...(await insertProducts(tx, items)), refused };
}

/**
 * Must come first in every transaction that writes the catalog. It serializes a store's writers, and lets readers
 * detect that what they derived from the catalog is outdated [storefront.catalog].
 */
async function noteWrite(tx: StoreTransaction): Promise<void> {
  await tx.all(sql`
  INSERT INTO catalog_states AS c (store_id, writes) VALUES (${ownStore}, 1)
  ON CONFLICT (store_id) DO UPDATE SET writes = c.writes + 1`);
}

async function insertProducts(tx: StoreTransaction, products: readonly ProductRow[]) {
  await noteWrite(tx);
  const rows = newestOfEach(
    products,
    (row) => row.product_id,
    (row, known) => row.updated_at >= known.updated_at,
  );
  const written = await tx.all(sql<{ product_id: string }>`
  INSERT INTO products AS p (store_id, product_id, handle, title, image, had_variants, updated_at, deleted_at)
  SELECT ${ownStore}::uuid, r.product_id, r.handle, r.title, r.image, r.had_variants, r.updated_at, NULL
  FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (product_id text, handle text, title text, image text,
    had_variants boolean, updated_at timestamptz)
  ON CONFLICT (store_id, product_id) DO UPDATE SET handle = excluded.handle, title = excluded.title,
    image = excluded.image, had_variants = p.had_variants OR excluded.had_variants,
    updated_at = excluded.updated_at, deleted_at = NULL
  WHERE p.updated_at <= excluded.updated_at
  RETURNING product_id`);
  const ids = new Set(written.map((row) => row.product_id));
  const variants = rows
    .filter((row) => ids.has(row.product_id))
    .flatMap((row) => row.variants.map((variant) => ({ ...variant, product_id: row.product_id })));
  await tx.all(sql`
  DELETE FROM product_variants WHERE store_id = ${ownStore} AND product_id = ANY (${[...ids]}::text[])`);
  await tx.all(sql`
  INSERT INTO product_variants (store_id, product_id, variant_id, position, title, price, available)
  SELECT ${ownStore}::uuid, v.product_id, v.variant_id, v.position, v.title, v.price, v.available
  FROM jsonb_to_recordset(${JSON.stringify(variants)}::jsonb) AS v (product_id text, variant_id text, position integer,
    title text, price numeric, available boolean)`);
  return { products: ids.size, variants: variants.length };
}

/**
 * A deleted product is still known by name. A message from before the deletion does not restore it
 * [orders.deleted-products].
 */
export async function deleteProduct(tx: StoreTransaction, payload: unknown, now: number): Promise<void> {
  const id = platformId(fieldsOf(payload)?.["id"]);
  if (id === null) throw new PayloadError("must be the id of a product", { field: "id" });
  const at = new Date(now);
  await noteWrite(tx);
  await tx.all(sql`
  UPDATE products SET deleted_at = ${at}, updated_at = greatest(updated_at, ${at})
  WHERE store_id = ${ownStore} AND product_id = ${globalId("Product", id)} AND deleted_at IS NULL`);
}

export interface CatalogEntry {
  title: string;
  had_variants: boolean;
  /** false if it was deleted */
  in_store: boolean;
}

/** Catalog entries by global id; products that were never in the catalog are missing from the map. */
export async function catalogEntries(
  db: StoreRunner,
  productIds: readonly string[],
): Promise<Map<string, CatalogEntry>> {
  if (productIds.length === 0) return new Map();
  const rows = await db.all(sql<CatalogEntry & { product_id: string }>`
  SELECT product_id, title, had_variants, deleted_at IS NULL AS in_store FROM products
  WHERE store_id = ${ownStore} AND product_id = ANY (${productIds}::text[])`);
  return new Map(rows.map(({ product_id, ...entry }) => [product_id, entry]));
}

/** The products and variants that a document refers to, by global id, each once. */
export interface NamedProducts {
  productIds: readonly string[];
  variantIds: readonly string[];
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
 * many variants, named ones take precedence. Products beyond a total limit are left out.
 */
export async function offeredProducts(
  db: StoreRunner,
  { productIds, variantIds }: NamedProducts,
  { shopDomain, currency }: { shopDomain: string; currency: string },
): Promise<OfferedProduct[]> {
  if (productIds.length === 0) return [];
  const rows = await db.all(sql<OfferRow>`
  SELECT p.product_id, left(p.title, ${offerBounds.title}::integer) AS title,
    CASE WHEN length(p.handle) <= ${offerBounds.title}::integer THEN p.handle END AS handle,
    CASE WHEN length(p.image) <= ${offerBounds.address}::integer THEN p.image END AS image,
    v.variant_id, left(v.title, ${offerBounds.title}::integer) AS variant_title, v.price, v.available
  FROM unnest(${productIds.slice(0, offerBounds.products)}::text[]) WITH ORDINALITY AS named (product_id, place)
  JOIN products p ON p.store_id = ${ownStore} AND p.product_id = named.product_id AND p.deleted_at IS NULL
  LEFT JOIN LATERAL (
    SELECT variant_id, position, title, price, available FROM product_variants
    WHERE store_id = ${ownStore} AND product_id = p.product_id
    ORDER BY variant_id = ANY (${variantIds}::text[]) DESC, position, variant_id LIMIT ${offerBounds.variantsEach}
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

/** Payloads come from outside: missing or invalid fields are left out, and only identifying fields are required. */
function readProduct(payload: unknown, now: number): ProductRow {
  const product = fieldsOf(payload);
  const productId = platformId(product?.["id"]);
  const title = textOf(product?.["title"]);
  if (!product || productId === null) throw new PayloadError("must be the id of a product", { field: "id" });
  if (title === null) throw new PayloadError("must be the title of a product", { field: "title" });
  const variants = listOf(product["variants"]).flatMap((variant, index) => readVariant(variant, index));
  const image = fieldsOf(product["image"]) ?? fieldsOf(listOf(product["images"])[0]);
  const updatedAt = timeOf(product["updated_at"]) ?? now;
  return {
    product_id: globalId("Product", productId),
    handle: textOf(product["handle"]),
    title,
    image: imageOf(image?.["src"]),
    had_variants: variants.length > 1,
    updated_at: new Date(updatedAt).toISOString(),
    variants: [...new Map(variants.map((variant) => [variant.variant_id, variant])).values()],
  };
}

/**
 * Shop pages use https, so an address without a scheme, or with http, becomes https; any other kind of address is
 * dropped [orders.pictures].
 */
function imageOf(value: unknown): string | null {
  const address = textOf(value)
    ?.trim()
    .replace(/^(http:)?\/\//i, "https://");
  return address !== undefined && isImageAddress(address) ? address : null;
}

const isPlace = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 31;

function readVariant(payload: unknown, index: number): VariantRow[] {
  const variant = fieldsOf(payload);
  const id = platformId(variant?.["id"]);
  if (!variant || id === null) return [];
  const price = decimalOf(variant["price"]);
  const position = variant["position"];
  return [
    {
      variant_id: globalId("ProductVariant", id),
      position: isPlace(position) ? position : index + 1,
      title: textOf(variant["title"]),
      price: price === null || price.startsWith("-") ? null : price,
      available: availabilityOf(variant),
    },
  ];
}

/**
 * Whether a variant can be bought: its stock is not tracked, it may be oversold, or it is in stock. Null if the payload
 * does not tell [orders.availability].
 */
function availabilityOf(variant: Fields): boolean | null {
  if (variant["inventory_management"] === null || variant["inventory_policy"] === "continue") return true;
  const quantity = decimalOf(variant["inventory_quantity"]);
  return quantity === null ? null : Number(quantity) > 0;
}
