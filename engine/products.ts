import { holds } from "./conditions.ts";
import type { Answers, PickedProducts, ProductPick } from "./document.ts";
import type { Quiz } from "./quiz.ts";
import { pointsOf, winnerOf } from "./score.ts";
import { countedAnswers } from "./visibility.ts";

/** A product that a block shows; `position` counts from 1, as `products_shown` reports it. */
export interface ShownProduct {
  product_id: string;
  variant_id: string | null;
  position: number;
  source: "fixed" | "winner" | "answers" | "rules" | "fallback";
}

/**
 * The products that a block shows for these answers, in document order, at most `limit` [engine.products]. By the
 * block's source: `fixed` all products; `winner` those of the winning dimension; `answers` those whose `when` holds for
 * the counted answers. In a `winner` block a product without a dimension, and in an `answers` block one without a
 * condition, is always shown; fields of another source are ignored. A product listed twice (same variant) is shown
 * once. An unknown block shows nothing. Not for blocks with rules, which the server fills (pick-by-rules.ts).
 */
export function productsToShow(quiz: Quiz, block_key: string, answers: Answers): ShownProduct[] {
  // quizzes with rules are not given to it: whoever fills their blocks puts picks in place of the rules
  const block = quiz.blocks.get(block_key)?.block as PickedProducts | undefined;
  if (block === undefined) return [];
  const picked = picker(quiz, block, answers);
  const shown = new Map<string, ShownProduct>();
  for (const product of block.products) {
    if (shown.size >= block.limit) break;
    const { product_id, variant_id } = product;
    const identity = JSON.stringify([product_id, variant_id]);
    if (shown.has(identity) || !picked(product)) continue;
    shown.set(identity, { product_id, variant_id, position: shown.size + 1, source: block.source });
  }
  return [...shown.values()];
}

function picker(quiz: Quiz, block: PickedProducts, answers: Answers): (product: ProductPick) => boolean {
  if (block.source === "fixed") return () => true;
  const counted = countedAnswers(quiz, answers);
  if (block.source === "answers") return ({ when }) => when === null || holds(when, counted, quiz);
  const winner = winnerOf(pointsOf(quiz, counted))?.dimension_id;
  return ({ dimension_id }) => dimension_id === null || dimension_id === winner;
}
