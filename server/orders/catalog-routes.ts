import { nameProducts, searchCatalog } from "../../contract/catalog.ts";
import type { Caller } from "../platform/caller.ts";
import { type CursorBinding, readCursor, writeCursor } from "../platform/cursors.ts";
import { containing } from "../platform/database/like.ts";
import { joined, ownStore, raw, type Statement, type StoreRunner, sql } from "../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../platform/http/dashboard.ts";
import { readRoute } from "../platform/http/operations.ts";
import type { Secrets } from "../platform/secrets.ts";
import { isInShop, offeredProducts } from "./offered-products.ts";
import { globalId } from "./payload.ts";

/** The shop's products, for editors who choose which of them a quiz shows [editor.catalog]. */
export const catalogRoutes = ({ secrets, movedAddresses }: CatalogRouteDeps): DashboardRoute[] => [
  searchRoute(secrets),
  namedRoute(movedAddresses),
];

interface CatalogRouteDeps {
  secrets: Secrets;
  movedAddresses: readonly (readonly [from: string, to: string])[];
}

/** A list by title has no time and UUID to continue from, so its cursor holds the number of products before it. */
const noId = "00000000-0000-0000-0000-000000000000";

const searchRoute = (secrets: Secrets) =>
  memberRoute(
    readRoute(searchCatalog, async ({ caller, query }, db) => {
      const { q = "", cursor, limit = 20, state = "shown" } = query;
      const anyState = state === "any";
      const words = wordsOf(q);
      const binding: CursorBinding = {
        storeId: caller.store.id,
        route: searchCatalog.id,
        filters: anyState ? [state, ...words] : words,
      };
      const before = cursor === undefined ? 0 : readCursor(secrets, binding, cursor).at;
      const ids = await productIds(db, words, { before, limit: limit + 1, anyState });
      const named = { productIds: ids.slice(0, limit), variantIds: [], anyState };
      const data = await offeredProducts(db, named, caller.store);
      const has_more = ids.length > limit;
      const next_cursor = has_more ? writeCursor(secrets, binding, { at: before + limit, id: noId }) : null;
      return { data, has_more, next_cursor };
    }),
  );

const mostWords = 8;
const wordsOf = (q: string): string[] =>
  q
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, mostWords);

async function productIds(
  db: StoreRunner,
  words: readonly string[],
  { before, limit, anyState }: { before: number; limit: number; anyState: boolean },
): Promise<string[]> {
  const matches = words.map((word) => sql`AND (${titleHas(word)} OR p.product_id = ${globalId("Product", word)})`);
  const rows = await db.all(sql<{ product_id: string }>`
    SELECT p.product_id FROM products p
    WHERE p.store_id = ${ownStore} AND ${anyState ? sql`true` : isInShop} ${words.length === 0 ? raw("") : joined(matches, " ")}
    ORDER BY left(p.title, 255), p.product_id OFFSET ${before} LIMIT ${limit}`);
  return rows.map(({ product_id }) => product_id);
}

/**
 * Whether the title contains the word, case-insensitively. ILIKE takes ten times as long as LIKE over byte-wise
 * lower-cased ASCII, so it runs only on titles that contain the word's ASCII parts.
 */
function titleHas(word: string): Statement {
  const rough = containing(word.replace(/[A-Z]/g, (letter) => letter.toLowerCase())).replace(/[^\x20-\x7e]+/g, "%");
  const roughly = sql`lower(left(title, 255) COLLATE "C") LIKE ${rough}`;
  const isAscii = /^[\x20-\x7e]*$/.test(word);
  return isAscii ? roughly : sql`(${roughly} AND left(title, 255) ILIKE ${containing(word)})`;
}

const namedRoute = (moved: CatalogRouteDeps["movedAddresses"]) =>
  memberRoute(
    readRoute(nameProducts, async ({ caller, body }, db) => {
      const { name, currency } = caller.store;
      const data = await offered(db, caller, body.product_ids, body.variant_ids);
      return { store: { name, currency }, data, moved_addresses: moved.map(([from, to]) => ({ from, to })) };
    }),
  );

const offered = (db: StoreRunner, { store }: Caller, ids: readonly string[], variantIds: readonly string[] = []) =>
  offeredProducts(db, { productIds: [...new Set(ids)], variantIds }, store);
