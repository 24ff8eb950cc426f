import type { ProductSelector } from "./document.ts";

/**
 * A shop's catalog in memory, in which a selector finds its products without looking at every one. Its entries are
 * variants; a product without variants is one entry. A changed product gets new entries, and its earlier ones count no
 * more; `wasted` says when to build the index anew.
 */

export interface IndexedProduct {
  product_id: string;
  title: string;
  vendor: string | null;
  product_type: string | null;
  tags: readonly string[];
  /** collection ids */
  collections: readonly string[];
  /** in ms; null: unknown */
  published_at: number | null;
  /** in the shop's order */
  variants: readonly IndexedVariant[];
}

export interface IndexedVariant {
  variant_id: string;
  price: number | null;
  /** null: unknown, which counts as available */
  available: boolean | null;
  /** null: unknown or not limited, which counts as enough */
  stock: number | null;
  options: readonly { name: string; value: string }[];
}

export interface Entry {
  product: IndexedProduct;
  variant: IndexedVariant | null;
  /** compared with other entries' */
  title: string;
  /** the decimal number of the product's id, if it has one */
  number: string;
}

/** Texts of rules and of the catalog are compared without case and outer blanks [engine.product-rules]. */
export const folded = (text: string): string => text.trim().toLowerCase();

/** Ids are compared by what follows the platform's prefix, which a document may leave out. */
export const bareId = (id: string): string => id.replace(/^gid:\/\/shopify\/(Product|Collection)\//, "");

const kept = { bytes: 16 * 1024 * 1024, least: 64 } as const;

export class CatalogIndex {
  readonly entries: Entry[] = [];
  /** NaN: unknown */
  readonly prices: number[] = [];
  /** of entries that count */
  #alive = new Bits(0);
  #count = 0;
  readonly #lists = new Map<string, number[]>();
  /** by product id: its first entry and their number */
  readonly #places = new Map<string, { first: number; count: number }>();
  /** by selector, without its price; the earliest are forgotten first */
  readonly #found = new Map<ProductSelector, Bits>();

  /** products that count */
  get products(): number {
    return this.#places.size;
  }

  /** the share of entries that count no more */
  get wasted(): number {
    return this.entries.length === 0 ? 0 : 1 - this.#count / this.entries.length;
  }

  /** approximate memory in bytes */
  get bytes(): number {
    return 2_000 + 420 * this.entries.length + 160 * this.#places.size + this.#found.size * (this.entries.length / 8);
  }

  put(product: IndexedProduct): void {
    this.remove(product.product_id);
    const first = this.entries.length;
    const variants = product.variants.length === 0 ? [null] : product.variants;
    for (const variant of variants) this.#add(product, variant);
    this.#places.set(product.product_id, { first, count: variants.length });
    this.#count += variants.length;
    this.#alive = this.#alive.upTo(this.entries.length);
    for (let at = first; at < this.entries.length; at += 1) this.#alive.set(at);
    this.#found.clear();
  }

  remove(productId: string): void {
    const place = this.#places.get(productId);
    if (place === undefined) return;
    this.#places.delete(productId);
    for (let at = place.first; at < place.first + place.count; at += 1) this.#alive.clear(at);
    this.#count -= place.count;
    this.#found.clear();
  }

  #add(product: IndexedProduct, variant: IndexedVariant | null): void {
    const at = this.entries.length;
    const number = bareId(product.product_id);
    const previous = this.entries[at - 1];
    const title = previous?.product === product ? previous.title : folded(product.title);
    this.entries.push({ product, variant, title, number });
    this.prices.push(variant?.price ?? Number.NaN);
    for (const key of keysOf(product, variant)) {
      const list = this.#lists.get(key);
      if (list) list.push(at);
      else this.#lists.set(key, [at]);
    }
  }

  isAlive(at: number): boolean {
    return this.#alive.has(at);
  }

  /** The entries that a selector matches, whatever their price; null: all. Callers do not change it. */
  select(selector: ProductSelector | null): Bits {
    if (selector === null) return this.#alive;
    const known = this.#found.get(selector);
    if (known) return known;
    const found = this.#search(selector);
    const most = Math.max(kept.least, Math.floor(kept.bytes / (1 + this.entries.length / 8)));
    for (const earliest of this.#found.keys()) {
      if (this.#found.size < most) break;
      this.#found.delete(earliest);
    }
    this.#found.set(selector, found);
    return found;
  }

  #search(selector: ProductSelector): Bits {
    const found = this.#alive.copy();
    const any = (kind: Kind, texts: readonly string[] | undefined, fold = folded) => {
      if (texts) found.and(this.#union(texts.map((text) => keyOf(kind, fold(text)))));
    };
    any("id", selector.product_ids, bareId);
    any("tag", selector.tags_any);
    any("vendor", selector.vendors);
    any("type", selector.product_types);
    any("collection", selector.collections, bareId);
    for (const tag of selector.tags_all ?? []) any("tag", [tag]);
    for (const [name, values] of Object.entries(selector.options ?? {}))
      found.and(this.#union(values.map((value) => optionKey(name, value))));
    if (selector.tags_none) found.andNot(this.#union(selector.tags_none.map((tag) => keyOf("tag", folded(tag)))));
    return found;
  }

  #union(keys: readonly string[]): Bits {
    const bits = new Bits(this.entries.length);
    for (const key of new Set(keys)) for (const at of this.#lists.get(key) ?? []) bits.set(at);
    return bits;
  }
}

type Kind = "id" | "tag" | "vendor" | "type" | "collection" | "option";

const keyOf = (kind: Kind, text: string): string => `${kind} ${text}`;
const optionKey = (name: string, value: string): string => keyOf("option", `${folded(name)}\n${folded(value)}`);

function keysOf(product: IndexedProduct, variant: IndexedVariant | null): Set<string> {
  const { product_id, vendor, product_type, tags, collections } = product;
  return new Set([
    keyOf("id", bareId(product_id)),
    ...tags.map((tag) => keyOf("tag", folded(tag))),
    ...(vendor === null ? [] : [keyOf("vendor", folded(vendor))]),
    ...(product_type === null ? [] : [keyOf("type", folded(product_type))]),
    ...collections.map((id) => keyOf("collection", bareId(id))),
    ...(variant?.options ?? []).map(({ name, value }) => optionKey(name, value)),
  ]);
}

/** A set of small whole numbers. */
export class Bits {
  #words: Uint32Array;

  constructor(size: number, words = new Uint32Array(Math.ceil(size / 32))) {
    this.#words = words;
  }

  /** The same numbers, with room for `size`. */
  upTo(size: number): Bits {
    const needed = Math.ceil(size / 32);
    if (needed <= this.#words.length) return this;
    const words = new Uint32Array(Math.max(needed, Math.ceil(this.#words.length * 1.25)));
    words.set(this.#words);
    return new Bits(0, words);
  }

  copy(): Bits {
    return new Bits(0, this.#words.slice());
  }

  has(at: number): boolean {
    return (((this.#words[at >>> 5] ?? 0) >>> (at & 31)) & 1) === 1;
  }

  set(at: number): void {
    this.#words[at >>> 5] = (this.#words[at >>> 5] ?? 0) | (1 << (at & 31));
  }

  clear(at: number): void {
    this.#words[at >>> 5] = (this.#words[at >>> 5] ?? 0) & ~(1 << (at & 31));
  }

  and(other: Bits): void {
    const [own, others] = [this.#words, other.#words];
    for (let word = 0; word < own.length; word += 1) own[word] = (own[word] ?? 0) & (others[word] ?? 0);
  }

  andNot(other: Bits): void {
    const [own, others] = [this.#words, other.#words];
    for (let word = 0; word < own.length; word += 1) own[word] = (own[word] ?? 0) & ~(others[word] ?? 0);
  }

  /** What is beyond the room of this is left out. */
  or(other: Bits): void {
    const [own, others] = [this.#words, other.#words];
    for (let word = 0; word < own.length; word += 1) own[word] = (own[word] ?? 0) | (others[word] ?? 0);
  }

  /** Calls for each number, ascending, that is also among `others`. */
  forEach(use: (at: number) => void, others: Bits = this): void {
    for (let word = 0; word < this.#words.length; word += 1) {
      let left = (this.#words[word] ?? 0) & (others.#words[word] ?? 0);
      while (left !== 0) {
        const bit = 31 - Math.clz32(left & -left);
        use(word * 32 + bit);
        left &= left - 1;
      }
    }
  }
}
