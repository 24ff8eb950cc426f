import type { ProductsShown } from "../../contract/storefront.ts";
import type { KeptEventOf } from "./kept-event.ts";
import type { ShownProduct } from "./state.ts";

type Reported = ProductsShown["products"][number];

/** Key of a shown product: each counts once per block, and variants of a product count separately. */
export const shownKey = (block_key: string, { product_id, variant_id = null }: Omit<Reported, "source">): string =>
  JSON.stringify([block_key, product_id, variant_id]);

/** A state's shown products, by key. */
export const shownByKey = (shown: readonly ShownProduct[]): Map<string, ShownProduct> =>
  new Map(shown.map((product) => [shownKey(product.block_key, product), product]));

/**
 * Adds the products that `products_shown` reported, each as it was first shown [sessions.shown-products]. Showings
 * after the finish count: most results are drawn just then.
 */
export function applyShown(
  shown: Map<string, ShownProduct>,
  event: KeptEventOf<"products_shown">,
  first_at: number,
): void {
  const { page_key, block_key } = event;
  for (const product of event.products) {
    const { product_id, variant_id = null, position = null, source = null } = product;
    const key = shownKey(block_key, product);
    if (!shown.has(key)) shown.set(key, { page_key, block_key, product_id, variant_id, position, source, first_at });
  }
}
