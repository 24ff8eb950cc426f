import type { Deadline } from "../deadline.ts";

/** A right to do one of a few things at once; give it back when the thing is done. */
export interface Permit {
  /** Does nothing the second time. */
  release(): void;
}

/** How long a taker waits for a free slot [search.at-once]. */
export const permitWaitMs = 1_000;

/** Slots by name, held across all processes that share them [search.at-once]. */
export interface ConcurrencyLimiter {
  /**
   * One of `capacity` slots of that name; null when none became free within `slotWaitMs`, or the deadline passed.
   * Throws LimiterUnavailable when the slots cannot be counted.
   */
  acquire(name: string, capacity: number, deadline?: Deadline): Promise<Permit | null>;
  close(): Promise<void>;
}
