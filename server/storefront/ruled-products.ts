import type { RuledBlockAnswer, RuledProductsRequest } from "../../contract/storefront-products.ts";
import { normaliseAnswer } from "../../engine/answers.ts";
import type { AnswerValue } from "../../engine/document.ts";
import { pickSteps } from "../../engine/pick-by-rules.ts";
import type { Quiz } from "../../engine/quiz.ts";
import { type OfferedProduct, offeredProducts } from "../orders/offered-products.ts";
import type { RuleCatalogs } from "../orders/rule-catalogs.ts";
import type { Store } from "../platform/caller.ts";
import type { Database } from "../platform/database/database.ts";
import type { Deadline } from "../platform/deadline.ts";
import { inSteps } from "../platform/in-steps.ts";

/** What blocks with rules show, from the shop's catalog as it is now [storefront.ruled-products]. */

export interface RuledProductsAnswer {
  blocks: RuledBlockAnswer[];
  catalog: OfferedProduct[];
}

interface Asked {
  quiz: Quiz;
  answers: RuledProductsRequest["answers"];
  block_keys: readonly string[];
}

export async function ruledProducts(
  { database, catalogs }: { database: Database; catalogs: RuleCatalogs },
  store: Store,
  { quiz, answers, block_keys }: Asked,
  deadline?: Deadline,
): Promise<RuledProductsAnswer> {
  const index = await catalogs.of(store.id, deadline);
  const known = knownAnswers(quiz, answers ?? {});
  const blocks: RuledBlockAnswer[] = [];
  for (const block_key of new Set(block_keys)) {
    const block = quiz.blocks.get(block_key)?.block;
    if (block?.source !== "rules") continue;
    blocks.push({ block_key, ...(await inSteps(pickSteps(quiz, block, known, index))) });
  }
  const shown = blocks.flatMap(({ products }) => products);
  const named = {
    productIds: [...new Set(shown.map(({ product_id }) => product_id))],
    variantIds: shown.flatMap(({ variant_id }) => variant_id ?? []),
  };
  const catalog = await offeredProducts(database.reader(deadline).forStore(store.id), named, store);
  const isThere = new Set(catalog.map(({ product_id }) => product_id));
  return { blocks: blocks.map((block) => offeredOf(block, isThere)), catalog };
}

/** Without products that went meanwhile. */
function offeredOf({ products, ...block }: RuledBlockAnswer, isThere: ReadonlySet<string>): RuledBlockAnswer {
  const left = products.filter(({ product_id }) => isThere.has(product_id));
  return { ...block, products: left.map((product, index) => ({ ...product, position: index + 1 })) };
}

/** Answers to questions of the version that are valid there; others count as not given. */
export function knownAnswers(
  quiz: Quiz,
  answers: NonNullable<RuledProductsRequest["answers"]>,
): Map<string, AnswerValue> {
  const known = new Map<string, AnswerValue>();
  for (const [component_key, raw] of Object.entries(answers)) {
    const question = quiz.questions.get(component_key);
    const answer = question && normaliseAnswer(question.component, raw);
    if (answer?.ok && answer.value !== null) known.set(component_key, answer.value);
  }
  return known;
}
