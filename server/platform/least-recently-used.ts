/** A map that forgets what was not asked for longest, once its values together are larger than they may be. */
export class LeastRecentlyUsed<Value> {
  /** the least recently used first */
  readonly #values = new Map<string, Value>();
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
    const value = this.#values.get(key);
    if (value === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, value);
    return value;
  }

  set(key: string, value: Value): void {
    this.delete(key);
    this.#values.set(key, value);
    this.#size += this.#sizeOf(value);
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#mostSize) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#values.delete(key);
    this.#size -= this.#sizeOf(value);
  }

  clear(): void {
    this.#values.clear();
    this.#size = 0;
  }
}
