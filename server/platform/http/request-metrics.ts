import type { ElapsedClock } from "../deadline.ts";
import { type Counter, type Histogram, type Meter, requestSeconds } from "../metrics/types.ts";

/** Requests, counted when their answer is out; `status` is 0 where there was none. */
export type CountRequest = (request: { method: string; route: string; status: number; began: number }) => void;

/** Those that browsers and clients use; whatever else somebody tries is one kind. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Route of requests that have none. */
export const noRoute = "none";

export function requestMetrics(meter: Meter, elapsed: ElapsedClock): CountRequest {
  const requests: Counter<"method" | "route" | "status"> = meter.counter({
    name: "quizstore_http_requests_total",
    help: "Requests by method, route template and class of status",
    labels: ["method", "route", "status"],
  });
  const durations: Histogram<"route"> = meter.histogram({
    name: "quizstore_http_request_seconds",
    help: "From a request's head to the end of its answer, by route template",
    labels: ["route"],
    buckets: requestSeconds,
  });
  return ({ method, route, status, began }) => {
    const known = methods.has(method) ? method : "other";
    requests.add({ method: known, route, status: status === 0 ? "unsent" : `${Math.floor(status / 100)}xx` });
    durations.observe({ route }, (elapsed() - began) / 1_000);
  };
}
