/** When a failed attempt is followed by the next [webhooks.schedule, webhooks.retry-after]. Pure; all times in ms. */

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** Before each attempt but the first, which comes at once. */
const waits = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 10 * hour] as const;

export const attemptsAtMost = waits.length + 1;

/** An endpoint that failed this long is disabled. */
export const failingAtMostMs = 120 * hour;

/** A receiver may ask for this much more than the schedule. */
const longerAtMostMs = 2 * hour;

/** Between its time and its sending an attempt has this long, so that it comes within the fifth by which waits vary. */
const sentWithinMs = 100;

/** Spreads waits by a fifth either way, so that what failed together does not come again together. */
const jittered = (wait: number, chance: number): number =>
  Math.round(Math.min(wait * (0.8 + 0.4 * chance), wait * 1.2 - sentWithinMs));

export interface Failure {
  /** attempts made, this one included */
  attempts: number;
  /** calendar time */
  now: number;
  /** 0 to 1, for the jitter */
  chance: number;
  /** what the receiver asked for, in real ms; null: nothing */
  retryAfterMs: number | null;
  /** calendar time after that much real time: a receiver's wish is in its own, real seconds */
  afterReal: (milliseconds: number) => number;
}

/** The calendar time of the next attempt; null: that was the last. */
export function nextAttemptAt(failure: Failure): number | null {
  const wait = waits[failure.attempts - 1];
  return wait === undefined ? null : lengthened(failure, jittered(wait, failure.chance));
}

/**
 * Until when a receiver that is overloaded gets nothing at all: as long as it asks for, at least the schedule's
 * shortest wait. The longer waits of a delivery's later attempts are not the endpoint's: one late delivery would hold
 * up all others for hours.
 */
export const pausedUntil = (failure: Failure): number => lengthened(failure, jittered(waits[0], failure.chance));

function lengthened({ now, retryAfterMs, afterReal }: Failure, wait: number): number {
  const scheduled = now + wait;
  if (retryAfterMs === null) return scheduled;
  const latest = scheduled + afterReal(longerAtMostMs) - now;
  return Math.max(scheduled, Math.min(afterReal(retryAfterMs), latest));
}

/** What a Retry-After header asks for, in ms from now; null when it is absent or no such header. `unixNow` in ms. */
export function readRetryAfter(header: string | undefined, unixNow: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * second;
  // Date.parse takes much that is no HTTP-date; all of those begin with a day's name
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(text) ? Date.parse(asUtc(text)) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - unixNow);
}

/** asctime dates, which HTTP still knows, name no zone and mean UTC. */
const asUtc = (text: string): string => (/\d{4}$/.test(text) ? `${text} GMT` : text);
