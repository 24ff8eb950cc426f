import type { ElapsedClock } from "../platform/deadline.ts";
import { type Meter, requestSeconds, workSeconds } from "../platform/metrics/types.ts";
import { Problem } from "../platform/problems.ts";
import type { Tracer } from "../platform/tracing/types.ts";
import type { LeftOut } from "./left-out.ts";

/** What the copies tell of themselves. */

export interface CopyWatch {
  meter: Meter;
  tracer: Tracer;
  elapsed: ElapsedClock;
}

/** Why a copy is loaded from the beginning. */
type LoadReason = "new" | "damaged" | "unconnected" | "discarded";

/** What bringing a copy up to date came to; filled in on the way. */
export interface SyncNote {
  step: "none" | "changes" | "everything" | "failed";
  /** revisions of the store that the copy lacked; null where there was no copy */
  behind: number | null;
  reason: LoadReason;
  leftOut: LeftOut[];
}

const revisionSteps = [0, 1, 10, 100, 1_000, 10_000, 100_000];

const outcomeOf = (error: unknown): string =>
  error instanceof Problem ? (error.title === "timeout" ? "timeout" : "unavailable") : "failed";

export class CopyMetrics {
  readonly #watch: CopyWatch;
  readonly #questions;
  readonly #syncs;
  readonly #behind;
  readonly #loads;
  readonly #leftOut;

  constructor(watch: CopyWatch) {
    this.#watch = watch;
    const { meter } = watch;
    this.#questions = meter.histogram<"outcome">({
      name: "quizstore_facts_question_seconds",
      help: "Questions put to a columnar copy, the wait for their turn excluded",
      labels: ["outcome"],
      buckets: requestSeconds,
    });
    this.#syncs = meter.histogram<"step">({
      name: "quizstore_facts_sync_seconds",
      help: "Bringing a copy up to date before a question: nothing to do, changes taken over, everything loaded, failed",
      labels: ["step"],
      buckets: workSeconds,
    });
    this.#behind = meter.histogram({
      name: "quizstore_facts_revisions_behind",
      help: "Revisions that a copy lacked when it was asked",
      buckets: revisionSteps,
    });
    this.#loads = meter.counter<"reason">({
      name: "quizstore_facts_loads_total",
      help: "Copies loaded from the beginning, by reason",
      labels: ["reason"],
    });
    this.#leftOut = meter.counter<"kind" | "reason">({
      name: "quizstore_facts_left_out_total",
      help: "Rows that could not be taken into a copy, each time that they are met, by kind and reason",
      labels: ["kind", "reason"],
    });
  }

  /** What lies here at the moment. */
  present(read: () => { running: number; waiting: number; attached: number }): void {
    const { meter } = this.#watch;
    meter.gauge<"state">(
      {
        name: "quizstore_facts_questions",
        help: "Questions that run, and that wait for their turn",
        labels: ["state"],
      },
      () => {
        const { running, waiting } = read();
        return [
          { labels: { state: "running" }, value: running },
          { labels: { state: "waiting" }, value: waiting },
        ];
      },
    );
    meter.gauge({ name: "quizstore_facts_copies_attached", help: "Copies that are open, 64 at most" }, () => [
      { labels: {}, value: read().attached },
    ]);
  }

  async question<Result>(storeId: string, work: () => Promise<Result>): Promise<Result> {
    const { elapsed, tracer } = this.#watch;
    const began = elapsed();
    let outcome = "answered";
    try {
      return await tracer.part({ name: "facts question", attributes: { "quizstore.store_id": storeId } }, work);
    } catch (error) {
      outcome = outcomeOf(error);
      throw error;
    } finally {
      this.#questions.observe({ outcome }, (elapsed() - began) / 1_000);
    }
  }

  async sync<Result>(storeId: string, work: (note: SyncNote) => Promise<Result>): Promise<Result> {
    const { elapsed, tracer } = this.#watch;
    const began = elapsed();
    const note: SyncNote = { step: "failed", behind: null, reason: "new", leftOut: [] };
    try {
      return await tracer.part({ name: "facts sync", attributes: { "quizstore.store_id": storeId } }, async (span) => {
        const result = await work(note);
        span.set({ "quizstore.facts.step": note.step, "quizstore.facts.revisions_behind": note.behind ?? -1 });
        return result;
      });
    } finally {
      this.#syncs.observe({ step: note.step }, (elapsed() - began) / 1_000);
      if (note.behind !== null) this.#behind.observe({}, note.behind);
      if (note.step === "everything") this.#loads.add({ reason: note.reason });
      for (const { kind, reason } of note.leftOut) this.#leftOut.add({ kind, reason });
    }
  }
}
