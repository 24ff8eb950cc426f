import { demoCatalog, type ShopifyProduct, type ShopifyVariant } from "../catalog.ts";

/** Look-ups of the demo shop's products, for its pages and cart. */

export interface Good {
  product: ShopifyProduct;
  variant: ShopifyVariant;
}

const byVariant = new Map(
  demoCatalog.flatMap((product) =>
    product.variants.map((variant): [number, Good] => [variant.id, { product, variant }]),
  ),
);
const byHandle = new Map(demoCatalog.map((product) => [product.handle, product]));

export const goodOf = (variantId: number): Good | null => byVariant.get(variantId) ?? null;
export const productOf = (handle: string): ShopifyProduct | null => byHandle.get(handle) ?? null;

export const isSoldOut = ({ inventory_quantity: left }: ShopifyVariant): boolean => left <= 0;

/** The chosen variant of a product with several; null for a product without a choice. */
export const choiceOf = ({ product, variant }: Good): string | null =>
  product.variants.length > 1 ? variant.title : null;

/** The number in a platform's id in any form: 12, "12" or "gid://shopify/ProductVariant/12". */
export function variantIdOf(value: unknown): number | null {
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") return null;
  const [, digits] = /^(?:gid:\/\/shopify\/ProductVariant\/)?(\d{1,16})$/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
}
