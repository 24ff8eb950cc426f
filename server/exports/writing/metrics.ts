import { Counter, Histogram } from "prom-client";
import { readNumber, workSeconds } from "../../platform/metrics/metrics.ts";
import { traceWhole } from "../../platform/tracing/spans.ts";
import type { ClaimedExport } from "./deps.ts";

/** Metrics and spans of builds. */

const builds = new Histogram({
  name: "quizstore_export_build_seconds",
  help: "Builds of export files by dataset, and whether they were built or ended early",
  labelNames: ["dataset", "outcome"],
  buckets: workSeconds,
});

const bytes = new Counter({
  name: "quizstore_export_bytes_total",
  help: "Bytes of finished export files",
  labelNames: ["dataset"],
});

/** Exports the number of running builds. */
export const measureBuilds = (read: () => number): void =>
  readNumber("quizstore_export_builds_under_way", "Export files that this process builds", read);

export async function measureBuild<Built extends { bytes: number }>(
  { id, storeId, dataset, format, claim }: ClaimedExport,
  work: () => Promise<Built>,
): Promise<Built> {
  const attributes = {
    "quizstore.store_id": storeId,
    "quizstore.export_id": id,
    "quizstore.dataset": dataset,
    "quizstore.format": format,
    "quizstore.claim": claim,
  };
  const observeTime = builds.startTimer({ dataset });
  let outcome = "ended_early";
  try {
    const built = await traceWhole({ name: "export build", attributes }, work);
    outcome = "built";
    bytes.inc({ dataset }, built.bytes);
    return built;
  } finally {
    observeTime({ outcome });
  }
}
