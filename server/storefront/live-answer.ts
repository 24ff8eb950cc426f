import type { QuizDocument } from "../../engine/document.ts";
import { picksOf } from "../../engine/quiz.ts";
import { type NamedProducts, type OfferedProduct, offerBounds, offeredProducts } from "../orders/offered-products.ts";
import type { StoreRunner } from "../platform/database/sql.ts";
import type { ShopFacts } from "../quizzes/public.ts";

/**
 * What a shopper's browser needs in addition to a quiz's document: the shop, and the products that the document names.
 */
export interface Surroundings {
  store: { name: string; currency: string };
  catalog: OfferedProduct[];
}

/** The products in a document's blocks, in order, up to an answer's maximum, with the variants it names. */
export function namedProducts({ pages }: QuizDocument): NamedProducts {
  const productIds = new Set<string>();
  const variantIds = new Set<string>();
  for (const component of pages.flatMap((page) => page.components)) {
    if (component.kind !== "products") continue;
    for (const { product_id, variant_id } of picksOf(component)) {
      if (productIds.size === offerBounds.products && !productIds.has(product_id)) continue;
      productIds.add(product_id);
      if (variant_id !== null) variantIds.add(variant_id);
    }
  }
  return { productIds: [...productIds], variantIds: [...variantIds] };
}

export async function surroundingsOf(db: StoreRunner, named: NamedProducts, shop: ShopFacts): Promise<Surroundings> {
  const { name, currency } = shop;
  return { store: { name, currency }, catalog: await offeredProducts(db, named, shop) };
}
