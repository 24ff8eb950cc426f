import { Histogram } from "prom-client";
import type { BatchAnswer } from "../../contract/storefront.ts";
import { readNumber, workSeconds } from "../platform/metrics/metrics.ts";
import { Tally } from "../platform/metrics/tally.ts";
import { Problem } from "../platform/problems.ts";
import { traceWhole } from "../platform/tracing/spans.ts";
import type { QueueLimits } from "./group-queue.ts";

/** Metrics and traces of the intake of shopper events. */

const events = new Tally<"outcome">({
  name: "quizstore_intake_events_total",
  help: "Shopper events of committed requests: accepted, rejected, duplicate",
  labelNames: ["outcome"],
});
const countAccepted = events.of({ outcome: "accepted" });
const countDuplicates = events.of({ outcome: "duplicate" });
const countRejected = events.of({ outcome: "rejected" });

const requests = new Tally<"outcome">({
  name: "quizstore_intake_requests_total",
  help: "Requests with shopper events by what became of them",
  labelNames: ["outcome"],
});

const countRobots = new Tally<never>({
  name: "quizstore_intake_robot_requests_total",
  help: "Requests with events of robots, which count nowhere",
  labelNames: [],
}).of({});

/** Counts a request whose sender is a robot, and passes the finding on. */
export function measureRobot(isRobot: boolean): boolean {
  if (isRobot) countRobots();
  return isRobot;
}

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

const countCommitted = requests.of({ outcome: "committed" });
const countFailed = requests.of({ outcome: "failed" });
/** by the error's title */
const countRefused = new Map([
  ["dependency_unavailable", requests.of({ outcome: "unavailable" })],
  ["timeout", requests.of({ outcome: "timeout" })],
  ["validation_error", requests.of({ outcome: "invalid" })],
]);

/** Measures what is waiting in the queue. */
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
    countCommitted();
    countAccepted(answer.accepted);
    countDuplicates(answer.duplicates);
    countRejected(answer.rejected.length);
    return answer;
  } catch (error) {
    const count = error instanceof Problem ? countRefused.get(error.title) : undefined;
    (count ?? countFailed)();
    throw error;
  }
}

export async function measureCommit<Result>(
  storeId: string,
  requestCount: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const attributes = { "quizstore.store_id": storeId, "quizstore.requests": requestCount };
  const observeTime = commits.startTimer();
  try {
    // a trace of its own: a commit serves many requests, so it is part of none of them
    return await traceWhole({ name: "intake commit", attributes }, work);
  } finally {
    observeTime();
    groups.observe(requestCount);
  }
}
