import { Counter, Histogram } from "prom-client";
import { requestSeconds } from "../platform/metrics/metrics.ts";

/** Metrics of analytics. */

const answers = new Counter({
  name: "quizstore_analytics_answers_total",
  help: "Analytics answers by where they came from: kept, stale, made, found, pending",
  labelNames: ["source"],
});

const durations = new Histogram({
  name: "quizstore_analytics_compute_seconds",
  help: "Computing an answer, including syncing the copy, by operation",
  labelNames: ["operation"],
  buckets: requestSeconds,
});

/**
 * `kept`: young enough in the cache; `stale`: an older one, while a newer one is made; `made`: the client waited for
 * it, alone or with others; `found`: another process made it meanwhile; `pending`: the store is still being loaded.
 */
export type AnswerSource = "kept" | "stale" | "made" | "found" | "pending";

export const countAnswer = (source: AnswerSource): void => answers.inc({ source });

export async function measureCompute<Result>(operation: string, work: () => Promise<Result>): Promise<Result> {
  const observeTime = durations.startTimer({ operation });
  try {
    return await work();
  } finally {
    observeTime();
  }
}
