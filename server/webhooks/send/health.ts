import { type Calendar, isoTime } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/sql.ts";
import { formatId, type RandomBytes, uuidAt } from "../../platform/ids.ts";
import { appendEvents } from "../../platform/outbox.ts";
import type { EndpointKey, Settled } from "./delivery-rows.ts";
import { failingAtMostMs } from "./schedule.ts";

/** Whether an endpoint works, and when it is given up [webhooks.disable]. */

export interface Health {
  status: string;
  failing_since: Date | null;
  /** set with the outcome that disables */
  disabled_reason?: "failing" | "gone";
  disabled_at?: Date;
}

const goneStatus = 410;

/** The endpoint's health after these outcomes, taken in the order in which they came. Pure. */
export function healthAfter(before: Pick<Health, "status" | "failing_since">, outcomes: readonly Settled[]): Health {
  const health: Health = { status: before.status, failing_since: before.failing_since };
  for (const { status, at, statusCode, error } of outcomes) {
    if (health.status !== "enabled") break;
    if (status === "delivered") health.failing_since = null;
    // interrupted by us, or not begun
    if (status === "delivered" || status === "returned" || error?.startsWith(interruptedError)) continue;
    health.failing_since ??= at;
    const failing = at.getTime() - health.failing_since.getTime() >= failingAtMostMs;
    if (statusCode !== goneStatus && !failing) continue;
    health.status = "disabled";
    health.disabled_reason = statusCode === goneStatus ? "gone" : "failing";
    health.disabled_at = at;
  }
  return health;
}

/** `last_error` of an attempt that this program ended. */
export const interruptedError = "interrupted";

interface AnnounceDeps {
  random: RandomBytes;
  calendar: Calendar;
}

/** webhook.endpoint.disabled, for the store's other endpoints [webhooks.disabled-event]. */
export async function announceDisabled(
  tx: Transaction,
  { random, calendar }: AnnounceDeps,
  { storeId, id }: EndpointKey,
  url: string,
  { failing_since: failingSince, disabled_reason: reason, disabled_at: at }: Health,
): Promise<void> {
  if (at === undefined) return;
  const endpointId = formatId("whe", id);
  await appendEvents(tx, storeId, calendar.now(), [
    {
      id: uuidAt(at.getTime(), random),
      topic: "webhook.endpoint.disabled",
      created: at,
      due: at,
      quizId: null,
      sessionId: null,
      profileId: null,
      data: {
        endpoint_id: endpointId,
        url,
        reason,
        failing_since: failingSince && isoTime(failingSince),
        disabled_at: isoTime(at),
      },
    },
  ]);
}
