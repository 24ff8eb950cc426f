import { Bits } from "./bits.ts";
import type { ProductSelector } from "./document.ts";
import type { Steps } from "./steps.ts";

/**
 * A shop's catalog in memory, in which a selector finds its products without looking at every one. Its entries are
 * variants; a product without variants is one entry, and a product's entries follow each other. A changed product gets
 * new entries, and its earlier ones count no more; `wasted` says when to build the index anew.
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

/** What is left of a variant; everything else is in columns and lists. */
export interface Entry {
  product_id: string;
  variant_id: string | null;
  /** compared with other entries' */
  title: string;
  /** the decimal number of the product's id, if it has one */
  number: string;
}

/** Texts of rules and of the catalog are compared without case and outer blanks [engine.product-rules]. */
export const folded = (text: string): string => text.trim().toLowerCase();

/** Ids are compared by what follows the platform's prefix, which a document may leave out. */
export const bareId = (id: string): string => id.replace(/^gid:\/\/shopify\/(Product|Collection)\//, "");

/** What selectors found, for all of a catalog's; in bytes. */
const keptBytes = 16 * 1024 * 1024;

/** Entries that are counted without a pause. */
const entriesAtOnce = 100_000;

interface Kept {
  bits: Bits;
  /** entries that were searched */
  size: number;
  /** approximate memory */
  bytes: number;
}

export class CatalogIndex {
  readonly entries: Entry[] = [];
  /** NaN: unknown */
  readonly prices = new Column();
  /** NaN: unknown */
  readonly stocks = new Column();
  /** in ms; -Infinity: unknown */
  readonly published = new Column();
  /** of each entry, the first one of its product */
  readonly firsts = new Column();
  /** by the name of a group, its number for each entry; -1: none */
  readonly groups = { vendor: new Column(), product_type: new Column() };
  /** entries known as not available */
  readonly gone = new Bits(0);
  /** entries that count */
  readonly #alive = new Bits(0);
  #count = 0;
  readonly #lists = new Map<string, List>();
  readonly #groupNumbers = new Map<string, number>();
  /** by the number of the product's id: its first entry, and where they end */
  readonly #places = new Map<string, Place>();
  /** by selector, without its price; those that were not asked for longest are forgotten first */
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;

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
    return 2_000 + 300 * this.entries.length + 250 * this.#places.size + this.#keptBytes;
  }

  put(product: IndexedProduct): void {
    this.remove(product.product_id);
    const first = this.entries.length;
    const variants = product.variants.length === 0 ? [null] : product.variants;
    const end = first + variants.length;
    this.#alive.reach(end);
    this.gone.reach(end);
    const { product_id } = product;
    const own = { product_id, title: folded(product.title), number: bareId(product_id) };
    const [vendor, type] = [this.#groupOf(product.vendor), this.#groupOf(product.product_type)];
    const keys = keysOf(product);
    for (const variant of variants) {
      this.#add(variant, [...keys, ...optionKeys(variant)]);
      this.entries.push({ ...own, variant_id: variant?.variant_id ?? null });
      this.published.push(product.published_at ?? Number.NEGATIVE_INFINITY);
      this.firsts.push(first);
      this.groups.vendor.push(vendor);
      this.groups.product_type.push(type);
    }
    this.#places.set(own.number, { first, end });
    this.#count += variants.length;
  }

  remove(productId: string): void {
    const number = bareId(productId);
    const place = this.#places.get(number);
    if (place === undefined) return;
    this.#places.delete(number);
    for (let at = place.first; at < place.end; at += 1) this.#alive.clear(at);
    this.#count -= place.end - place.first;
  }

  #add(variant: IndexedVariant | null, texts: readonly Text[]): void {
    const at = this.entries.length;
    this.prices.push(variant?.price ?? Number.NaN);
    this.stocks.push(variant?.stock ?? Number.NaN);
    this.#alive.set(at);
    if (variant?.available === false) this.gone.set(at);
    for (const text of texts) {
      const key = keyOf(text.kind, textKey(text));
      const list = this.#lists.get(key) ?? { ...text, entries: new Column() };
      // a product may have the same tag twice
      if (list.entries.at(list.entries.size - 1) !== at) list.entries.push(at);
      this.#lists.set(key, list);
    }
  }

  /** Vendors and types share their numbers: only those of one column are compared. */
  #groupOf(name: string | null): number {
    if (name === null) return -1;
    const key = folded(name);
    const known = this.#groupNumbers.get(key) ?? this.#groupNumbers.size;
    this.#groupNumbers.set(key, known);
    return known;
  }

  /** Numbers of groups are below it. */
  get groupCount(): number {
    return this.#groupNumbers.size;
  }

  /** Where the entries of a product are, if it counts. */
  placeOf(productId: string): Place | undefined {
    return this.#places.get(bareId(productId));
  }

  /** The entries that count now and that a selector matches, whatever their price; null: all. */
  alive(selector: ProductSelector | null): Bits {
    const alive = this.#alive.copy();
    if (selector !== null) alive.and(this.matching(selector));
    return alive;
  }

  /**
   * The entries that a selector matches, whatever their price, among them such as count no more. What was found before
   * is kept: a change of the catalog only adds entries, so only those are searched. Callers do not change it.
   */
  matching(selector: ProductSelector): Bits {
    const key = keyOfSelector(selector);
    const known = this.#kept.get(key);
    // it moves to the end
    this.#kept.delete(key);
    const kept = known ?? { bits: new Bits(0), size: 0, bytes: 0 };
    if (kept.size < this.entries.length) {
      kept.bits.reach(this.entries.length);
      const base = kept.size - (kept.size % 32);
      kept.bits.or(this.#search(selector, base), base);
      kept.size = this.entries.length;
      const bytes = 200 + 2 * key.length + kept.bits.room;
      this.#keptBytes += bytes - kept.bytes;
      kept.bytes = bytes;
    }
    this.#kept.set(key, kept);
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#keptBytes <= keptBytes || oldest === key) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytes;
    }
    return kept.bits;
  }

  /** Which of the entries from `base` on a selector matches; counted from there. */
  #search(selector: ProductSelector, base: number): Bits {
    const count = this.entries.length - base;
    const found = new Bits(count);
    for (let place = 0; place < count; place += 1) found.set(place);
    const union = (keys: readonly string[]): Bits => this.#union(keys, base);
    const any = (kind: Kind, texts: readonly string[] | undefined, fold = folded) => {
      if (texts) found.and(union(texts.map((text) => keyOf(kind, fold(text)))));
    };
    if (selector.product_ids) found.and(this.#named(selector.product_ids, base));
    any("tag", selector.tags_any);
    any("vendor", selector.vendors);
    any("product_type", selector.product_types);
    any("collection", selector.collections, bareId);
    for (const tag of selector.tags_all ?? []) any("tag", [tag]);
    for (const [name, values] of Object.entries(selector.options ?? {}))
      found.and(union(values.map((value) => optionKey(name, value))));
    if (selector.tags_none) found.andNot(union(selector.tags_none.map((tag) => keyOf("tag", folded(tag)))));
    return found;
  }

  /** The texts of a kind that contain a part, those of most products first. */
  *textsSteps(kind: Kind, part: string): Steps<CountedText[]> {
    const found: CountedText[] = [];
    const sought = folded(part);
    let looked = 0;
    for (const list of this.#lists.values()) {
      if (list.kind !== kind || !folded(`${list.option ?? ""} ${list.text}`).includes(sought)) continue;
      looked += list.entries.size;
      if (looked > entriesAtOnce) {
        yield;
        looked = 0;
      }
      const products = this.#countIn(list.entries);
      if (products > 0) found.push({ text: list.text, option: list.option, products });
    }
    yield;
    return found.sort((a, b) => b.products - a.products || (a.text < b.text ? -1 : 1));
  }

  #countIn(entries: Column): number {
    let [count, last] = [0, -1];
    for (let place = 0; place < entries.size; place += 1) {
      const at = entries.at(place);
      if (!this.#alive.has(at) || this.firsts.at(at) === last) continue;
      last = this.firsts.at(at);
      count += 1;
    }
    return count;
  }

  /** How many products have one of some entries. */
  countProducts(entries: Bits): number {
    let [count, last] = [0, -1];
    entries.forEach((at) => {
      const first = this.firsts.at(at);
      if (first !== last) count += 1;
      last = first;
    });
    return count;
  }

  #union(keys: readonly string[], base: number): Bits {
    const bits = new Bits(this.entries.length - base);
    for (const key of new Set(keys)) {
      const list = this.#lists.get(key)?.entries;
      // lists ascend
      for (let place = (list?.size ?? 0) - 1; place >= 0; place -= 1) {
        const at = list?.at(place) ?? 0;
        if (at < base) break;
        bits.set(at - base);
      }
    }
    return bits;
  }

  #named(productIds: readonly string[], base: number): Bits {
    const bits = new Bits(this.entries.length - base);
    for (const id of productIds) {
      const { first, end } = this.placeOf(id) ?? { first: 0, end: 0 };
      for (let at = Math.max(first, base); at < end; at += 1) bits.set(at - base);
    }
    return bits;
  }
}

interface Place {
  first: number;
  end: number;
}

/** By selector; a document's selectors are asked for again and again. */
const selectorKeys = new WeakMap<ProductSelector, string>();

function keyOfSelector(selector: ProductSelector): string {
  const known = selectorKeys.get(selector);
  if (known !== undefined) return known;
  const { price: _, ...rest } = selector;
  const key = JSON.stringify(rest);
  selectorKeys.set(selector, key);
  return key;
}

/** A list of numbers, without an object for each. */
class Column {
  #numbers = new Float64Array(4);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  at(place: number): number {
    return this.#numbers[place] ?? Number.NaN;
  }

  push(number: number): void {
    if (this.#size === this.#numbers.length) {
      const numbers = new Float64Array(Math.ceil(this.#size * 1.5));
      numbers.set(this.#numbers);
      this.#numbers = numbers;
    }
    this.#numbers[this.#size] = number;
    this.#size += 1;
  }
}

type Kind = "tag" | "vendor" | "product_type" | "collection" | "option";

/** What products have in common, as the first of them writes it. */
interface Text {
  kind: Kind;
  text: string;
  /** of an option: its name */
  option: string | null;
}

interface List extends Text {
  entries: Column;
}

export interface CountedText extends Omit<Text, "kind"> {
  /** that have it now */
  products: number;
}

const keyOf = (kind: Kind, text: string): string => `${kind} ${text}`;
const optionKey = (name: string, value: string): string => keyOf("option", optionText(name, value));
const optionText = (name: string, value: string): string => `${folded(name)}\n${folded(value)}`;

function textKey({ kind, text, option }: Text): string {
  if (kind === "collection") return bareId(text);
  return option === null ? folded(text) : optionText(option, text);
}

const keysOf = ({ vendor, product_type, tags, collections }: IndexedProduct): Text[] => {
  const texts = (kind: Kind, all: readonly string[]): Text[] =>
    all.map((text) => ({ kind, text: text.trim(), option: null }));
  return [
    ...texts("tag", tags),
    ...texts("vendor", vendor === null ? [] : [vendor]),
    ...texts("product_type", product_type === null ? [] : [product_type]),
    ...texts("collection", collections),
  ];
};

const optionKeys = (variant: IndexedVariant | null): Text[] =>
  (variant?.options ?? []).map(({ name, value }) => ({ kind: "option", text: value.trim(), option: name.trim() }));
