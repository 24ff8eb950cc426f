import type { ElapsedClock } from "../../platform/deadline.ts";

/**
 * Finds out when a receiver that is down is up again: sends one request at a time, and resumes the full rate only after
 * one has succeeded. The pauses between requests are short, since the schedule decides when each delivery's next
 * attempt is due.
 */
export class Recovery {
  readonly #elapsed: ElapsedClock;
  #failures = 0;
  #notBefore = 0;

  constructor(elapsed: ElapsedClock) {
    this.#elapsed = elapsed;
  }

  /** Whether only one request at a time may be sent. */
  get probing(): boolean {
    return this.#failures > 0;
  }

  /** Whether the probe failed too, so that other claimed deliveries will not be sent soon. */
  get failedProbe(): boolean {
    return this.#failures > 1;
  }

  /** Milliseconds until the next request may be sent; 0 means now. */
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
