import { CatalogIndex, type IndexedVariant } from "../../engine/catalog-index.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, type Statement, type StoreRunner, sql } from "../platform/database/sql.ts";
import { type Deadline, noDeadline } from "../platform/deadline.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";
import { SingleFlight } from "../platform/single-flight.ts";
import { available, isInShop } from "./offered-products.ts";

/**
 * Stores' catalogs in memory, for rules to search [storefront.ruled-catalog]. Each is read once, in parts, and then
 * follows the catalog's writes by their numbers, so that whoever asks sees every message that was processed before.
 */

interface StoreCatalog {
  index: CatalogIndex;
  /** of the catalog's writes, those that the index has */
  writes: number;
  /** how many of them had no number; another count means that the changes cannot be told */
  unnumbered: number;
}

interface State {
  writes: number;
  unnumbered: number;
}

/** For all stores together: a catalog of 50,000 products with two variants each takes about 60 MB. */
const usualMostBytes = 256 * 1024 * 1024;
/** Products of a store that rules search; the first by id. */
const mostProducts = 200_000;
/** Products that are read at once, so that no part takes more than some milliseconds. */
const productsAtOnce = 200;
/** As many as shoppers see [storefront.catalog-bounds]. */
const variantsEach = 100;
/** Share of entries that count no more at which an index is built anew. */
const mostWasted = 0.5;
const smallest = 1_000;

interface ProductRow {
  product_id: string;
  title: string;
  vendor: string | null;
  product_type: string | null;
  tags: string[] | null;
  collections: string[];
  published_at: Date | null;
  in_shop: boolean;
  written: number | null;
  variants: [id: string, price: string | null, available: boolean | null, stock: string | null, options: Options][];
}

type Options = IndexedVariant["options"] | null;

export class RuleCatalogs {
  readonly #database: Database;
  readonly #catalogs: LeastRecentlyUsed<StoreCatalog>;
  readonly #reading = new SingleFlight<CatalogIndex>();

  constructor({ database, mostBytes = usualMostBytes }: { database: Database; mostBytes?: number }) {
    this.#database = database;
    this.#catalogs = new LeastRecentlyUsed(mostBytes, ({ index }) => index.bytes);
  }

  /** Approximate memory of all catalogs. */
  get bytes(): number {
    return this.#catalogs.size;
  }

  /** The catalog with every write that was committed before the call. Callers do not change it. */
  async of(storeId: string, deadline: Deadline = noDeadline): Promise<CatalogIndex> {
    const db = this.#database.reader(deadline).forStore(storeId);
    let state = await stateOf(db);
    if (this.#isBehind(storeId, state)) {
      // others may have come first; if not, the store's writes are counted anew
      state = await stateOf(db);
      if (this.#isBehind(storeId, state)) this.#catalogs.delete(storeId);
    }
    const known = this.#catalogs.get(storeId);
    if (known && isCurrent(known, state)) return known.index;
    // who comes while an earlier state is read must not be given that one
    return this.#reading.run(`${storeId} ${state.writes} ${state.unnumbered}`, deadline, (shared) =>
      this.#renew(storeId, state, this.#database.reader(shared).forStore(storeId)),
    );
  }

  #isBehind(storeId: string, { writes }: State): boolean {
    return writes < (this.#catalogs.get(storeId)?.writes ?? 0);
  }

  async #renew(storeId: string, state: State, db: StoreRunner): Promise<CatalogIndex> {
    const known = this.#catalogs.get(storeId);
    const isUsable = known?.unnumbered === state.unnumbered && !isWasted(known.index);
    if (known && isUsable) await follow(db, known.index, known.writes);
    const index = known && isUsable ? known.index : await readWhole(db);
    // several renewals may overlap; each has read at least what its state has
    const writes = Math.max(state.writes, isUsable ? (known?.writes ?? 0) : 0);
    this.#catalogs.set(storeId, { index, writes, unnumbered: state.unnumbered });
    return index;
  }
}

const isCurrent = (known: StoreCatalog, state: State): boolean =>
  known.unnumbered === state.unnumbered && known.writes >= state.writes;

const isWasted = (index: CatalogIndex): boolean => index.entries.length > smallest && index.wasted > mostWasted;

async function stateOf(db: StoreRunner): Promise<State> {
  const row = await db.first(sql<State>`
    SELECT writes, writes - numbered AS unnumbered FROM catalog_states WHERE store_id = ${ownStore}`);
  return row ?? { writes: 0, unnumbered: 0 };
}

async function readWhole(db: StoreRunner): Promise<CatalogIndex> {
  const index = new CatalogIndex();
  let after = "";
  while (index.products < mostProducts) {
    const rows = await db.all(productsWhere(sql`p.product_id > ${after}`, sql`p.product_id`));
    put(index, rows);
    if (rows.length < productsAtOnce) break;
    after = rows.at(-1)?.product_id ?? after;
  }
  return index;
}

/** Brings what was written after a write into an index. */
async function follow(db: StoreRunner, index: CatalogIndex, writes: number): Promise<void> {
  let [written, after] = [writes + 1, ""];
  for (;;) {
    const isLater = sql`(p.written, p.product_id) > (${written}::bigint, ${after}::text)`;
    const rows = await db.all(productsWhere(isLater, sql`p.written, p.product_id`));
    put(index, rows);
    const last = rows.at(-1);
    if (last === undefined || last.written === null || rows.length < productsAtOnce) return;
    [written, after] = [last.written, last.product_id];
  }
}

const productsWhere = (condition: Statement, order: Statement) => sql<ProductRow>`
  SELECT p.product_id, left(p.title, 255) AS title, p.vendor, p.product_type, p.tags, p.published_at, p.written,
    ${isInShop} AS in_shop,
    ARRAY(SELECT m.collection_id FROM collection_products m
      WHERE m.store_id = ${ownStore} AND m.product_id = p.product_id) AS collections,
    coalesce((SELECT jsonb_agg(jsonb_build_array(w.variant_id, w.price, w.available, w.stock, w.options)
        ORDER BY w.position, w.variant_id)
      FROM (SELECT v.variant_id, v.position, v.price::text AS price, v.options, ${available} AS available,
          CASE WHEN i.tracked IS NOT FALSE AND v.stock > 0 THEN v.stock::text END AS stock
        FROM product_variants v
        LEFT JOIN inventory_items i ON i.store_id = ${ownStore} AND i.inventory_item_id = v.inventory_item_id
        WHERE v.store_id = ${ownStore} AND v.product_id = p.product_id AND NOT v.id_only
        ORDER BY v.position, v.variant_id LIMIT ${variantsEach}) w), '[]') AS variants
  FROM products p WHERE p.store_id = ${ownStore} AND ${condition}
  ORDER BY ${order} LIMIT ${productsAtOnce}`;

function put(index: CatalogIndex, rows: readonly ProductRow[]): void {
  for (const { in_shop, tags, published_at, variants, written: _, ...row } of rows) {
    if (!in_shop) index.remove(row.product_id);
    else {
      index.put({
        ...row,
        tags: tags ?? [],
        published_at: published_at?.getTime() ?? null,
        variants: variants.map(([variant_id, price, canBuy, stock, options]) => ({
          variant_id,
          price: numberOf(price),
          available: canBuy,
          stock: numberOf(stock),
          options: options ?? [],
        })),
      });
    }
  }
}

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));
