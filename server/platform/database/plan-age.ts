/**
 * When a connection's plans are to be made anew.
 *
 * PostgreSQL plans a prepared statement once, and again only when the statistics of its tables change, which by default
 * takes up to a minute. A plan made while a table was small may read all of it, or do so once for each row of another
 * table: after a shop's first few thousand sessions, an update of one session read all of them (125 ms instead of 1).
 * A new plan takes the table's current size into account.
 */

/** Ms after a connection is opened; every next time after twice the time, because tables take longer to double. */
const firstMs = 1_000;
const longestMs = 60_000;

export class PlanAge {
  #interval = firstMs;
  #next: number;

  /** @param now ms of a clock that only moves forward, here and in `isDue` */
  constructor(now: number) {
    this.#next = now + firstMs;
  }

  /** Whether the plans are to be discarded now; it then answers no until the next time. */
  isDue(now: number): boolean {
    if (now < this.#next) return false;
    this.#interval = Math.min(2 * this.#interval, longestMs);
    this.#next = now + this.#interval;
    return true;
  }
}
