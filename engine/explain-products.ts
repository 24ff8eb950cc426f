import type { Refusal } from "./choose-products.ts";
import type { ProductSelector } from "./document.ts";
import { type AskedBlock, type Judged, judgeSteps, keysOf, type PickedByRules, pickedBy } from "./pick-by-rules.ts";
import type { Steps } from "./steps.ts";

/**
 * Why a block with rules shows a product or does not, told by what chose the products themselves [engine.why-products].
 */

/**
 * `not_from`: not among what the block chooses from; `excluded`: by a rule; `not_included`: include rules hold, and no
 * include or score rule matches it; `one_per`: another of its group is shown; `limit`: others come first.
 */
export type NotShown = "not_from" | "excluded" | "not_included" | Refusal | "one_per" | "limit";

export interface ExplainedProduct {
  product_id: string;
  /** null: it is shown */
  not_shown: NotShown | null;
  variant_id: string | null;
  /** the sum of the score rules that matched */
  score: number;
  /** the rules that matched it: those that exclude it, where that is why; else include and score rules */
  rule_keys: string[];
  /** of `one_per`: the product that is shown instead, or would be */
  instead: string | null;
  /** of `limit`: its place in the order, from 1 */
  place: number | null;
}

/** How many products of the catalog each selector matches now, with prices as these answers make them. */
export interface Matches {
  from: number;
  /** in the document's order */
  rules: { rule_key: string; products: number }[];
  fallback: number | null;
}

export interface ExplainedBlock extends PickedByRules {
  /** each product that is shown, in its order, then those that were asked about; those not in the catalog are left out */
  explained: ExplainedProduct[];
  matches: Matches;
}

/** Rules that are counted without a pause. */
const countedAtOnce = 10;

export function* explainSteps(asked: AskedBlock, productIds: readonly string[]): Steps<ExplainedBlock> {
  const judged = yield* judgeSteps(asked);
  const picked = pickedBy(judged);
  const ids = new Set([...picked.products.map(({ product_id }) => product_id), ...productIds]);
  const explained: ExplainedProduct[] = [];
  for (const id of ids) {
    yield;
    explained.push(...explain(judged, id));
  }
  return { ...picked, explained, matches: yield* countSteps(judged) };
}

function explain(judged: Judged, productId: string): ExplainedProduct[] {
  const { index, fired, choice } = judged;
  const { first, end } = index.placeOf(productId) ?? { first: 0, end: 0 };
  const entries = Array.from({ length: Math.min(end, judged.search.size) - first }, (_, place) => first + place);
  const shown = judged.best.find((at) => entries.includes(at));
  const [at, not_shown] = shown === undefined ? furthest(judged, entries) : [shown, null];
  if (at === undefined) return [];
  const effects = not_shown === "excluded" ? (["exclude"] as const) : (["include", "score"] as const);
  const about = {
    product_id: index.entries[at]?.product_id ?? productId,
    variant_id: index.entries[at]?.variant_id ?? null,
    score: choice.scoreOf(at),
    rule_keys: keysOf(fired, at, effects),
  };
  if (not_shown !== null) return [{ ...about, not_shown, instead: null, place: null }];
  if (shown !== undefined) return [{ ...about, not_shown, instead: null, place: null }];
  return [{ ...about, ...beyond(judged, at) }];
}

const stages: readonly NotShown[] = ["not_from", "excluded", "not_included", "min_score", "sold_out", "min_stock"];

/** The variant that got furthest, the best of those that got through, and what stopped it; null: only the order did. */
function furthest(judged: Judged, entries: readonly number[]): [at: number | undefined, NotShown | null] {
  const reasons = entries.map((at): [number, NotShown | null] => [at, refusalOf(judged, at)]);
  const through = reasons.flatMap(([at, reason]) => (reason === null ? [at] : []));
  if (through.length > 0) {
    const { choice, block } = judged;
    const isFirst = (at: number, other: number): boolean =>
      block.unit === "product" ? choice.isBetter(at, other) : choice.compare(at, other) < 0;
    return [through.reduce((best, at) => (isFirst(at, best) ? at : best)), null];
  }
  const stageOf = (reason: NotShown | null): number => (reason === null ? -1 : stages.indexOf(reason));
  const last = Math.max(...reasons.map(([, reason]) => stageOf(reason)));
  return reasons.find(([, reason]) => stageOf(reason) === last) ?? [undefined, null];
}

function refusalOf({ from, excluded, wanted, choice }: Judged, at: number): NotShown | null {
  if (!from.has(at)) return "not_from";
  if (excluded.has(at)) return "excluded";
  if (wanted !== null && !wanted.has(at)) return "not_included";
  return choice.refusal(at);
}

/** Of a candidate that the order leaves out: another of its group, or those before it. */
function beyond(
  { index, block, choice, candidates }: Judged,
  at: number,
): Pick<ExplainedProduct, "not_shown" | "instead" | "place"> {
  const group = block.one_per === null ? -1 : index.groups[block.one_per].at(at);
  if (block.one_per !== null && group >= 0) {
    const groups = index.groups[block.one_per];
    let first = at;
    choice.each(candidates, (other) => {
      if (groups.at(other) === group) first = other;
    });
    const instead = index.entries[first]?.product_id ?? null;
    if (first !== at) return { not_shown: "one_per", instead, place: null };
  }
  return { not_shown: "limit", instead: null, place: choice.before(candidates, at) + 1 };
}

function* countSteps({ index, block, search }: Judged): Steps<Matches> {
  const count = (selector: ProductSelector | null): number =>
    index.countProducts(search.within(selector, search.all(selector)));
  const rules: Matches["rules"] = [];
  for (const [place, { rule_key, match }] of block.rules.entries()) {
    if (place % countedAtOnce === 0) yield;
    rules.push({ rule_key, products: count(match) });
  }
  return { from: count(block.from), rules, fallback: block.fallback && count(block.fallback.from) };
}
