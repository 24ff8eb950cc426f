import { setTimeout as pause } from "node:timers/promises";
import type { ElapsedClock } from "../deadline.ts";
import { LeastRecentlyUsed } from "../least-recently-used.ts";
import { retryLater } from "../problems.ts";

/**
 * Refusals of senders beyond their limit. Each is cheap, but a sender that repeats at once would cause thousands a
 * second and overload the machine. So those past the first hundred of a second are delayed by half a second, and with
 * them the rest of the request, which is not read meanwhile [storefront.sender-refusals].
 */
const atOnce = 100;
const windowMs = 1_000;
const heldForMs = 500;
/** maximum number of delayed requests; any further one is answered at once */
const heldAtMost = 2_000;
const namesAtMost = 10_000;

interface Window {
  /** elapsed time */
  ends: number;
  refused: number;
}

export class Refusals {
  readonly #elapsed: ElapsedClock;
  readonly #wait: (milliseconds: number) => Promise<unknown>;
  /** a sender that is refused constantly stays in the map, however many others come and go */
  readonly #windows = new LeastRecentlyUsed<Window>(namesAtMost);
  #held = 0;

  constructor(elapsed: ElapsedClock, wait: (milliseconds: number) => Promise<unknown> = pause) {
    this.#elapsed = elapsed;
    this.#wait = wait;
  }

  /** Rejects with 429 `rate_limited`, at once or delayed. */
  async refuse(name: string, retryAfterSeconds: number): Promise<never> {
    if (this.#count(name) > atOnce && this.#held < heldAtMost) {
      this.#held += 1;
      await this.#wait(heldForMs);
      this.#held -= 1;
    }
    throw retryLater("rate_limited", retryAfterSeconds);
  }

  /** Refusals of that name in the current second, including this one. */
  #count(name: string): number {
    const now = this.#elapsed();
    let window = this.#windows.get(name);
    if (window === undefined || now >= window.ends) {
      window = { ends: now + windowMs, refused: 0 };
      this.#windows.set(name, window);
    }
    window.refused += 1;
    return window.refused;
  }
}
