import type { Deadline } from "../deadline.ts";

/** The right to run one of a limited number of concurrent tasks; release it when the task is done. */
export interface Permit {
  /** Does nothing the second time. */
  release(): void;
}

/** How many ms a caller waits for a permit [search.at-once]. */
export const permitWaitMs = 1_000;

/** Permits by name, counted across all processes that share them [search.at-once]. */
export interface ConcurrencyLimiter {
  /**
   * Takes one of `capacity` permits with that name; null if none became free within `permitWaitMs`, or the deadline
   * passed. Throws LimiterUnavailable if the permits cannot be counted.
   */
  acquire(name: string, capacity: number, deadline?: Deadline): Promise<Permit | null>;
  close(): Promise<void>;
}
