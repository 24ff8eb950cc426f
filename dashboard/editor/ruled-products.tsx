import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { createContext, useContext, useMemo, useState } from "react";
import type { AnswerValue, QuizDocument } from "../../engine/document.ts";
import { type CatalogProduct, type PreviewedBlock, previewRuledProducts } from "../api/generated.ts";
import { useApi } from "../app/api.ts";
import { problemOf } from "../app/problems.ts";
import { useDocument, useEditor, useSame, useUi } from "./context.tsx";

/** What the draft's rules choose of the shop's catalog, for the preview's answers [editor.why-products]. */

export interface Ruled {
  /** `flawed`: the draft could not be a version, so that nothing is chosen */
  state: "none" | "loading" | "ready" | "flawed" | "failed";
  blocks: ReadonlyMap<string, PreviewedBlock>;
  products: ReadonlyMap<string, CatalogProduct>;
  /** products that somebody wants to know about, shown or not */
  asked: readonly string[];
  ask: (product_ids: readonly string[]) => void;
  error: unknown;
  retry: () => void;
}

const nothingRuled: Ruled = {
  state: "none",
  blocks: new Map(),
  products: new Map(),
  asked: [],
  ask: () => undefined,
  error: null,
  retry: () => undefined,
};

const RuledContext = createContext<Ruled>(nothingRuled);
export const useRuled = (): Ruled => useContext(RuledContext);

/** From the last change to the question, in ms. */
const askAfterMs = 400;
/** As many as one request takes. */
const blocksAtMost = 20;

const ruledKeys = ({ pages }: QuizDocument): string[] =>
  pages.flatMap(({ components }) =>
    components.flatMap((part) => (part.kind === "products" && part.source === "rules" ? [part.block_key] : [])),
  );

export function WithRuledProducts({ children }: { children: React.ReactNode }) {
  const api = useApi();
  const { quizId } = useEditor();
  const document = useDocument((whole) => whole);
  // the preview reports its answers whenever it is drawn, also unchanged ones
  const given = useUi((state) => state.answers);
  const answers = useSame(useMemo(() => sent(given), [given]));
  const [asked, ask] = useState<readonly string[]>([]);
  const asking = useMemo(() => ({ document, answers }), [document, answers]);
  const [settled] = useDebouncedValue(asking, askAfterMs);
  const keys = useMemo(() => ruledKeys(settled.document).slice(0, blocksAtMost), [settled]);
  const found = useQuery({
    queryKey: ["ruled", quizId, numberOf(settled), asked],
    queryFn: ({ signal }) =>
      previewRuledProducts(
        api,
        {
          path: { quiz_id: quizId },
          body: {
            document: { ...settled.document },
            answers: settled.answers,
            block_keys: keys,
            product_ids: [...asked],
          },
        },
        { signal },
      ),
    enabled: keys.length > 0,
    placeholderData: (before) => before,
    retry: false,
    gcTime: 0,
  });
  const { error, refetch } = found;
  const data = useSame(found.data);
  const ruled = useMemo((): Ruled => {
    if (keys.length === 0) return { ...nothingRuled, asked, ask };
    const isFlawed = error !== null && problemOf(error).status === 422;
    const state = error !== null ? (isFlawed ? "flawed" : "failed") : data ? "ready" : "loading";
    return {
      state,
      blocks: new Map(data?.blocks.map((block) => [block.block_key, block])),
      products: new Map(data?.catalog.map((product) => [product.product_id, product])),
      asked,
      ask,
      error,
      retry: () => void refetch(),
    };
  }, [keys, data, error, refetch, asked]);
  return <RuledContext value={ruled}>{children}</RuledContext>;
}

const sent = (answers: ReadonlyMap<string, AnswerValue>) =>
  Object.fromEntries(
    Array.from(answers, ([key, answer]) => [
      key,
      "option_ids" in answer ? { option_ids: [...answer.option_ids] } : { value: answer.value },
    ]),
  );

/** Numbers documents for the keys of requests: comparing their text would read up to a megabyte each time. */
const numbers = new WeakMap<object, number>();
let last = 0;

function numberOf(asked: object): number {
  const known = numbers.get(asked);
  if (known !== undefined) return known;
  last += 1;
  numbers.set(asked, last);
  return last;
}
