import { Counter, Histogram } from "prom-client";
import type { BatchAnswer } from "../../contract/storefront.ts";
import { readNumber, workSeconds } from "../platform/metrics/metrics.ts";
import { Problem } from "../platform/problems.ts";
import { traceWhole } from "../platform/tracing/spans.ts";
import type { QueueLimits } from "./group-queue.ts";

/** What the intake of shopper events tells of itself. */

const events = new Counter({
  name: "quizstore_intake_events_total",
  help: "Shopper events of committed requests: accepted, rejected, duplicate",
  labelNames: ["outcome"],
});

const requests = new Counter({
  name: "quizstore_intake_requests_total",
  help: "Requests with shopper events by what became of them",
  labelNames: ["outcome"],
});

const commits = new Histogram({
  name: "quizstore_intake_commit_seconds",
  help: "Transactions that commit a group of requests",
  buckets: workSeconds,
});

const groups = new Histogram({
  name: "quizstore_intake_group_requests",
  help: "Requests that were committed together",
  buckets: [1, 2, 4, 8, 16, 32, 64],
});

const refusals: Readonly<Record<string, string>> = {
  dependency_unavailable: "unavailable",
  timeout: "timeout",
  validation_error: "invalid",
};

/** What waits at the moment. */
export function measureQueue(
  { totalBytes }: QueueLimits,
  read: () => { bytes: number; requests: number; groups: number; aside: number },
): void {
  readNumber("quizstore_intake_queue_bytes", "Shopper events that wait for their commit", () => read().bytes);
  readNumber("quizstore_intake_queue_limit_bytes", "Beyond this, shopper events are answered 503", () => totalBytes);
  readNumber("quizstore_intake_queue_requests", "Requests that wait for a group", () => read().requests);
  readNumber("quizstore_intake_commits_under_way", "Groups that are being committed", () => read().groups);
  readNumber(
    "quizstore_intake_commits_aside",
    "Groups under way for so long that others have their places",
    () => read().aside,
  );
}

export async function measureRequest(work: () => Promise<BatchAnswer>): Promise<BatchAnswer> {
  try {
    const answer = await work();
    requests.inc({ outcome: "committed" });
    countEvents("accepted", answer.accepted);
    countEvents("duplicate", answer.duplicates);
    countEvents("rejected", answer.rejected.length);
    return answer;
  } catch (error) {
    const outcome = error instanceof Problem ? refusals[error.title] : undefined;
    requests.inc({ outcome: outcome ?? "failed" });
    throw error;
  }
}

function countEvents(outcome: "accepted" | "duplicate" | "rejected", count: number): void {
  if (count > 0) events.inc({ outcome }, count);
}

export async function measureCommit<Result>(
  storeId: string,
  requestCount: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const attributes = { "quizstore.store_id": storeId, "quizstore.requests": requestCount };
  const observeTime = commits.startTimer();
  try {
    // of many requests at once, so part of none of them
    return await traceWhole({ name: "intake commit", attributes }, work);
  } finally {
    observeTime();
    groups.observe(requestCount);
  }
}
