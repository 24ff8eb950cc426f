import { useMemo, useState } from "react";
import type { ProductPick, QuizDocument } from "../../../engine/document.ts";
import type { CatalogProduct } from "../../api/generated.ts";
import { useDocument, useSame } from "../context.tsx";
import { freshPick } from "../document/fresh.ts";
import { type Ruled, useRuled } from "../ruled-products.tsx";

/** What blocks with rules show in the preview [editor.why-products]. */

export interface DrawnRules {
  /** by block: its products, or a sentence instead */
  blocks: ReadonlyMap<string, readonly ProductPick[] | string>;
  products: ReadonlyMap<string, CatalogProduct>;
}

/**
 * It changes only while a page shows such a block: drawing anew takes the cursor out of a field of the preview that
 * somebody types in.
 */
export function useDrawnRules(page: string | null): DrawnRules {
  const ruled = useRuled();
  const pages = useDocument((document) => document.pages);
  const entries = useSame(useMemo(() => entriesOf(pages, ruled), [pages, ruled]));
  const { products } = ruled;
  const drawn = useMemo((): DrawnRules => ({ blocks: new Map(entries), products }), [entries, products]);
  const [kept, setKept] = useState(drawn);
  const parts = pages.find(({ page_key }) => page_key === page)?.components ?? [];
  const isShown = parts.some((part) => part.kind === "products" && part.source === "rules");
  if (isShown && kept !== drawn) setKept(drawn);
  return isShown ? drawn : kept;
}

const sentences: Record<Exclude<Ruled["state"], "ready">, string> = {
  none: "Choosing products…",
  loading: "Choosing products…",
  flawed: "Products by rule: correct the errors of this draft to see them.",
  failed: "The products could not be loaded.",
};

type Entry = [block_key: string, shown: readonly ProductPick[] | string];

const entriesOf = (pages: QuizDocument["pages"], { state, blocks }: Ruled): Entry[] =>
  pages.flatMap(({ components }) =>
    components.flatMap((part): Entry[] => {
      if (part.kind !== "products" || part.source !== "rules") return [];
      const products = blocks.get(part.block_key)?.products;
      if (products === undefined) return [[part.block_key, sentences[state === "ready" ? "loading" : state]]];
      if (products.length === 0) return [[part.block_key, "No product is left for these answers."]];
      return [[part.block_key, products.map(({ product_id, variant_id }) => freshPick(product_id, variant_id))]];
    }),
  );
