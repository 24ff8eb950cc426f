import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { sessionPrefix } from "./load-sessions.ts";
import { openHistogram, record, type Times, timesOf } from "./load-tally.ts";

/**
 * The receiver of a load run's webhooks, in a separate process: counts events, repeated ones once, and measures how
 * long after its cause a delivery arrives. `quiz.started` counts from when the request with the first answer was due,
 * which is encoded in the session's id; `quiz.finished` from when it may be sent, a minute after the end.
 */

export interface ReceivedReport {
  /** by topic */
  events: Record<string, number>;
  /** deliveries of events that had arrived already */
  repeated: number;
  started: Times;
  finished: Times;
}

/** The delay of quiz.finished, which lets it include the shopper's further actions. */
const finishedWaitMs = 60_000;

const seen = new Map<string, Set<string>>();
let repeated = 0;
const started = openHistogram();
const finished = openHistogram();

const dueAtOfSession = new RegExp(`"id":"sess_${sessionPrefix}([0-9a-f]{12})`);

function take(id: string, body: string): void {
  const topic = /"type":"([a-z._]+)"/.exec(body)?.[1] ?? "unknown";
  const ids = seen.get(topic) ?? new Set();
  seen.set(topic, ids);
  if (ids.has(id)) repeated += 1;
  else if (topic === "quiz.started") {
    const dueAt = dueAtOfSession.exec(body)?.[1];
    if (dueAt !== undefined) record(started, Date.now() - Number.parseInt(dueAt, 16));
  } else if (topic === "quiz.finished") {
    const created = /"created":"([^"]+)"/.exec(body)?.[1] ?? "";
    record(finished, Date.now() - Date.parse(created) - finishedWaitMs);
  }
  ids.add(id);
}

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    response.writeHead(204).end();
    take(String(request.headers["webhook-id"]), body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));

process.on("message", () => {
  const events = Object.fromEntries(Array.from(seen, ([topic, ids]) => [topic, ids.size]));
  const report: ReceivedReport = { events, repeated, started: timesOf(started), finished: timesOf(finished) };
  process.send?.(report);
});
process.on("disconnect", () => process.exit());
