import type { AddedProduct, ShownProduct, StoredEvent } from "./state.ts";

/**
 * The products that `products_shown` reported, each once for a block, as it was first shown there; variants of one
 * product are told apart. Showings after the finish count: most results are drawn just then (6.1).
 */
export function shownProducts(events: readonly StoredEvent[]): ShownProduct[] {
  const shown = new Map<string, ShownProduct>();
  for (const event of events) {
    if (event.type !== "products_shown") continue;
    const { page_key, block_key, time: first_at } = event;
    for (const product of event.products) {
      const { product_id, variant_id = null, position = null, source = null } = product;
      const key = JSON.stringify([block_key, product_id, variant_id]);
      if (shown.has(key)) continue;
      shown.set(key, { page_key, block_key, product_id, variant_id, position, source, first_at });
    }
  }
  return [...shown.values()];
}

/** What was put into the cart from the quiz, in order. */
export function addedProducts(events: readonly StoredEvent[]): AddedProduct[] {
  return events
    .filter((event) => event.type === "product_added")
    .map(({ product_id, variant_id = null, quantity, time, id: event_id }) => {
      return { product_id, variant_id, quantity, time, event_id };
    });
}
