import type { ElapsedClock } from "../../platform/deadline.ts";

/**
 * How a receiver that is down is found to be up again: by one request at a time, and the flood only after one of them
 * came through. The pauses between requests stay short: when a delivery's next attempt is due is the schedule's matter.
 */
export class Recovery {
  readonly #elapsed: ElapsedClock;
  #failures = 0;
  #notBefore = 0;

  constructor(elapsed: ElapsedClock) {
    this.#elapsed = elapsed;
  }

  /** One request at a time. */
  get probing(): boolean {
    return this.#failures > 0;
  }

  /** Not even that came through: what else is claimed will not be sent soon. */
  get failedProbe(): boolean {
    return this.#failures > 1;
  }

  /** Milliseconds until the next request; 0: now. */
  wait(): number {
    return Math.max(0, this.#notBefore - this.#elapsed());
  }

  heard(receiver: "up" | "down" | "unknown"): void {
    if (receiver === "unknown") return;
    this.#failures = receiver === "up" ? 0 : this.#failures + 1;
    const pause = this.#failures < 3 ? 0 : Math.min(longestPauseMs, 25 * 2 ** Math.min(this.#failures, 10));
    this.#notBefore = this.#elapsed() + pause;
  }
}

const longestPauseMs = 250;
