import { setTimeout as pause } from "node:timers/promises";
import type { ElapsedClock } from "../deadline.ts";
import { LeastRecentlyUsed } from "../least-recently-used.ts";

/**
 * Answers to requests that nobody needs many of: refusals [storefront.sender-refusals, api.unknown-senders] and health
 * [operations.health]. Each is cheap, but a sender that repeats at once would cause thousands a second and overload the
 * machine. So some are sent at once, and then a hundred a second, evenly; any further one is delayed by half a second on
 * average, and with it the rest of the request, which is not read meanwhile.
 *
 * Both are spread over time: another hundred at the beginning of each second, or delays of the same length, would let
 * a sender's connections continue together, and everybody else would wait for them.
 */
const perSecond = 100;
const heldForMs = { least: 250, most: 750 };
/** the multiples of the golden ratio are spread evenly over the fractions, however many there are */
const goldenRatio = (Math.sqrt(5) - 1) / 2;
/** maximum number of delayed requests; any further one is answered at once */
const heldAtMost = 2_000;
const namesAtMost = 10_000;

export interface PacedAnswersOptions {
  /** how many are sent at once, before a hundred a second; 100 if left out */
  atOnce?: number;
  wait?: (milliseconds: number) => Promise<unknown>;
}

/** A bucket of the answers that were sent without delay; it leaks `perSecond`. */
interface Sent {
  /** elapsed time */
  at: number;
  answers: number;
}

export class PacedAnswers {
  readonly #elapsed: ElapsedClock;
  readonly #atOnce: number;
  readonly #wait: (milliseconds: number) => Promise<unknown>;
  /** a sender that repeats constantly stays in the map, however many others come and go */
  readonly #sent = new LeastRecentlyUsed<Sent>(namesAtMost);
  #held = 0;
  #heldSoFar = 0;

  constructor(elapsed: ElapsedClock, { atOnce = perSecond, wait = pause }: PacedAnswersOptions = {}) {
    this.#elapsed = elapsed;
    this.#atOnce = atOnce;
    this.#wait = wait;
  }

  /** Null if an answer to this sender may be sent at once, else what to wait for before it. */
  pace(name: string): Promise<void> | null {
    if (this.#takeUndelayed(name) || this.#held >= heldAtMost) return null;
    return this.#hold();
  }

  async #hold(): Promise<void> {
    this.#held += 1;
    this.#heldSoFar += 1;
    await this.#wait(heldForMs.least + (heldForMs.most - heldForMs.least) * ((this.#heldSoFar * goldenRatio) % 1));
    this.#held -= 1;
  }

  /** Whether an answer to that sender may be sent without delay; if so, it is counted. */
  #takeUndelayed(name: string): boolean {
    const now = this.#elapsed();
    const sent = this.#sent.get(name) ?? { at: now, answers: 0 };
    this.#sent.set(name, sent);
    sent.answers = Math.max(0, sent.answers - ((now - sent.at) / 1_000) * perSecond);
    sent.at = now;
    if (sent.answers > this.#atOnce - 1) return false;
    sent.answers += 1;
    return true;
  }
}
