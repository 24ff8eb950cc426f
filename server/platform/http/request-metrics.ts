import { Counter, Histogram } from "prom-client";
import { requestSeconds } from "../metrics/metrics.ts";

/** Methods that browsers and clients use; all others are counted as one. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The route label of requests without a route. */
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

/** Counts an answered request; `status` is 0 if there was no answer. */
export function countRequest(request: { method: string; route: string; status: number; seconds: number }): void {
  const { method, route, status, seconds } = request;
  const known = methods.has(method) ? method : "other";
  requests.inc({ method: known, route, status: status === 0 ? "unsent" : `${Math.floor(status / 100)}xx` });
  durations.observe({ route }, seconds);
}
