import type { BatchAnswer } from "../../contract/storefront.ts";
import type { ElapsedClock } from "../platform/deadline.ts";
import { type Meter, workSeconds } from "../platform/metrics/types.ts";
import { Problem } from "../platform/problems.ts";
import type { Tracer } from "../platform/tracing/types.ts";
import type { QueueLimits } from "./group-queue.ts";

/** What the intake of shopper events tells of itself. */

const groupSteps = [1, 2, 4, 8, 16, 32, 64];

const refusals: Readonly<Record<string, string>> = {
  dependency_unavailable: "unavailable",
  timeout: "timeout",
  validation_error: "invalid",
};

export interface IntakeWatch {
  meter: Meter;
  tracer: Tracer;
  elapsed: ElapsedClock;
}

export class IntakeMetrics {
  readonly #watch: IntakeWatch;
  readonly #events;
  readonly #requests;
  readonly #commits;
  readonly #groups;

  constructor(watch: IntakeWatch) {
    this.#watch = watch;
    const { meter } = watch;
    this.#events = meter.counter<"outcome">({
      name: "quizstore_intake_events_total",
      help: "Shopper events of committed requests: accepted, rejected, duplicate",
      labels: ["outcome"],
    });
    this.#requests = meter.counter<"outcome">({
      name: "quizstore_intake_requests_total",
      help: "Requests with shopper events by what became of them",
      labels: ["outcome"],
    });
    this.#commits = meter.histogram({
      name: "quizstore_intake_commit_seconds",
      help: "Transactions that commit a group of requests",
      buckets: workSeconds,
    });
    this.#groups = meter.histogram({
      name: "quizstore_intake_group_requests",
      help: "Requests that were committed together",
      buckets: groupSteps,
    });
  }

  /** What waits at the moment. */
  queue(limits: QueueLimits, read: () => { bytes: number; requests: number; groups: number; aside: number }): void {
    const { meter } = this.#watch;
    const reading = (value: number) => [{ labels: {}, value }];
    meter.gauge({ name: "quizstore_intake_queue_bytes", help: "Shopper events that wait for their commit" }, () =>
      reading(read().bytes),
    );
    meter.gauge(
      { name: "quizstore_intake_queue_limit_bytes", help: "Beyond this, shopper events are answered 503" },
      () => reading(limits.totalBytes),
    );
    meter.gauge({ name: "quizstore_intake_queue_requests", help: "Requests that wait for a group" }, () =>
      reading(read().requests),
    );
    meter.gauge({ name: "quizstore_intake_commits_under_way", help: "Groups that are being committed" }, () =>
      reading(read().groups),
    );
    meter.gauge(
      { name: "quizstore_intake_commits_aside", help: "Groups under way for so long that others have their places" },
      () => reading(read().aside),
    );
  }

  async request(work: () => Promise<BatchAnswer>): Promise<BatchAnswer> {
    try {
      const answer = await work();
      this.#requests.add({ outcome: "committed" });
      this.#count("accepted", answer.accepted);
      this.#count("duplicate", answer.duplicates);
      this.#count("rejected", answer.rejected.length);
      return answer;
    } catch (error) {
      const outcome = error instanceof Problem ? refusals[error.title] : undefined;
      this.#requests.add({ outcome: outcome ?? "failed" });
      throw error;
    }
  }

  async commit<Result>(storeId: string, requests: number, work: () => Promise<Result>): Promise<Result> {
    const { elapsed, tracer } = this.#watch;
    const began = elapsed();
    const attributes = { "quizstore.store_id": storeId, "quizstore.requests": requests };
    try {
      // of many requests at once, so part of none of them
      return await tracer.whole({ name: "intake commit", attributes }, work);
    } finally {
      this.#commits.observe({}, (elapsed() - began) / 1_000);
      this.#groups.observe({}, requests);
    }
  }

  #count(outcome: "accepted" | "duplicate" | "rejected", events: number): void {
    if (events > 0) this.#events.add({ outcome }, events);
  }
}
