import type { Bits } from "./bits.ts";
import type { CatalogIndex } from "./catalog-index.ts";
import type { RuledProducts } from "./document.ts";

/**
 * The order of a block's products, and what is left out before the order: what is sold out, scarce or below the least
 * score, all but the best variant of a product, and all but the first of a group [engine.product-rules]. Entries are
 * their numbers in the index, so that a hundred thousand are looked at in a few milliseconds.
 */

export type Refusal = "min_score" | "sold_out" | "min_stock";

export interface Choosing {
  index: CatalogIndex;
  block: RuledProducts;
  /** the least score; null: any */
  least: number | null;
  /** by entry */
  scores: Float64Array;
}

export class Choice {
  readonly #index: CatalogIndex;
  readonly #block: RuledProducts;
  readonly #least: number | null;
  readonly #scores: Float64Array;

  constructor({ index, block, least, scores }: Choosing) {
    this.#index = index;
    this.#block = block;
    this.#least = least;
    this.#scores = scores;
  }

  scoreOf(at: number): number {
    return this.#scores[at] ?? 0;
  }

  /** The first `limit` of the candidates in the block's order, one of each product or group. */
  first(candidates: Bits, limit: number): number[] {
    const first: number[] = [];
    this.each(candidates, (at) => this.#insert(first, at, limit));
    return first;
  }

  /** How many of the candidates come before an entry. */
  before(candidates: Bits, at: number): number {
    let count = 0;
    this.each(candidates, (other) => {
      if (other !== at && this.compare(other, at) < 0) count += 1;
    });
    return count;
  }

  /** Calls for each candidate that is left, one of each product or group. */
  each(candidates: Bits, use: (at: number) => void): void {
    const { one_per } = this.#block;
    if (one_per === null) {
      this.#eachBest(candidates, use);
      return;
    }
    const best = new Int32Array(this.#index.groupCount).fill(-1);
    const groups = this.#index.groups[one_per];
    this.#eachBest(candidates, (at) => {
      const group = groups.at(at);
      const other = best[group] ?? -1;
      if (group < 0) use(at);
      else if (other < 0 || this.compare(at, other) < 0) best[group] = at;
    });
    for (const at of best) if (at >= 0) use(at);
  }

  /** Of each product its best entry, if the block shows products; else every entry. */
  #eachBest(candidates: Bits, use: (at: number) => void): void {
    const isByProduct = this.#block.unit === "product";
    const { firsts } = this.#index;
    let [best, first] = [-1, -1];
    candidates.forEach((at) => {
      if (this.refusal(at) !== null) return;
      const own = isByProduct ? firsts.at(at) : at;
      if (own === first) {
        if (this.isBetter(at, best)) best = at;
        return;
      }
      if (best >= 0) use(best);
      best = at;
      first = own;
    });
    if (best >= 0) use(best);
  }

  refusal(at: number): Refusal | null {
    const { sold_out, min_stock } = this.#block;
    if (this.#least !== null && this.scoreOf(at) < this.#least) return "min_score";
    const isGone = this.#index.gone.has(at);
    if (isGone && sold_out === "hide") return "sold_out";
    if (min_stock === null) return null;
    const stock = this.#index.stocks.at(at);
    // an unknown stock is enough, unless the shop says that there is none
    const counted = Number.isNaN(stock) ? (isGone ? 0 : min_stock) : stock;
    return counted < min_stock ? "min_stock" : null;
  }

  /** Which variant of a product is shown and preselected: an available one, with the best score, the shop's first. */
  isBetter(at: number, other: number): boolean {
    const [isGone, isOtherGone] = [this.#index.gone.has(at), this.#index.gone.has(other)];
    return isGone === isOtherGone ? this.scoreOf(at) > this.scoreOf(other) : isOtherGone;
  }

  #insert(first: number[], at: number, limit: number): void {
    const last = first.length === limit ? first.at(-1) : undefined;
    if (last !== undefined && this.compare(last, at) <= 0) return;
    let place = first.length;
    while (place > 0 && this.compare(first[place - 1] ?? 0, at) > 0) place -= 1;
    first.splice(place, 0, at);
    if (first.length > limit) first.pop();
  }

  /** Below 0 if `a` comes first: what can be bought, then the block's order, then what was published last. */
  compare(a: number, b: number): number {
    if (this.#block.sold_out === "last") {
      const last = Number(this.#index.gone.has(a)) - Number(this.#index.gone.has(b));
      if (last !== 0) return last;
    }
    return this.#byOrder(a, b) || this.#byNewest(a, b) || a - b;
  }

  #byOrder(a: number, b: number): number {
    switch (this.#block.order) {
      case "score":
        return this.scoreOf(b) - this.scoreOf(a);
      case "newest":
        return 0;
      case "title":
        return compare(this.#index.entries[a]?.title ?? "", this.#index.entries[b]?.title ?? "");
      default:
        return this.#byPrice(a, b);
    }
  }

  /** Unknown prices come last. */
  #byPrice(a: number, b: number): number {
    const [one, other] = [this.#index.prices.at(a), this.#index.prices.at(b)];
    if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
    return this.#block.order === "price_desc" ? other - one : one - other;
  }

  /** By when they were published, then by the number of their id, newest first; unpublished ones last. */
  #byNewest(a: number, b: number): number {
    const published = compare(this.#index.published.at(b), this.#index.published.at(a));
    if (published !== 0) return published;
    const [one, other] = [this.#index.entries[a]?.number ?? "", this.#index.entries[b]?.number ?? ""];
    return other.length - one.length || compare(other, one);
  }
}

const compare = <Value extends string | number>(one: Value, other: Value): number =>
  one === other ? 0 : one < other ? -1 : 1;
