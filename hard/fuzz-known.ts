import type { Random } from "../demo/random.ts";

/** What the fuzz knows about its store: ids, pairs of ids, cursors, links. It learns more from answers. */

export interface KnownCursor {
  text: string;
  operation: string;
  /** the address without the cursor, and the body that was sent */
  path: string;
  body: string | null;
}

const keptPerKind = 200;
const keptForEver = 30;

/** A list that keeps its first entries, and replaces the others in turn. */
class Pool<T> {
  readonly items: T[] = [];
  #added = 0;

  add(item: T): void {
    if (this.items.length < keptPerKind) this.items.push(item);
    else this.items[keptForEver + (this.#added % (keptPerKind - keptForEver))] = item;
    this.#added += 1;
  }
}

const idPattern = /"((?:quiz|ver|prof|exp|whe|whd|sess|vis|evt)_[0-9a-f]{32})"/g;
const prefixes = ["quiz", "ver", "prof", "exp", "whe", "whd", "sess", "vis", "key", "evt", "store", "pub"];

export class Known {
  readonly now = Date.now();
  /** full addresses of a receiver that answers */
  readonly receivers: readonly string[];
  readonly cursors = new Pool<KnownCursor>();
  readonly links = new Pool<string>();
  /** quizzes that may be deleted */
  readonly doomed: string[] = [];
  readonly #own = new Map<string, Pool<string>>();
  readonly #seen = new Set<string>();
  readonly #strangers = new Map<string, string[]>();
  /** `[quiz, version]`, `[endpoint, delivery]` */
  readonly #pairs = new Map<string, Pool<readonly [string, string]>>();
  readonly #words = new Map<string, string[]>();

  constructor(receivers: readonly string[]) {
    this.receivers = receivers;
  }

  /** An id of the store; an unknown one if none is known. */
  own(random: Random, prefix: string): string {
    const items = this.#own.get(prefix)?.items ?? [];
    return items.length === 0 ? this.nobodys(random, prefix) : random.pick(items);
  }

  /** An id of the other store. */
  strangers(random: Random, prefix: string): string {
    const items = this.#strangers.get(prefix) ?? [];
    return items.length === 0 ? this.nobodys(random, prefix) : random.pick(items);
  }

  nobodys(random: Random, prefix: string): string {
    return `${prefix}_${random.hex(32)}`;
  }

  ofAnotherKind(random: Random, prefix: string): string {
    return this.own(random, random.pick(prefixes.filter((other) => other !== prefix)));
  }

  pair(random: Random, second: string): readonly [string, string] | null {
    const items = this.#pairs.get(second)?.items ?? [];
    return items.length === 0 ? null : random.pick(items);
  }

  eventId(random: Random): string {
    const hex = random.hex(32);
    return `evt_${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  receiver(random: Random): string {
    return `${random.pick(this.receivers)}/${random.int(0, 40)}`;
  }

  /** The key of a page, component, option or dimension of the store's quizzes. */
  word(random: Random, field: string): string {
    const words = this.#words.get(field) ?? [];
    return words.length === 0 || random.chance(0.1) ? "nobody" : random.pick(words);
  }

  learnStrangers(text: string): void {
    for (const [, id = ""] of text.matchAll(idPattern)) {
      const prefix = id.slice(0, id.indexOf("_"));
      const known = this.#strangers.get(prefix) ?? [];
      if (!known.includes(id)) known.push(id);
      this.#strangers.set(prefix, known);
    }
  }

  isStranger(id: string): boolean {
    return this.#strangers.get(id.slice(0, id.indexOf("_")))?.includes(id) ?? false;
  }

  learnIds(text: string): void {
    for (const [, id = ""] of text.matchAll(idPattern)) {
      if (this.#seen.has(id)) continue;
      this.#seen.add(id);
      const prefix = id.slice(0, id.indexOf("_"));
      const pool = this.#own.get(prefix) ?? new Pool<string>();
      pool.add(id);
      this.#own.set(prefix, pool);
    }
  }

  /** Collects pairs, words and links from an answer. */
  learn(value: unknown): void {
    if (value === null || typeof value !== "object") return;
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 50)) this.learn(item);
      return;
    }
    const { id, quiz_id, endpoint_id, download_url } = value as Record<string, unknown>;
    if (typeof id === "string" && id.startsWith("ver_") && typeof quiz_id === "string")
      this.#addPair("ver", quiz_id, id);
    if (typeof id === "string" && id.startsWith("whd_") && typeof endpoint_id === "string")
      this.#addPair("whd", endpoint_id, id);
    if (typeof download_url === "string") this.links.add(download_url);
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === "string" && /^(page|component|block)_key$|^(option|dimension|product)_id$/.test(name))
        this.#addWord(name, inner);
      else this.learn(inner);
    }
  }

  #addPair(prefix: string, first: string, second: string): void {
    const pool = this.#pairs.get(prefix) ?? new Pool<readonly [string, string]>();
    pool.add([first, second]);
    this.#pairs.set(prefix, pool);
  }

  #addWord(field: string, word: string): void {
    const words = this.#words.get(field) ?? [];
    if (words.length < keptPerKind && !words.includes(word)) words.push(word);
    this.#words.set(field, words);
  }
}
