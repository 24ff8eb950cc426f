import { Bits, type CatalogIndex, type Entry, folded } from "./catalog-index.ts";
import { holds } from "./conditions.ts";
import type { Answers, PriceBound, ProductRule, ProductSelector, RuledProducts } from "./document.ts";
import type { Quiz } from "./quiz.ts";
import { formulaValues, pointsOf } from "./score.ts";
import type { Steps } from "./steps.ts";
import { countedAnswers } from "./visibility.ts";

/**
 * Which products of a shop's catalog a block with rules shows [engine.product-rules].
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

export function* pickSteps(
  quiz: Quiz,
  block: RuledProducts,
  answers: Answers,
  index: CatalogIndex,
): Steps<PickedByRules> {
  const counted = countedAnswers(quiz, answers);
  const search = new Search(index, priceReader(quiz, counted));
  const from = search.find(block.from);
  const excluded = search.none();
  const wanted = search.none();
  const scores = new Float64Array(search.size);
  const fired: FiredRule[] = [];
  let includes = false;
  for (const [place, rule] of block.rules.entries()) {
    if (place % rulesAtOnce === rulesAtOnce - 1) yield;
    if (rule.when !== null && !holds(rule.when, counted, quiz)) continue;
    const matches = search.find(rule.match);
    fired.push({ rule, matches });
    if (rule.effect === "exclude") excluded.or(matches);
    else wanted.or(matches);
    if (rule.effect === "include") includes = true;
    if (rule.effect === "score") addScore(scores, matches, from, rule.score ?? 0);
  }
  yield;
  const candidates = from.copy();
  candidates.andNot(excluded);
  if (includes) candidates.and(wanted);
  const rule_keys = fired.map(({ rule }) => rule.rule_key);
  const choice = { block, limit: block.limit, least: block.min_score };
  const best = new Choice(search, choice, (at) => scores[at] ?? 0).of(candidates);
  const { fallback } = block;
  if (best.length > 0 || fallback === null) return { products: picks(best, "rules", fired), rule_keys };
  yield;
  const others = search.find(fallback.from).copy();
  others.andNot(excluded);
  const rest = new Choice(search, { block, limit: fallback.limit, least: null }, () => 0).of(others);
  return { products: picks(rest, "fallback", []), rule_keys };
}

interface FiredRule {
  rule: ProductRule;
  matches: Bits;
}

function addScore(scores: Float64Array, matches: Bits, from: Bits, score: number): void {
  matches.forEach((at) => {
    scores[at] = (scores[at] ?? 0) + score;
  }, from);
}

const picks = (best: readonly Found[], source: RuledPick["source"], fired: readonly FiredRule[]): RuledPick[] =>
  best.map(({ at, entry: { product, variant } }, place) => ({
    product_id: product.product_id,
    variant_id: variant?.variant_id ?? null,
    position: place + 1,
    source,
    reasons: fired.flatMap(({ rule, matches }) =>
      rule.effect !== "exclude" && matches.has(at) ? [rule.rule_key] : [],
    ),
  }));

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

/** Searches a catalog as it is at the beginning; what comes during the pauses is not seen. */
class Search {
  readonly index: CatalogIndex;
  readonly size: number;
  readonly #read: ReadPrice;

  constructor(index: CatalogIndex, read: ReadPrice) {
    this.index = index;
    this.size = index.entries.length;
    this.#read = read;
  }

  none(): Bits {
    return new Bits(this.size);
  }

  find(selector: ProductSelector | null): Bits {
    const found = this.index.select(selector);
    const [min, max] = [this.#read(selector?.price?.min), this.#read(selector?.price?.max)];
    if (min === null && max === null) return found;
    const within = this.none();
    const { prices } = this.index;
    found.forEach((at) => {
      const price = prices[at] ?? Number.NaN;
      // an unknown price is within no bounds
      if (price >= (min ?? 0) && price <= (max ?? Number.POSITIVE_INFINITY)) within.set(at);
    });
    return within;
  }
}

interface Found {
  at: number;
  entry: Entry;
  score: number;
  /** whether it comes after all that can be bought */
  isLast: boolean;
}

/** The first of a set of entries in a block's order, one of each product or group. */
class Choice {
  readonly #search: Search;
  readonly #block: RuledProducts;
  readonly #limit: number;
  readonly #least: number | null;
  readonly #scoreOf: (at: number) => number;

  constructor(
    search: Search,
    { block, limit, least }: { block: RuledProducts; limit: number; least: number | null },
    scoreOf: (at: number) => number,
  ) {
    this.#search = search;
    this.#block = block;
    this.#limit = limit;
    this.#least = least;
    this.#scoreOf = scoreOf;
  }

  of(candidates: Bits): Found[] {
    const first: Found[] = [];
    const groups = new Map<string, Found>();
    const take = (found: Found): void => {
      const group = this.#groupOf(found.entry);
      if (group === null) this.#insert(first, found);
      else {
        const other = groups.get(group);
        if (other === undefined || this.#compare(found, other) < 0) groups.set(group, found);
      }
    };
    // of a product its best entry, if the block shows products; a product's entries follow each other
    let best: Found | null = null;
    candidates.forEach((at) => {
      const found = this.#read(at);
      if (found === null) return;
      const isSame = this.#block.unit === "product" && best?.entry.product === found.entry.product;
      if (best !== null && !isSame) take(best);
      if (best === null || !isSame || this.#isBetter(found, best)) best = found;
    });
    if (best !== null) take(best);
    for (const found of groups.values()) this.#insert(first, found);
    return first;
  }

  #read(at: number): Found | null {
    const entry = this.#search.index.entries[at];
    if (entry === undefined || !this.#search.index.isAlive(at)) return null;
    const { sold_out, min_stock } = this.#block;
    const { available, stock } = entry.variant ?? { available: null, stock: null };
    const isGone = available === false;
    if (isGone && sold_out === "hide") return null;
    if (min_stock !== null && (isGone ? (stock ?? 0) : (stock ?? min_stock)) < min_stock) return null;
    // without it, 0.7 + 0.1 would be below 0.8
    const score = Math.round(this.#scoreOf(at) * 1e6) / 1e6;
    if (this.#least !== null && score < this.#least) return null;
    return { at, entry, score, isLast: isGone && sold_out === "last" };
  }

  /** Which variant of a product is shown and preselected: an available one, with the best score, the shop's first. */
  #isBetter(found: Found, other: Found): boolean {
    const [gone, otherGone] = [isGone(found), isGone(other)];
    return gone === otherGone ? found.score > other.score : otherGone;
  }

  #groupOf({ product }: Entry): string | null {
    const { one_per } = this.#block;
    const group = one_per === null ? null : product[one_per];
    return group === null ? null : folded(group);
  }

  #insert(first: Found[], found: Found): void {
    const last = first.length === this.#limit ? first.at(-1) : undefined;
    if (last !== undefined && this.#compare(last, found) <= 0) return;
    let place = first.length;
    while (place > 0) {
      const before = first[place - 1];
      if (before === undefined || this.#compare(before, found) <= 0) break;
      place -= 1;
    }
    if (place >= this.#limit) return;
    first.splice(place, 0, found);
    if (first.length > this.#limit) first.pop();
  }

  /** Below 0 if `a` comes first: what can be bought, then the block's order, then what was published last. */
  #compare(a: Found, b: Found): number {
    if (a.isLast !== b.isLast) return a.isLast ? 1 : -1;
    return this.#byOrder(a, b) || newest(a.entry, b.entry) || a.at - b.at;
  }

  #byOrder(a: Found, b: Found): number {
    switch (this.#block.order) {
      case "score":
        return b.score - a.score;
      case "newest":
        return 0;
      case "title":
        return compare(a.entry.title, b.entry.title);
      default:
        return this.#byPrice(a, b);
    }
  }

  /** Unknown prices come last. */
  #byPrice(a: Found, b: Found): number {
    const [one, other] = [a.entry.variant?.price ?? null, b.entry.variant?.price ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return this.#block.order === "price_desc" ? other - one : one - other;
  }
}

const isGone = ({ entry }: Found): boolean => entry.variant?.available === false;

const compare = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1);

/** By when they were published, then by the number of their id, newest first; unpublished ones last. */
function newest(a: Entry, b: Entry): number {
  const published = compareNumbers(b.product.published_at, a.product.published_at);
  return published || b.number.length - a.number.length || compare(b.number, a.number);
}

const compareNumbers = (one: number | null, other: number | null): number =>
  one === other ? 0 : (one ?? Number.NEGATIVE_INFINITY) < (other ?? Number.NEGATIVE_INFINITY) ? -1 : 1;
