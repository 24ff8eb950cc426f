import type { LatestResult, Outcome, ShownProduct as ShownProductBody } from "../../contract/profiles.ts";
import type { AnswerValue } from "../../engine/document.ts";
import { ownStore, type StoreRunner, sql } from "../platform/database/sql.ts";
import type { CompiledVersion } from "../quizzes/public.ts";
import type { SessionState, ShownProduct } from "./state.ts";

/** The result page that a shopper reached, as people's pages and webhooks show it [people.result-page]. */

export interface CatalogProduct {
  product_id: string;
  handle: string | null;
  title: string;
  image: string | null;
  /** in the shop's order */
  variants: { variant_id: string; title: string | null; price: string | null }[];
}

/** By product id; includes deleted products, whose names are still known. */
export async function shownCatalog(db: StoreRunner, ids: readonly string[]): Promise<Map<string, CatalogProduct>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all(sql<CatalogProduct>`
    SELECT p.product_id, p.handle, p.title, p.image, coalesce((
      SELECT jsonb_agg(jsonb_build_object('variant_id', v.variant_id, 'title', v.title, 'price', v.price::text)
        ORDER BY v.position, v.variant_id)
      FROM product_variants v WHERE v.store_id = ${ownStore} AND v.product_id = p.product_id), '[]') AS variants
    FROM products p WHERE p.store_id = ${ownStore} AND p.product_id = ANY(${ids}::text[])`);
  return new Map(rows.map((row) => [row.product_id, row]));
}

export interface ShownCatalog {
  products: ReadonlyMap<string, CatalogProduct>;
  /** the store's */
  currency: string;
}

/** A product with its current catalog data. Without a variant, the price is the first variant's. */
export function shownProductBody(
  { block_key, product_id, variant_id }: Pick<ShownProduct, "block_key" | "product_id" | "variant_id">,
  { products, currency }: ShownCatalog,
): ShownProductBody {
  const product = products.get(product_id);
  const variant = variant_id === null ? undefined : product?.variants.find((v) => v.variant_id === variant_id);
  const price = (variant_id === null ? product?.variants[0] : variant)?.price ?? null;
  return {
    block_key,
    product_id,
    currency: product ? currency : null,
    handle: product?.handle ?? null,
    image: product?.image ?? null,
    title: product?.title ?? null,
    variant_id,
    variant_title: variant?.title ?? null,
    price: price === null ? null : Number(price),
  };
}

export interface Finished extends Pick<SessionState, "terminal_page_key"> {
  shown: readonly Pick<ShownProduct, "page_key" | "block_key" | "product_id" | "variant_id">[];
}

/**
 * null for a quiz that ends without a result page. Contains the products that the shopper was shown on it.
 *
 * @param around.version the one that the shopper saw; null if it is gone
 * @param around.title of the page, in the caller's wording
 */
export function sessionResultPage(
  { terminal_page_key: key, shown }: Finished,
  around: ShownCatalog & { version: CompiledVersion | null; title: string | null },
): LatestResult["result_page"] {
  if (key === null) return null;
  const placed = around.version?.quiz.pages.get(key);
  if (placed && placed.page.kind !== "result") return null;
  return {
    page_key: key,
    title: around.title,
    position: placed ? placed.index + 1 : null,
    page_count: around.version?.document.pages.length ?? null,
    shown_products: shown
      .filter((product) => product.page_key === key)
      .map((product) => shownProductBody(product, around)),
    outcome: outcomeOn(key, around),
  };
}

/** A result page's outcome: the dimension that the version gave the page, else the page itself [people.outcome]. */
function outcomeOn(
  page_key: string,
  { version, title }: { version: CompiledVersion | null; title: string | null },
): Outcome {
  const dimension_id = version?.quiz.pages.get(page_key)?.page.outcome?.dimension_id ?? null;
  const dimension = version?.document.dimensions.find((each) => each.dimension_id === dimension_id);
  return { page_key, dimension_id, name: dimension?.name || title || page_key };
}

/** Any answer except a choice, in words for people to read. */
export function answerInWords(answer: AnswerValue): string[] {
  if (!("value" in answer)) return [];
  const { value } = answer;
  if (typeof value !== "object") return [String(value)];
  return [value.time === null ? value.date : `${value.date} ${value.time}`];
}
