/** A set of small whole numbers. */
export class Bits {
  #words: Uint32Array;

  constructor(size: number, words = new Uint32Array(Math.ceil(size / 32))) {
    this.#words = words;
  }

  copy(): Bits {
    return new Bits(0, this.#words.slice());
  }

  /** Makes room for numbers below `size`. */
  reach(size: number): void {
    const needed = Math.ceil(size / 32);
    if (needed <= this.#words.length) return;
    const words = new Uint32Array(Math.max(needed, Math.ceil(this.#words.length * 1.25)));
    words.set(this.#words);
    this.#words = words;
  }

  /** in bytes */
  get room(): number {
    return this.#words.byteLength;
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

  /** Adds the others' numbers plus `base`, a multiple of 32. What is beyond the room of this is left out. */
  or(other: Bits, base = 0): void {
    const [own, others, first] = [this.#words, other.#words, base / 32];
    const end = Math.min(own.length, first + others.length);
    for (let word = first; word < end; word += 1) own[word] = (own[word] ?? 0) | (others[word - first] ?? 0);
  }

  /** Adds an amount at each number that is also among `others`; a loop of its own, as it runs most. */
  addTo(sums: Float64Array, amount: number, others: Bits): void {
    const [own, allowed] = [this.#words, others.#words];
    const end = Math.min(own.length, allowed.length);
    for (let word = 0; word < end; word += 1) {
      let left = (own[word] ?? 0) & (allowed[word] ?? 0);
      while (left !== 0) {
        const at = word * 32 + 31 - Math.clz32(left & -left);
        sums[at] = (sums[at] ?? 0) + amount;
        left &= left - 1;
      }
    }
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
