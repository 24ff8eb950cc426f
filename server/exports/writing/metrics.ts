import type { ElapsedClock } from "../../platform/deadline.ts";
import { type Meter, workSeconds } from "../../platform/metrics/types.ts";
import type { Tracer } from "../../platform/tracing/types.ts";
import type { ClaimedExport } from "./deps.ts";

/** What the builds of export files tell of themselves. */

export interface BuildWatch {
  meter: Meter;
  tracer: Tracer;
  elapsed: ElapsedClock;
}

export class BuildMetrics {
  readonly #watch: BuildWatch;
  readonly #builds;
  readonly #bytes;

  constructor(watch: BuildWatch) {
    this.#watch = watch;
    const { meter } = watch;
    this.#builds = meter.histogram<"dataset" | "outcome">({
      name: "quizstore_export_build_seconds",
      help: "Builds of export files by dataset, and whether they were built or ended early",
      labels: ["dataset", "outcome"],
      buckets: workSeconds,
    });
    this.#bytes = meter.counter<"dataset">({
      name: "quizstore_export_bytes_total",
      help: "Bytes of finished export files",
      labels: ["dataset"],
    });
  }

  /** Builds that are under way at the moment. */
  present(read: () => number): void {
    this.#watch.meter.gauge(
      { name: "quizstore_export_builds_under_way", help: "Export files that this process builds" },
      () => [{ labels: {}, value: read() }],
    );
  }

  async build<Built extends { bytes: number }>(
    { id, storeId, dataset, format, claim }: ClaimedExport,
    work: () => Promise<Built>,
  ): Promise<Built> {
    const { tracer, elapsed } = this.#watch;
    const began = elapsed();
    const attributes = {
      "quizstore.store_id": storeId,
      "quizstore.export_id": id,
      "quizstore.dataset": dataset,
      "quizstore.format": format,
      "quizstore.claim": claim,
    };
    let outcome = "ended_early";
    try {
      const built = await tracer.whole({ name: "export build", attributes }, work);
      outcome = "built";
      this.#bytes.add({ dataset }, built.bytes);
      return built;
    } finally {
      this.#builds.observe({ dataset, outcome }, (elapsed() - began) / 1_000);
    }
  }
}
