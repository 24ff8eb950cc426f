/** A map that forgets what was not asked for longest, once its values together are larger than they may be. */
export class LeastRecentlyUsed<Value> {
  /** the least recently used first; each is measured once */
  readonly #entries = new Map<string, { value: Value; size: number }>();
  readonly #mostSize: number;
  readonly #sizeOf: (value: Value) => number;
  #size = 0;

  /** @param sizeOf without it each value counts as one */
  constructor(mostSize: number, sizeOf: (value: Value) => number = () => 1) {
    this.#mostSize = mostSize;
    this.#sizeOf = sizeOf;
  }

  get size(): number {
    return this.#size;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    const size = this.#sizeOf(value);
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#mostSize) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#size -= entry.size;
  }

  clear(): void {
    this.#entries.clear();
    this.#size = 0;
  }
}
