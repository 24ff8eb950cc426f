import type { AttemptResult } from "./attempt.ts";
import { attemptsAtMost, nextAttemptAt, pausedUntil } from "./schedule.ts";

/** What the result of an attempt means for its delivery and its endpoint [webhooks.schedule, webhooks.down]. Pure. */

export interface Claimed {
  /** UUID of the `whd_` id */
  id: string;
  /** UUID of the `evt_` id */
  eventId: string;
  /** including this attempt */
  attempts: number;
  /** when this attempt was due */
  due: Date;
  payload: string;
}

/** What becomes of a claimed delivery. */
export interface Outcome {
  claimed: Claimed;
  /** the address it was sent to */
  url: string;
  /** `returned`: the attempt was not started and its claim is undone */
  status: "delivered" | "retrying" | "dead" | "returned";
  /** calendar time */
  at: Date;
  /** time of the next attempt; null if there is none */
  nextAttemptAt: Date | null;
  statusCode: number | null;
  response: string | null;
  error: string | null;
}

export interface Conclusion {
  outcome: Outcome;
  /** calendar ms until which the receiver asked for a pause; null if it did not ask */
  pauseUntil: number | null;
  /**
   * `down`: the receiver cannot take more at the moment, so single requests probe until it can. A receiver that merely
   * refuses this event (most 4xx) is up.
   */
  receiver: "up" | "down" | "unknown";
}

export interface OutcomeDeps {
  /** calendar ms */
  now: number;
  /** returns a random number from 0 to 1 */
  chance: () => number;
  afterReal: (milliseconds: number) => number;
}

/** The `last_error` of an attempt that this program ended. */
export const interruptedError = "interrupted";

const requestTimeout = 408;
const tooEarly = 425;
const tooManyRequests = 429;
const serverError = 500;

const isUp = (status: number | null): boolean =>
  status !== null && status < serverError && ![requestTimeout, tooEarly, tooManyRequests].includes(status);

export function concludeAttempt(claimed: Claimed, url: string, result: AttemptResult, deps: OutcomeDeps): Conclusion {
  const { error, statusCode, response, retryAfterMs, interrupted } = result;
  const { now, chance, afterReal } = deps;
  const common = { claimed, url, at: new Date(now), statusCode, response };
  if (error === null) {
    const outcome: Outcome = { ...common, status: "delivered", nextAttemptAt: null, error: null };
    return { outcome, pauseUntil: null, receiver: "up" };
  }
  const failure = { attempts: claimed.attempts, now, chance: chance(), retryAfterMs, afterReal };
  const scheduled = nextAttemptAt(failure);
  const next = interrupted && scheduled !== null ? now : scheduled;
  const outcome: Outcome = {
    ...common,
    status: next === null ? "dead" : "retrying",
    nextAttemptAt: next === null ? null : new Date(next),
    error: next === null ? `${error}; no attempts left of ${attemptsAtMost}` : interrupted ? interruptedError : error,
  };
  if (interrupted) return { outcome, pauseUntil: null, receiver: "unknown" };
  const pauses = statusCode === tooManyRequests || retryAfterMs !== null;
  return { outcome, pauseUntil: pauses ? pausedUntil(failure) : null, receiver: isUp(statusCode) ? "up" : "down" };
}

/** The outcome of an attempt that was not started: the delivery returns to its state before the claim. */
export const returned = (claimed: Claimed, now: number): Outcome => ({
  claimed,
  url: "",
  status: "returned",
  at: new Date(now),
  nextAttemptAt: null,
  statusCode: null,
  response: null,
  error: null,
});
