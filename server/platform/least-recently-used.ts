/**
 * An entry in a linked list in order of use. A Map's own order does not suffice: deleting and reinserting a key at each
 * use leaves a hole in its hash chain each time, so that the most used key would be found 100 times as slowly.
 */
interface Entry<Value> {
  key: string;
  value: Value;
  size: number;
  older: Entry<Value> | null;
  newer: Entry<Value> | null;
}

/** A map that drops its least recently used values once they exceed a total size. */
export class LeastRecentlyUsed<Value> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #mostSize: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #mayGo: (value: Value) => boolean;
  #oldest: Entry<Value> | null = null;
  #newest: Entry<Value> | null = null;
  #size = 0;

  /**
   * @param sizeOf by default each value counts as one
   * @param mayGo while it is false for the least recently used value, the map grows instead of dropping it
   */
  constructor(
    mostSize: number,
    sizeOf: (value: Value) => number = () => 1,
    mayGo: (value: Value) => boolean = () => true,
  ) {
    this.#mostSize = mostSize;
    this.#sizeOf = sizeOf;
    this.#mayGo = mayGo;
  }

  get size(): number {
    return this.#size;
  }

  /** The least recently used first; calling this does not count as a use. */
  keys(): string[] {
    const keys: string[] = [];
    for (let entry = this.#oldest; entry !== null; entry = entry.newer) keys.push(entry.key);
    return keys;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /** Measures the value once, here. */
  set(key: string, value: Value): void {
    this.delete(key);
    const entry: Entry<Value> = { key, value, size: this.#sizeOf(value), older: null, newer: null };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#size += entry.size;
    while (this.#size > this.#mostSize && this.#oldest !== null && this.#mayGo(this.#oldest.value))
      this.delete(this.#oldest.key);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unlink(entry);
    this.#size -= entry.size;
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = null;
    this.#newest = null;
    this.#size = 0;
  }

  #append(entry: Entry<Value>): void {
    entry.older = this.#newest;
    entry.newer = null;
    if (this.#newest === null) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<Value>): void {
    if (older === null) this.#oldest = newer;
    else older.newer = newer;
    if (newer === null) this.#newest = older;
    else newer.older = older;
  }
}
