import type { Outcome } from "./attempt.ts";
import type { Claimed, Settled } from "./delivery-rows.ts";
import { interruptedError } from "./health.ts";
import { attemptsAtMost, nextAttemptAt, pausedUntil } from "./schedule.ts";

/** What an attempt's outcome means for its delivery and for its endpoint [webhooks.schedule, webhooks.down]. Pure. */

export interface Verdict {
  settled: Settled;
  /** calendar ms until which the receiver wants to be left alone; null: it said nothing */
  pauseUntil: number | null;
  /**
   * `down`: whoever is behind the address is in no state to take more, so one request at a time finds out when it is.
   * A receiver that refuses this one event (most of 4xx) is up.
   */
  receiver: "up" | "down" | "unknown";
}

export interface VerdictDeps {
  /** calendar ms */
  now: number;
  /** draws from 0 to 1 */
  chance: () => number;
  afterReal: (milliseconds: number) => number;
}

const requestTimeout = 408;
const tooEarly = 425;
const tooManyRequests = 429;
const serverError = 500;

const isUp = (status: number | null): boolean =>
  status !== null && status < serverError && ![requestTimeout, tooEarly, tooManyRequests].includes(status);

export function judge(claimed: Claimed, url: string, outcome: Outcome, deps: VerdictDeps): Verdict {
  const { error, statusCode, response, retryAfterMs, interrupted } = outcome;
  const { now, chance, afterReal } = deps;
  const common = { claimed, url, at: new Date(now), statusCode, response };
  if (error === null) {
    const settled: Settled = { ...common, status: "delivered", nextAttemptAt: null, error: null };
    return { settled, pauseUntil: null, receiver: "up" };
  }
  const failure = { attempts: claimed.attempts, now, chance: chance(), retryAfterMs, afterReal };
  const scheduled = nextAttemptAt(failure);
  const next = interrupted && scheduled !== null ? now : scheduled;
  const settled: Settled = {
    ...common,
    status: next === null ? "dead" : "retrying",
    nextAttemptAt: next === null ? null : new Date(next),
    error: next === null ? `${error}; no attempts left of ${attemptsAtMost}` : interrupted ? interruptedError : error,
  };
  if (interrupted) return { settled, pauseUntil: null, receiver: "unknown" };
  const pauses = statusCode === tooManyRequests || retryAfterMs !== null;
  return { settled, pauseUntil: pauses ? pausedUntil(failure) : null, receiver: isUp(statusCode) ? "up" : "down" };
}

/** An attempt that was not begun: as it was before it was claimed. */
export const returned = (claimed: Claimed, now: number): Settled => ({
  claimed,
  url: "",
  status: "returned",
  at: new Date(now),
  nextAttemptAt: null,
  statusCode: null,
  response: null,
  error: null,
});
