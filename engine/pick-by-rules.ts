import { Bits } from "./bits.ts";
import type { CatalogIndex } from "./catalog-index.ts";
import { Choice } from "./choose-products.ts";
import { holds } from "./conditions.ts";
import type { Answers, PriceBound, ProductRule, ProductSelector, RuledProducts } from "./document.ts";
import type { Quiz } from "./quiz.ts";
import { formulaValues, pointsOf } from "./score.ts";
import type { Steps } from "./steps.ts";
import { countedAnswers } from "./visibility.ts";

/**
 * Which products of a shop's catalog a block with rules shows, and why another is not shown [engine.product-rules].
 *
 * Everything is decided for each variant, by its own price, options, availability and stock. A block whose unit is the
 * product shows a product once, by its best variant, available ones first.
 */

export interface RuledPick {
  product_id: string;
  /** null: the product has none */
  variant_id: string | null;
  /** from 1 */
  position: number;
  source: "rules" | "fallback";
  /** the keys of the include and score rules that matched it, in the document's order */
  reasons: string[];
}

export interface PickedByRules {
  products: RuledPick[];
  /** the keys of the rules whose condition held */
  rule_keys: string[];
}

/** Rules that are looked at without a pause; each takes some hundredths of a millisecond. */
const rulesAtOnce = 40;

export interface AskedBlock {
  quiz: Quiz;
  block: RuledProducts;
  answers: Answers;
  index: CatalogIndex;
}

export function* pickSteps(
  quiz: Quiz,
  block: RuledProducts,
  answers: Answers,
  index: CatalogIndex,
): Steps<PickedByRules> {
  return pickedBy(yield* judgeSteps({ quiz, block, answers, index }));
}

/** What the rules made of a catalog for these answers. */
export interface Judged {
  index: CatalogIndex;
  block: RuledProducts;
  fired: FiredRule[];
  search: Search;
  /** what `from` names */
  from: Bits;
  /** what include and score rules matched; null: no include rule held, and all of `from` are candidates */
  wanted: Bits | null;
  excluded: Bits;
  candidates: Bits;
  choice: Choice;
  /** what is shown, in its order */
  best: number[];
  source: "rules" | "fallback";
}

interface FiredRule {
  rule: ProductRule;
  matches: Bits;
}

/** Searches a catalog as it is at the beginning; what comes during the pauses is not seen. */
export function* judgeSteps({ quiz, block, answers, index }: AskedBlock): Steps<Judged> {
  const counted = countedAnswers(quiz, answers);
  const search = new Search(index, priceReader(quiz, counted));
  const from = search.within(block.from, search.all(block.from));
  const others = block.fallback && search.all(block.fallback.from);
  const excluded = search.none();
  const wanted = search.none();
  const scores = new Float64Array(search.size);
  const fired: FiredRule[] = [];
  let includes = false;
  for (const [place, rule] of block.rules.entries()) {
    if (place % rulesAtOnce === rulesAtOnce - 1) yield;
    if (rule.when !== null && !holds(rule.when, counted, quiz)) continue;
    const matches = search.within(rule.match, index.matching(rule.match));
    fired.push({ rule, matches });
    if (rule.effect === "exclude") excluded.or(matches);
    else wanted.or(matches);
    if (rule.effect === "include") includes = true;
    if (rule.effect === "score") matches.addTo(scores, rule.score ?? 0, from);
  }
  yield;
  if (fired.some(({ rule }) => !Number.isInteger(rule.score ?? 0))) round(scores);
  const candidates = from.copy();
  candidates.andNot(excluded);
  if (includes) candidates.and(wanted);
  const choice = new Choice({ index, block, least: block.min_score, scores });
  const best = choice.first(candidates, block.limit);
  const judged = { index, block, fired, search, from, wanted: includes ? wanted : null, excluded, candidates, choice };
  if (best.length > 0 || block.fallback === null || others === null) return { ...judged, best, source: "rules" };
  yield;
  const rest = search.within(block.fallback.from, others);
  rest.andNot(excluded);
  const unscored = new Choice({ index, block, least: null, scores: new Float64Array(search.size) });
  return { ...judged, best: unscored.first(rest, block.fallback.limit), source: "fallback" };
}

/** Without it, 0.7 + 0.1 would be below 0.8. */
function round(scores: Float64Array): void {
  for (let at = 0; at < scores.length; at += 1) scores[at] = Math.round((scores[at] ?? 0) * 1e6) / 1e6;
}

export function pickedBy({ index, fired, best, source }: Judged): PickedByRules {
  const products = best.map((at, place) => ({
    product_id: index.entries[at]?.product_id ?? "",
    variant_id: index.entries[at]?.variant_id ?? null,
    position: place + 1,
    source,
    reasons: source === "rules" ? keysOf(fired, at, ["include", "score"]) : [],
  }));
  return { products, rule_keys: fired.map(({ rule }) => rule.rule_key) };
}

/** The rules with these effects that matched an entry, in the document's order. */
export const keysOf = (fired: readonly FiredRule[], at: number, effects: readonly ProductRule["effect"][]): string[] =>
  fired.flatMap(({ rule, matches }) => (effects.includes(rule.effect) && matches.has(at) ? [rule.rule_key] : []));

type ReadPrice = (bound: PriceBound | undefined) => number | null;

/** The value of a price's bound for these answers; null: none, and the bound is left out. */
function priceReader(quiz: Quiz, counted: Answers): ReadPrice {
  const formulaOf = formulaValues(quiz, counted, pointsOf(quiz, counted));
  return (bound) => {
    if (bound === undefined) return null;
    if (typeof bound === "string") return Number(bound);
    if ("formula" in bound) return formulaOf(bound.formula);
    const answer = counted.get(bound.component_key);
    return answer && "value" in answer && typeof answer.value === "number" ? answer.value : null;
  };
}

class Search {
  readonly #index: CatalogIndex;
  readonly size: number;
  readonly #read: ReadPrice;

  constructor(index: CatalogIndex, read: ReadPrice) {
    this.#index = index;
    this.size = index.entries.length;
    this.#read = read;
  }

  none(): Bits {
    return new Bits(this.size);
  }

  all(selector: ProductSelector | null): Bits {
    return this.#index.alive(selector);
  }

  /** Of what a selector found whatever the price, what is within its price, too. */
  within(selector: ProductSelector | null, found: Bits): Bits {
    const [min, max] = [this.#read(selector?.price?.min), this.#read(selector?.price?.max)];
    if (min === null && max === null) return found;
    const [least, most] = [min ?? 0, max ?? Number.POSITIVE_INFINITY];
    const within = this.none();
    const { prices } = this.#index;
    found.forEach((at) => {
      const price = prices.at(at);
      // an unknown price is within no bounds
      if (price >= least && price <= most) within.set(at);
    });
    return within;
  }
}
