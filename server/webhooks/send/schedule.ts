/** When a failed attempt is retried [webhooks.schedule, webhooks.retry-after]. Pure; all times in ms. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The waits before each attempt except the first, which is immediate. */
const waits = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour] as const;

export const attemptsAtMost = waits.length + 1;

/** An endpoint that has been failing for this long is disabled. */
export const failingAtMostMs = 120 * hour;

/** A receiver can extend the scheduled wait by at most this much. */
const longerAtMostMs = 2 * hour;

/**
 * Allowance for the time from when an attempt is due until it is sent, so that it still arrives within the 20 % jitter.
 */
const sentWithinMs = 100;

/** Varies waits by up to 20 % either way, so that attempts that failed together are not retried together. */
const jittered = (wait: number, chance: number): number =>
  Math.round(Math.min(wait * (0.8 + 0.4 * chance), wait * 1.2 - sentWithinMs));

export interface Failure {
  /** attempts made, including this one */
  attempts: number;
  /** calendar time */
  now: number;
  /** random number from 0 to 1 for the jitter */
  chance: number;
  /** the receiver's Retry-After in real ms; null if it sent none */
  retryAfterMs: number | null;
  /** returns the calendar time after this much real time: a receiver asks for real seconds */
  afterReal: (milliseconds: number) => number;
}

/** The calendar time of the next attempt; null if there are no more. */
export function nextAttemptAt(failure: Failure): number | null {
  const wait = waits[failure.attempts - 1];
  return wait === undefined ? null : lengthened(failure, jittered(wait, failure.chance));
}

/**
 * Until when an overloaded receiver gets no requests at all: as long as it asks for, but at least the schedule's
 * shortest wait. The longer waits after a delivery's later attempts do not apply to the endpoint, since one old
 * delivery would hold up all others for hours.
 */
export const pausedUntil = (failure: Failure): number => lengthened(failure, jittered(waits[0], failure.chance));

function lengthened({ now, retryAfterMs, afterReal }: Failure, wait: number): number {
  const scheduled = now + wait;
  if (retryAfterMs === null) return scheduled;
  const latest = scheduled + afterReal(longerAtMostMs) - now;
  return Math.max(scheduled, Math.min(afterReal(retryAfterMs), latest));
}

/** The wait that a Retry-After header asks for, in ms from now; null if it is absent or invalid. `unixNow` is in ms. */
export function readRetryAfter(header: string | undefined, unixNow: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * second;
  // Date.parse accepts many texts that are not HTTP dates; every HTTP date begins with a day's name
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text) ? Date.parse(asUtc(text)) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - unixNow);
}

/** asctime dates, which HTTP still allows, name no zone and mean UTC. */
const asUtc = (text: string): string => (/\d{4}$/.test(text) ? `${text} GMT` : text);
