import type { ElapsedClock } from "../../platform/deadline.ts";
import { type Meter, workSeconds } from "../../platform/metrics/types.ts";
import type { Span, Tracer } from "../../platform/tracing/types.ts";
import type { Outcome } from "./attempt.ts";
import type { Settled } from "./delivery-rows.ts";

/** What the deliverer tells of itself. */

export interface SendWatch {
  meter: Meter;
  tracer: Tracer;
  elapsed: ElapsedClock;
}

/** An attempt under way. */
export interface WatchedAttempt {
  /** @param status what becomes of its delivery */
  ended(outcome: Outcome, status: Settled["status"]): void;
}

export class SendMetrics {
  readonly #watch: SendWatch;
  readonly #attempts;
  readonly #durations;

  constructor(watch: SendWatch) {
    this.#watch = watch;
    this.#attempts = watch.meter.counter<"outcome">({
      name: "quizstore_webhook_attempts_total",
      help: "Attempts by what became of their delivery: delivered, retrying, dead",
      labels: ["outcome"],
    });
    this.#durations = watch.meter.histogram<"outcome">({
      name: "quizstore_webhook_attempt_seconds",
      help: "From an attempt's beginning to its end, the receiver's answer included",
      labels: ["outcome"],
      buckets: workSeconds,
    });
  }

  /** What is under way at the moment. */
  present(read: () => { lanes: number; attempts: number }): void {
    const reading = (value: number) => [{ labels: {}, value }];
    const { meter } = this.#watch;
    meter.gauge({ name: "quizstore_webhook_endpoints_held", help: "Endpoints that this process sends for" }, () =>
      reading(read().lanes),
    );
    meter.gauge({ name: "quizstore_webhook_attempts_under_way", help: "Attempts that have not ended" }, () =>
      reading(read().attempts),
    );
  }

  /** @param url of the receiver; only its host is told, since the rest may hold a secret */
  attempt(url: string, eventId: string, number: number): WatchedAttempt {
    const { elapsed, tracer } = this.#watch;
    const began = elapsed();
    const span = tracer.begin({
      name: "POST webhook",
      kind: "client",
      attributes: {
        "http.request.method": "POST",
        "server.address": new URL(url).hostname,
        "quizstore.event_id": eventId,
        "quizstore.attempt": number,
      },
    });
    return {
      ended: (outcome, status) => {
        this.#attempts.add({ outcome: status });
        this.#durations.observe({ outcome: status }, (elapsed() - began) / 1_000);
        end(span, outcome);
      },
    };
  }
}

function end(span: Span, { statusCode, error, interrupted }: Outcome): void {
  if (statusCode !== null) span.set({ "http.response.status_code": statusCode });
  // the sentence may quote what the receiver's certificate or name server says
  if (error !== null) span.fail(interrupted ? "interrupted" : statusCode === null ? "no_answer" : String(statusCode));
  span.end();
}
