import { type Span, SpanKind } from "@opentelemetry/api";
import { Counter, Histogram } from "prom-client";
import { readNumber, workSeconds } from "../../platform/metrics/metrics.ts";
import { beginSpan, failSpan } from "../../platform/tracing/spans.ts";
import type { AttemptResult } from "./attempt.ts";
import type { Outcome } from "./outcome.ts";

/** Metrics and spans of the deliverer. */

const attempts = new Counter({
  name: "quizstore_webhook_attempts_total",
  help: "Attempts by the new status of their delivery: delivered, retrying, dead",
  labelNames: ["outcome"],
});

const durations = new Histogram({
  name: "quizstore_webhook_attempt_seconds",
  help: "Duration of an attempt, including the receiver's response",
  labelNames: ["outcome"],
  buckets: workSeconds,
});

/** Exports gauges of the current work. */
export function measureSending(read: () => { endpoints: number; attempts: number }): void {
  readNumber("quizstore_webhook_endpoints_held", "Endpoints that this process sends for", () => read().endpoints);
  readNumber("quizstore_webhook_attempts_under_way", "Attempts that have not ended", () => read().attempts);
}

/** A running attempt. */
export interface MeasuredAttempt {
  /** @param status what becomes of its delivery */
  ended(result: AttemptResult, status: Outcome["status"]): void;
}

/** @param url of the receiver; only its host is recorded, since the rest may contain a secret */
export function measureAttempt(url: string, eventId: string, number: number): MeasuredAttempt {
  const observeTime = durations.startTimer();
  const attributes = {
    "http.request.method": "POST",
    "server.address": new URL(url).hostname,
    "quizstore.event_id": eventId,
    "quizstore.attempt": number,
  };
  const span = beginSpan({ name: "POST webhook", kind: SpanKind.CLIENT, attributes });
  return {
    ended: (result, status) => {
      attempts.inc({ outcome: status });
      observeTime({ outcome: status });
      endSpan(span, result);
    },
  };
}

function endSpan(span: Span, { statusCode, error, interrupted }: AttemptResult): void {
  if (statusCode !== null) span.setAttribute("http.response.status_code", statusCode);
  // only a code, since the error text may quote the receiver's certificate or name server
  if (error !== null)
    failSpan(span, interrupted ? "interrupted" : statusCode === null ? "no_answer" : String(statusCode));
  span.end();
}
