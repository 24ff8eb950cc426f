import { Counter, Histogram } from "prom-client";
import { readGauge, readNumber, requestSeconds, workSeconds } from "../platform/metrics/metrics.ts";
import { Problem } from "../platform/problems.ts";
import { tracePart } from "../platform/tracing/spans.ts";
import type { LeftOut } from "./left-out.ts";

/** Metrics and spans of the copies. */

const questions = new Histogram({
  name: "quizstore_facts_question_seconds",
  help: "Queries on a columnar copy, without the wait for their turn",
  labelNames: ["outcome"],
  buckets: requestSeconds,
});

const syncs = new Histogram({
  name: "quizstore_facts_sync_seconds",
  help: "Syncs of a copy before a query: nothing to do, changes applied, everything loaded, failed",
  labelNames: ["step"],
  buckets: workSeconds,
});

const revisionsBehind = new Histogram({
  name: "quizstore_facts_revisions_behind",
  help: "Revisions by which a copy was behind when it was queried",
  buckets: [0, 1, 10, 100, 1_000, 10_000, 100_000],
});

const loads = new Counter({
  name: "quizstore_facts_loads_total",
  help: "Full loads of copies, by reason",
  labelNames: ["reason"],
});

const leftOut = new Counter({
  name: "quizstore_facts_left_out_total",
  help: "Rows that a copy could not store, counted on each attempt, by kind and reason",
  labelNames: ["kind", "reason"],
});

/** Why a copy is loaded from scratch. */
type LoadReason = "new" | "damaged" | "unconnected" | "discarded";

/** The result of a sync, filled in while it runs. */
export interface SyncNote {
  step: "none" | "changes" | "everything" | "failed";
  /** revisions of the store that the copy lacked; null if there was no copy */
  behind: number | null;
  reason: LoadReason;
  leftOut: LeftOut[];
}

const outcomeOf = (error: unknown): string =>
  error instanceof Problem ? (error.title === "timeout" ? "timeout" : "unavailable") : "failed";

/** Exports gauges of running questions and attached files. */
export function measureCopies(read: () => { running: number; waiting: number; attached: number }): void {
  readGauge<"state">(
    {
      name: "quizstore_facts_questions",
      help: "Queries that are running, and that wait for their turn",
      labelNames: ["state"],
    },
    () => {
      const { running, waiting } = read();
      return [
        { labels: { state: "running" }, value: running },
        { labels: { state: "waiting" }, value: waiting },
      ];
    },
  );
  readNumber("quizstore_facts_copies_attached", "Copies that are open, 64 at most", () => read().attached);
}

export async function measureQuestion<Result>(storeId: string, work: () => Promise<Result>): Promise<Result> {
  const observeTime = questions.startTimer();
  let outcome = "answered";
  try {
    return await tracePart({ name: "facts question", attributes: { "quizstore.store_id": storeId } }, work);
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    observeTime({ outcome });
  }
}

export async function measureSync<Result>(storeId: string, work: (note: SyncNote) => Promise<Result>): Promise<Result> {
  const note: SyncNote = { step: "failed", behind: null, reason: "new", leftOut: [] };
  const observeTime = syncs.startTimer();
  try {
    return await tracePart({ name: "facts sync", attributes: { "quizstore.store_id": storeId } }, async (span) => {
      const result = await work(note);
      span.setAttributes({
        "quizstore.facts.step": note.step,
        "quizstore.facts.revisions_behind": note.behind ?? -1,
      });
      return result;
    });
  } finally {
    observeTime({ step: note.step });
    if (note.behind !== null) revisionsBehind.observe(note.behind);
    if (note.step === "everything") loads.inc({ reason: note.reason });
    for (const { kind, reason } of note.leftOut) leftOut.inc({ kind, reason });
  }
}
