import { Counter, Histogram } from "prom-client";
import { requestSeconds } from "../metrics/metrics.ts";

/** Those that browsers and clients use; whatever else somebody tries is one kind. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Route of requests that have none. */
export const noRoute = "none";

const requests = new Counter({
  name: "quizstore_http_requests_total",
  help: "Requests by method, route template and class of status",
  labelNames: ["method", "route", "status"],
});

const durations = new Histogram({
  name: "quizstore_http_request_seconds",
  help: "From a request's head to the end of its answer, by route template",
  labelNames: ["route"],
  buckets: requestSeconds,
});

/** A request whose answer is out; `status` is 0 where there was none. */
export function countRequest(request: { method: string; route: string; status: number; seconds: number }): void {
  const { method, route, status, seconds } = request;
  const known = methods.has(method) ? method : "other";
  requests.inc({ method: known, route, status: status === 0 ? "unsent" : `${Math.floor(status / 100)}xx` });
  durations.observe({ route }, seconds);
}
