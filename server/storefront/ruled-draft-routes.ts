import {
  type CatalogValue,
  type catalogKinds,
  type ExplainedProductAnswer,
  listCatalogValues,
  type PreviewedBlock,
  previewRuledProducts,
  valuesAtMost,
} from "../../contract/ruled-preview.ts";
import { bareId, type CatalogIndex } from "../../engine/catalog-index.ts";
import { checkDocument } from "../../engine/check.ts";
import { compileQuiz } from "../../engine/compile-quiz.ts";
import { explainSteps } from "../../engine/explain-products.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { collectionsTitled } from "../orders/collections.ts";
import { catalogCounts, offeredProducts, statesOf } from "../orders/offered-products.ts";
import type { RuleCatalogs } from "../orders/rule-catalogs.ts";
import type { StoreRunner } from "../platform/database/sql.ts";
import { type DashboardRoute, memberRoute } from "../platform/http/dashboard.ts";
import { pathId, readRoute } from "../platform/http/operations.ts";
import { parseId } from "../platform/ids.ts";
import { inSteps } from "../platform/in-steps.ts";
import { invalidFields, notFound } from "../platform/problems.ts";
import { hasQuiz } from "../quizzes/public.ts";
import { knownAnswers } from "./ruled-products.ts";

/** For authors of rules: what the catalog has to choose from, and what a draft's rules choose of it [editor.rules]. */
export const ruledDraftRoutes = (deps: { catalogs: RuleCatalogs }): DashboardRoute[] => [
  valuesRoute(deps),
  productsRoute(deps),
];

const valuesRoute = ({ catalogs }: { catalogs: RuleCatalogs }) =>
  memberRoute(
    readRoute(listCatalogValues, async ({ caller, query, deadline }, db) => {
      const index = await catalogs.of(caller.store.id, deadline);
      const { kind, q = "" } = query;
      const found = kind === "collection" ? await collectionValues(db, index, q) : await textValues(index, kind, q);
      const catalog = await catalogCounts(db);
      return { data: found.slice(0, valuesAtMost), has_more: found.length > valuesAtMost, catalog };
    }),
  );

async function textValues(
  index: CatalogIndex,
  kind: Exclude<(typeof catalogKinds)[number], "collection">,
  q: string,
): Promise<CatalogValue[]> {
  const texts = await inSteps(index.textsSteps(kind, q));
  return texts.map(({ text, option, products }) => ({ value: text, label: text, option, products }));
}

async function collectionValues(db: StoreRunner, index: CatalogIndex, q: string): Promise<CatalogValue[]> {
  const found = await collectionsTitled(db, q, valuesAtMost + 1);
  return found.map(({ collection_id, title }) => ({
    value: collection_id,
    label: title,
    option: null,
    products: index.countProducts(index.alive({ collections: [collection_id] })),
  }));
}

const productsRoute = ({ catalogs }: { catalogs: RuleCatalogs }) =>
  memberRoute(
    readRoute(previewRuledProducts, async ({ caller, params, body, deadline }, db) => {
      const quizId = pathId((text) => parseId("quiz", text), params["quiz_id"]);
      if (!(await hasQuiz(db, quizId))) throw notFound();
      const quiz = quizOf(body.document);
      const index = await catalogs.of(caller.store.id, deadline);
      const answers = knownAnswers(quiz, body.answers ?? {});
      const asked = body.product_ids ?? [];
      const states = await statesOf(db, asked);
      const blocks: PreviewedBlock[] = [];
      for (const block_key of new Set(body.block_keys)) {
        const block = quiz.blocks.get(block_key)?.block;
        if (block?.source !== "rules") continue;
        const found = await inSteps(explainSteps({ quiz, block, answers, index }, asked));
        const isTold = new Set(found.explained.map(({ product_id }) => bareId(product_id)));
        const others = asked.filter((id) => !isTold.has(bareId(id))).map((id) => notSearched(id, states.get(id)));
        blocks.push({ block_key, ...found, explained: [...found.explained, ...others] });
      }
      const named = {
        anyState: true,
        productIds: [...new Set(blocks.flatMap(({ explained }) => explained.map(({ product_id }) => product_id)))],
        variantIds: blocks.flatMap(({ products }) => products.flatMap(({ variant_id }) => variant_id ?? [])),
      };
      return { blocks, catalog: await offeredProducts(db, named, caller.store) };
    }),
  );

function quizOf(document: unknown): Quiz {
  const checked = checkDocument(document);
  if (checked.ok) return compileQuiz(checked.document);
  throw invalidFields(checked.problems.map(({ path, message }) => ({ field: `document.${path}`, message })));
}

const notSearched = (product_id: string, state: ExplainedProductAnswer["not_shown"] | undefined) => ({
  product_id,
  not_shown: state ?? ("not_in_shop" as const),
  ...{ variant_id: null, score: 0, rule_keys: [], instead: null, place: null },
});
