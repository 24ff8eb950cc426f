import type { BucketRule, BucketState } from "./types.ts";

/**
 * The arithmetic of one bucket [api.exact-limits].
 *
 * Levels are whole millionths of a unit and time is whole microseconds. A rate of n units a second is then n millionths
 * a microsecond, so that with whole rates every step is exact in a double (below 2^53) and comparisons need no
 * tolerance. Doubles of units would drift: after enough leaks, a bucket with exactly one unit of room would refuse it.
 */
const MICRO = 1_000_000;

/** The stored state of a bucket: level in millionths, time in microseconds, rate in units a second. */
export interface Bucket {
  level: number;
  at: number;
  leak: number;
}

// Math.floor(x + 0.5) and not Math.round: the Lua script rounds with the same expression.
export const toMicro = (units: number): number => Math.floor(units * MICRO + 0.5);

export const stateOf = (levelMicro: number, rule: BucketRule): BucketState => ({
  capacity: rule.capacity,
  level: levelMicro / MICRO,
  leakPerSecond: rule.leakPerSecond,
});

/** The level in millionths at `now`. If the clock stepped back, nothing leaks. */
export const levelAt = (bucket: Bucket, now: number): number => {
  const elapsed = now - bucket.at;
  if (elapsed <= 0) return bucket.level;
  return Math.max(0, bucket.level - Math.floor(bucket.leak * elapsed + 0.5));
};

/** Whole units that still fit, never below 0. */
export const remaining = (state: BucketState): number =>
  Math.max(0, Math.floor((toMicro(state.capacity) - toMicro(state.level)) / MICRO));

// A quotient of integers below 2^53 never rounds to a whole number that it does not equal, so ceil is exact.
const secondsToLeak = (micro: number, rule: BucketRule): number => Math.ceil(micro / toMicro(rule.leakPerSecond));

/** Whole seconds until the bucket is empty. */
export const resetSeconds = (state: BucketState): number => secondsToLeak(toMicro(state.level), state);

/** Whole seconds that a full bucket takes to empty. */
export const windowSeconds = (rule: BucketRule): number => secondsToLeak(toMicro(rule.capacity), rule);

/** Whole seconds until `cost` units fit, at least 1 [api.retry-after]. */
export const retryAfterSeconds = (state: BucketState, cost: number): number =>
  Math.max(1, secondsToLeak(toMicro(state.level) + toMicro(cost) - toMicro(state.capacity), state));
