import type { Page } from "../../../engine/document.ts";
import { picksOf } from "../../../engine/quiz.ts";

const atMost = 1_000;

/** The distinct products and variants that a document names, in document order. Pure. */
export function namedProducts(pages: readonly Page[]): { products: string[]; variants: string[] } {
  const products = new Set<string>();
  const variants = new Set<string>();
  for (const component of pages.flatMap((page) => page.components)) {
    if (component.kind !== "products") continue;
    if (component.source === "rules")
      for (const selector of [component.from, component.fallback?.from, ...component.rules.map(({ match }) => match)])
        for (const product_id of selector?.product_ids ?? []) products.add(product_id);
    for (const { product_id, variant_id } of picksOf(component)) {
      if (product_id !== "") products.add(product_id);
      if (variant_id !== null) variants.add(variant_id);
    }
  }
  return { products: [...products].slice(0, atMost), variants: [...variants].slice(0, atMost) };
}
