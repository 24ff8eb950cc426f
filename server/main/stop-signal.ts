import type { ElapsedClock } from "../platform/deadline.ts";

/**
 * Requests to stop, by signals from the terminal or the system [operations.stop]. One Ctrl-C arrives several times:
 * from the terminal, again from npm, and again from what npm runs in between. So signals within a second count as one
 * request.
 */
export interface StopRequests {
  /** the first: stop gracefully */
  graceful: Promise<void>;
  /** a second one: do not wait for running work */
  immediate: Promise<void>;
  /** the signals stay caught, because the last of one Ctrl-C may arrive after everything is closed */
  release: () => void;
}

interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
}

interface StopDeps {
  source: SignalSource;
  elapsed: ElapsedClock;
  /** a third request: exit at once, whatever is left behind */
  leave: () => void;
}

/** ms for running requests to finish */
export const drainMs = 30_000;
/** ms for closing after that, commits and sends in progress included */
const closeMs = 8_000;
/** ms for the embedded PostgreSQL to end once closing is given up; it has been told to, and ends without us too */
export const leaveMs = 3_000;

/** Ms from the request to stop to the moment at which what is still under way is cut off. */
export const cutOffMs = (drainSeconds: number): number => Math.max(drainMs, drainSeconds * 1_000) + closeMs;

/** The longest that a program takes to stop, in ms: what the deployment files have to wait for [operations.grace]. */
export const longestStopMs = (drainSeconds: number): number => cutOffMs(drainSeconds) + leaveMs;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const sameRequestMs = 1_000;
const parentEveryMs = 1_000;

export function stopRequests({ source, elapsed, leave }: StopDeps): StopRequests {
  const graceful = Promise.withResolvers<void>();
  const quick = Promise.withResolvers<void>();
  let requests = 0;
  let since = Number.NEGATIVE_INFINITY;
  const request = (): void => {
    if (elapsed() - since < sameRequestMs) return;
    since = elapsed();
    requests += 1;
    if (requests === 1) graceful.resolve();
    else if (requests === 2) quick.resolve();
    else leave();
  };
  for (const signal of signals) source.on(signal, request);
  const parent = process.ppid;
  // if npm is killed, its child keeps running, and nobody could stop it any more
  const watch = process.env["npm_lifecycle_event"]
    ? setInterval(() => process.ppid !== parent && graceful.resolve(), parentEveryMs).unref()
    : undefined;
  return { graceful: graceful.promise, immediate: quick.promise, release: () => clearInterval(watch) };
}
