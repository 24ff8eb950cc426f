import { containing } from "../platform/database/like.ts";
import { ownStore, type StoreRunner, type StoreTransaction, sql } from "../platform/database/sql.ts";
import { noteWrite } from "./catalog.ts";
import { fieldsOf, newestOfEach, PayloadError, platformId, readEach, textOf } from "./payload.ts";

/** The shop's collections, which rules pick products from: files bring them [orders.collections]. */

interface Collection {
  collection_id: string;
  handle: string | null;
  title: string;
  product_ids: string[];
}

/** As many as the platform lets a collection be sorted by hand have; what is beyond would fill a transaction. */
const mostProducts = 100_000;

/** Takes the decimal number of an id, or the global id. */
function globalIdOf(kind: "Product" | "Collection", value: unknown): string | null {
  const prefix = `gid://shopify/${kind}/`;
  const number = platformId(typeof value === "string" && value.startsWith(prefix) ? value.slice(prefix.length) : value);
  return number === null ? null : prefix + number;
}

/** Throws a PayloadError for a line that is not a collection. */
function readCollection(line: unknown): Collection {
  const fields = fieldsOf(line);
  const id = globalIdOf("Collection", fields?.["collection_id"]);
  if (!fields || id === null) throw new PayloadError("must be the id of a collection", { field: "collection_id" });
  const title = textOf(fields["title"])?.trim();
  if (title === undefined) throw new PayloadError("must be the title of a collection", { field: "title" });
  const members = fields["product_ids"];
  if (!Array.isArray(members)) throw new PayloadError("must be a list of product ids", { field: "product_ids" });
  if (members.length > mostProducts)
    throw new PayloadError(`must have at most ${mostProducts} products`, { field: "product_ids" });
  const product_ids = members.map((member: unknown, index) => {
    const product = globalIdOf("Product", member);
    if (product === null) throw new PayloadError("must be the id of a product", { field: `product_ids[${index}]` });
    return product;
  });
  return { collection_id: id, handle: textOf(fields["handle"]), title, product_ids: [...new Set(product_ids)] };
}

/** Each collection gets the products of its last line instead of those that it had. */
export async function importCollections(tx: StoreTransaction, lines: readonly unknown[]) {
  const { items, refused } = readEach(lines, readCollection);
  const collections = newestOfEach(
    items,
    ({ collection_id }) => collection_id,
    () => true,
  );
  const members = collections.flatMap(({ collection_id, product_ids }) =>
    product_ids.map((product_id) => ({ collection_id, product_id })),
  );
  if (collections.length > 0) await replaceCollections(tx, collections, members);
  return { collections: collections.length, members: members.length, refused };
}

async function replaceCollections(
  tx: StoreTransaction,
  collections: readonly Collection[],
  members: readonly { collection_id: string; product_id: string }[],
): Promise<void> {
  const write = await noteWrite(tx);
  const ids = collections.map(({ collection_id }) => collection_id);
  const rows = JSON.stringify(collections.map(({ product_ids: _, ...row }) => row));
  await tx.all(sql`
  INSERT INTO collections (store_id, collection_id, handle, title)
  SELECT ${ownStore}::uuid, c.collection_id, c.handle, c.title
  FROM jsonb_to_recordset(${rows}::jsonb) AS c (collection_id text, handle text, title text)
  ON CONFLICT (store_id, collection_id) DO UPDATE SET handle = excluded.handle, title = excluded.title`);
  const left = await tx.all(sql<{ product_id: string }>`
  DELETE FROM collection_products WHERE store_id = ${ownStore} AND collection_id = ANY (${ids}::text[])
  RETURNING product_id`);
  await tx.all(sql`
  INSERT INTO collection_products (store_id, collection_id, product_id)
  SELECT ${ownStore}::uuid, m.collection_id, m.product_id
  FROM jsonb_to_recordset(${JSON.stringify(members)}::jsonb) AS m (collection_id text, product_id text)`);
  const changed = [...new Set([...left, ...members].map(({ product_id }) => product_id))];
  await tx.all(sql`
  UPDATE products SET written = ${write} WHERE store_id = ${ownStore} AND product_id = ANY (${changed}::text[])`);
}

/** Collections whose title contains a text, whatever its case, by title. */
export const collectionsTitled = (db: StoreRunner, part: string, limit: number) =>
  db.all(sql<{ collection_id: string; title: string }>`
    SELECT collection_id, left(title, 255) AS title FROM collections
    WHERE store_id = ${ownStore} AND title ILIKE ${containing(part)} ORDER BY title, collection_id LIMIT ${limit}`);
