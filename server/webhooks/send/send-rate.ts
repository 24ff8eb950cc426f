import type { ElapsedClock } from "../../platform/deadline.ts";

/**
 * Limits the send rate to one endpoint [webhooks.pace]. The limit applies to arrivals: no second may see more than the
 * store's rate. Requests sent 50 ms apart may arrive together, so the window is longer than a second, which yields 95 %
 * of the rate. Within the window sends are spread evenly, so that a receiver that stalls for a moment sees slightly too
 * many requests in its next second rather than twice as many.
 */
export interface RatedSend {
  /** the request was written; it counts towards the window from now on */
  sent(): void;
  /** it was answered, or never sent */
  ended(): void;
}

const windowMs = 1_000 / 0.95;
/** How far ahead of the even spacing sends may go after an idle period. */
const burstMs = 100;

export class SendRate {
  readonly #elapsed: ElapsedClock;
  #perSecond: number;
  /** times of sends, oldest first; entries before `#first` have left the window */
  #sent: number[] = [];
  #first = 0;
  /** started but not yet written: a connection is being made, and they may arrive at any time */
  #open = 0;
  /** when the next send would be due if sends were evenly spaced */
  #evenly = Number.NEGATIVE_INFINITY;

  constructor(perSecond: number, elapsed: ElapsedClock) {
    this.#perSecond = perSecond;
    this.#elapsed = elapsed;
  }

  set perSecond(value: number) {
    this.#perSecond = value;
  }

  /** The maximum number of sends in the next second. */
  get allowance(): number {
    return Math.max(1, Math.floor(this.#perSecond * 0.95));
  }

  /** How many were sent, or may have been sent, in the window that ends now. */
  recent(): number {
    this.#forget();
    return this.#open + this.#sent.length - this.#first;
  }

  /** Milliseconds until the next send may start; 0 means now, Infinity means after an open send ends. */
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
