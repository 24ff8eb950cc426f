import type { Freshness } from "../../client/src/index.ts";

/** Polling interval in ms for live figures, until it is known when the server refreshes them. */
const eachSecond = 1_000;
/** Ms for which the server caches an answer [analytics.live]. */
const cachedFor = 5_000;
/**
 * Ms to ask before the expected refresh, so that a page that learns of refreshes late, because other pages triggered
 * them, catches up a little each time.
 */
const early = 200;
/** Polling interval in ms once an answer is due. */
const whenDue = 250;

export interface Asking {
  /** follow today's events within seconds */
  live: boolean;
  /** when the answer arrived, and now, in ms on the page's own clock */
  receivedAt: number;
  now: number;
}

/**
 * Decides when to ask a question again [dashboard-figures.live]. The server refreshes its figures at `next_refresh_at`,
 * by its own clock. The offset to the page's clock is learned from answers that arrived as soon as they were made, so
 * that the next request goes out at that moment, not up to a second later and rarely before it.
 */
export class AnswerClock {
  /** the smallest observed difference in ms between the page's clock and an answer's `as_of`; null: not known yet */
  #ahead: number | null = null;

  /** Records an answer to a request that named an older answer. */
  tell({ as_of, stale }: Freshness, receivedAt: number): void {
    if (as_of === null || stale) return;
    const ahead = receivedAt - Date.parse(as_of);
    this.#ahead = Math.min(this.#ahead ?? ahead, ahead);
  }

  /** Milliseconds until the same question may have a new answer; false: nothing will change. */
  askAgainAfter(freshness: Freshness, { live, receivedAt, now }: Asking): number | false {
    if (freshness.pending) return 2_000;
    if (freshness.stale) return 700;
    if (!freshness.today_live) return false;
    if (!live) return 15_000;
    if (this.#ahead === null || freshness.next_refresh_at === null) return eachSecond;
    const due = Math.min(Date.parse(freshness.next_refresh_at) + this.#ahead, receivedAt + cachedFor);
    // when a refresh is overdue, do not poll the server faster
    return now > due + eachSecond ? eachSecond : Math.max(whenDue, due - early - now);
  }
}
