import type { ElapsedClock } from "../platform/deadline.ts";
import { type Meter, requestSeconds } from "../platform/metrics/types.ts";

/** What analytics tells of itself. */

/**
 * `kept`: young enough in the cache; `stale`: an older one while a newer is made; `made`: the asker waited for it, alone or
 * with others; `found`: another process made it meanwhile; `pending`: the store is still being loaded.
 */
export type AnswerSource = "kept" | "stale" | "made" | "found" | "pending";

export class AnswerMetrics {
  readonly #elapsed: ElapsedClock;
  readonly #answers;
  readonly #durations;

  constructor(meter: Meter, elapsed: ElapsedClock) {
    this.#elapsed = elapsed;
    this.#answers = meter.counter<"source">({
      name: "quizstore_analytics_answers_total",
      help: "Analytics answers by where they came from: kept, stale, made, found, pending",
      labels: ["source"],
    });
    this.#durations = meter.histogram<"operation">({
      name: "quizstore_analytics_compute_seconds",
      help: "Making an answer, the copy's coming up to date included, by operation",
      labels: ["operation"],
      buckets: requestSeconds,
    });
  }

  answered(source: AnswerSource): void {
    this.#answers.add({ source });
  }

  async compute<Result>(operation: string, work: () => Promise<Result>): Promise<Result> {
    const began = this.#elapsed();
    try {
      return await work();
    } finally {
      this.#durations.observe({ operation }, (this.#elapsed() - began) / 1_000);
    }
  }
}
