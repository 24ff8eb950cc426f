import type { ProductsComponent } from "../../engine/document.ts";
import type { ShownProduct } from "../../engine/products.ts";
import type { CatalogProduct, CatalogVariant } from "../live-quiz.ts";
import type { Stage } from "./stage.ts";
import type { CartLine } from "./types.ts";

/** A product of a block with its catalog data: the content of a card. */
export interface Offer {
  shown: ShownProduct;
  product: CatalogProduct;
}

/**
 * The products that a block shows: only those in the catalog [player.products], since others have neither title nor
 * price.
 */
export function offersOf({ view, options }: Stage, block: ProductsComponent): Offer[] {
  const shown = view.products.get(block.block_key) ?? [];
  return shown.flatMap((entry) => {
    const product = options.live.catalog.find(({ product_id }) => product_id === entry.product_id);
    return product === undefined ? [] : { shown: entry, product };
  });
}

/** The variants to choose from: all, or the one that the document names, if the shop has it [player.variants]. */
export const variantsOf = ({ shown, product }: Offer): readonly CatalogVariant[] =>
  shown.variant_id === null
    ? product.variants
    : product.variants.filter(({ variant_id }) => variant_id === shown.variant_id);

export const isAvailable = (variant: CatalogVariant): boolean => variant.available !== false;

/** Whether the variant can be added; without one, whether the catalog has none of the product at all. */
export const canBeAdded = ({ product }: Offer, variant: CatalogVariant | undefined): boolean =>
  variant === undefined ? product.variants.length === 0 : isAvailable(variant);

/** The chosen variant, else the first available one. */
export function variantIn(offer: Offer, variantId: string | undefined): CatalogVariant | undefined {
  const variants = variantsOf(offer);
  return variants.find(({ variant_id }) => variant_id === variantId) ?? variants.find(isAvailable) ?? variants[0];
}

export const lineOf = (offer: Offer, variant: CatalogVariant | undefined): CartLine => ({
  product_id: offer.shown.product_id,
  variant_id: variant?.variant_id ?? offer.shown.variant_id,
  quantity: 1,
});
