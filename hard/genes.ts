import type { Random } from "../demo/random.ts";

/** Reads genes, and draws missing ones. */
export class Genes {
  readonly values: Record<string, number>;
  readonly #random: Random;

  constructor(values: Readonly<Record<string, number>>, random: Random) {
    this.values = { ...values };
    this.#random = random;
  }

  of(name: string): number {
    const known = this.values[name];
    if (known !== undefined) return known;
    const drawn = this.#random.next();
    this.values[name] = drawn;
    return drawn;
  }

  pick<T>(name: string, items: readonly T[]): T {
    return items[Math.min(items.length - 1, Math.floor(this.of(name) * items.length))] as T;
  }

  /** An integer; small values are as likely as large ones. */
  size(name: string, most: number): number {
    return Math.floor((most + 1) ** this.of(name)) - (this.of(name) < 0.05 ? 1 : 0);
  }

  chance(name: string, share = 0.5): boolean {
    return this.of(name) < share;
  }
}
