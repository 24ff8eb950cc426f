import { createRandom, type Random } from "../../demo/random.ts";
import type { RandomBytes } from "../../server/platform/ids.ts";

/** A seed's random draws: one stream for the steps, and another for the program. */
export class Draws {
  steps: Random = createRandom(0);
  #bytes: Random = createRandom(0);

  begin(seed: number): void {
    this.steps = createRandom(`steps ${seed}`);
    this.#bytes = createRandom(`bytes ${seed}`);
  }

  /**
   * The program's own randomness. It excludes request ids, which are drawn in batches across the boundaries of seeds.
   */
  readonly bytes: RandomBytes = (size) => {
    if (size > 1_000) return this.#requestIds(size);
    return Buffer.from(this.#bytes.hex(Math.ceil(size / 4) * 8), "hex").subarray(0, size);
  };

  #drawn = 0;
  #requestIds(size: number): Uint8Array {
    this.#drawn += 1;
    return Buffer.from(createRandom(`request ids ${this.#drawn}`).hex(size * 2), "hex");
  }
}
