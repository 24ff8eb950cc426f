import type { ElapsedClock } from "../../platform/deadline.ts";

/**
 * How fast one endpoint is sent to [webhooks.pace]. The promise is about what arrives: never more than the store's rate
 * in any second. Sends that are let go 50 ms apart may arrive together, so the window that is watched is longer than a
 * second, which makes 95 % of the rate in all; and within it sends are spread out, so that a receiver that stalls for a
 * moment sees a little too much in its next second rather than double.
 */
export interface RatedSend {
  /** the request is on its way: from here on it counts for a window */
  sent(): void;
  /** it was answered, or never went out */
  ended(): void;
}

const windowMs = 1_000 / 0.95;
/** What may go out at once after a quiet time, as a share of a second. */
const burstMs = 100;

export class SendRate {
  readonly #elapsed: ElapsedClock;
  #perSecond: number;
  /** when sends went out, oldest first; those before `#first` are past */
  #sent: number[] = [];
  #first = 0;
  /** started, and not on their way yet: a connection is being made, and they may arrive at any time */
  #open = 0;
  /** when the next send would be due, were they evenly spread */
  #evenly = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number, elapsed: ElapsedClock) {
    this.#perSecond = perSecond;
    this.#elapsed = elapsed;
  }

  set perSecond(value: number) {
    this.#perSecond = value;
  }

  /** How many sends the next second can have at most. */
  get allowance(): number {
    return Math.max(1, Math.floor(this.#perSecond * 0.95));
  }

  /** How many went out, or may have, in the window that ends now. */
  recent(): number {
    this.#forget();
    return this.#open + this.#sent.length - this.#first;
  }

  /** Milliseconds until the next send may start; 0: now; Infinity: not before one that is open ends. */
  wait(): number {
    const now = this.#elapsed();
    const spread = Math.max(0, this.#evenly - burstMs - now);
    const over = this.recent() - this.#perSecond;
    if (over < 0) return spread;
    const leaving = this.#sent[this.#first + over];
    return leaving === undefined ? Number.POSITIVE_INFINITY : Math.max(spread, leaving + windowMs - now, 0.1);
  }

  /** Counts a send that starts now. */
  start(): RatedSend {
    this.#evenly = Math.max(this.#evenly, this.#elapsed()) + windowMs / this.#perSecond;
    this.#open += 1;
    let open = true;
    const close = (): boolean => {
      const was = open;
      open = false;
      if (was) this.#open -= 1;
      return was;
    };
    return {
      sent: () => {
        if (close()) this.#sent.push(this.#elapsed());
      },
      ended: () => void close(),
    };
  }

  #forget(): void {
    const before = this.#elapsed() - windowMs;
    while (this.#first < this.#sent.length && (this.#sent[this.#first] ?? 0) <= before) this.#first += 1;
    if (this.#first > 1_000) {
      this.#sent = this.#sent.slice(this.#first);
      this.#first = 0;
    }
  }
}
