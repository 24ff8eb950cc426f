import { MemoryConcurrencyLimiter } from "../concurrency/memory.ts";
import type { Permit } from "../concurrency/types.ts";
import type { Deadline, ElapsedClock } from "../deadline.ts";
import { LeastRecentlyUsed } from "../least-recently-used.ts";

/**
 * Addresses that were refused a moment ago because they sent too much [api.refused-senders]. Even what the limits
 * admit can overload a small machine when it arrives on many connections at once, and everybody else waits. So such an
 * address has one request processed at a time, and then none for three times as long as that one took: a quarter of
 * the time, of one processor at most. Units that it does not use meanwhile stay in its bucket for later.
 */

/** Long enough to span an attacker's refusals; an office that was refused once soon continues as before. */
const rememberedMs = 10_000;
const addressesAtMost = 10_000;
/** 429 after that: more connections wait than are served in this time */
const longestWaitMs = 5_000;
/**
 * A request that takes longer, such as one that waits for a lock or for its client to send the rest, does not keep the
 * others of its address waiting.
 */
const longestHeldMs = 250;
/** the pause after a request, as a multiple of its duration */
const restFactor = 3;

export class RefusedSenders {
  readonly #elapsed: ElapsedClock;
  /** elapsed time of the last refusal, by address */
  readonly #refusedAt = new LeastRecentlyUsed<number>(addressesAtMost);
  readonly #places = new MemoryConcurrencyLimiter(longestWaitMs);

  constructor(elapsed: ElapsedClock) {
    this.#elapsed = elapsed;
  }

  note(address: string): void {
    this.#refusedAt.set(address, this.#elapsed());
  }

  /**
   * Null if the address was not refused lately: its request needs no place. Otherwise waits for one, and answers null if
   * none became free in time.
   */
  enter(address: string, deadline: Deadline): Promise<Permit | null> | null {
    const at = this.#refusedAt.get(address);
    if (at === undefined || this.#elapsed() - at > rememberedMs) return null;
    return this.#place(address, deadline);
  }

  async #place(address: string, deadline: Deadline): Promise<Permit | null> {
    const permit = await this.#places.acquire(address, 1, deadline);
    if (permit === null) return null;
    const began = this.#elapsed();
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      clearTimeout(longest);
      setTimeout(() => permit.release(), restFactor * (this.#elapsed() - began));
    };
    const longest = setTimeout(release, longestHeldMs);
    return { release };
  }
}
