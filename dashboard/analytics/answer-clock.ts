import type { Freshness } from "../../client/src/index.ts";

/** Ms between asking for what changes by the second, as long as it is not known when the server makes it anew. */
const eachSecond = 1_000;
/** Ms for which the server keeps the answers that people look at [analytics.live]. */
const keptFor = 5_000;
/** Ms before an answer is thought to be due: whoever is late, since others had it made, comes nearer each time. */
const early = 200;
/** Ms between asking from then on. */
const whenDue = 250;

export interface Asking {
  /** follow what happens today within seconds */
  live: boolean;
  /** when the answer came, and now, in ms of the page's own clock */
  receivedAt: number;
  now: number;
}

/**
 * When a question is worth asking again [dashboard-figures.live]. The server makes its figures anew at
 * `next_refresh_at`, by its clock; how far the page's clock is from it is learned from answers that came as soon as
 * they were made, so that the next one is asked for at that moment rather than up to a second later, and rarely before.
 */
export class AnswerClock {
  /** the least that the page's clock has been ahead of an answer's `as_of`; null: not known yet */
  #ahead: number | null = null;

  /** An answer came that was asked for while an older one was held. */
  tell({ as_of, stale }: Freshness, receivedAt: number): void {
    if (as_of === null || stale) return;
    const ahead = receivedAt - Date.parse(as_of);
    this.#ahead = Math.min(this.#ahead ?? ahead, ahead);
  }

  /** Milliseconds until the same question may have another answer; false: not by itself. */
  askAgainAfter(freshness: Freshness, { live, receivedAt, now }: Asking): number | false {
    if (freshness.pending) return 2_000;
    if (freshness.stale) return 700;
    if (!freshness.today_live) return false;
    if (!live) return 15_000;
    if (this.#ahead === null || freshness.next_refresh_at === null) return eachSecond;
    const due = Math.min(Date.parse(freshness.next_refresh_at) + this.#ahead, receivedAt + keptFor);
    // whatever keeps the server from answering, it is not asked more often for it
    return now > due + eachSecond ? eachSecond : Math.max(whenDue, due - early - now);
  }
}
