import { interruptedError, type Outcome } from "./outcome.ts";
import { failingAtMostMs } from "./schedule.ts";

/** Columns of an endpoint's row: whether it works, and when and why it was disabled [webhooks.disable]. */
export interface EndpointStatus {
  status: string;
  failing_since: Date | null;
  disabled_reason: string | null;
  disabled_at: Date | null;
}

const goneStatus = 410;

/** The endpoint's status after these outcomes, which must be in chronological order. Pure. */
export function statusAfter(before: EndpointStatus, outcomes: readonly Outcome[]): EndpointStatus {
  let { failing_since: failingSince } = before;
  if (before.status !== "enabled") return before;
  for (const { status, at, statusCode, error } of outcomes) {
    if (status === "delivered") failingSince = null;
    // interrupted by this program, or not started
    if (status === "delivered" || status === "returned" || error?.startsWith(interruptedError)) continue;
    failingSince ??= at;
    const reason = statusCode === goneStatus ? "gone" : "failing";
    if (reason === "gone" || at.getTime() - failingSince.getTime() >= failingAtMostMs)
      return { status: "disabled", failing_since: failingSince, disabled_reason: reason, disabled_at: at };
  }
  return { ...before, failing_since: failingSince };
}
