/**
 * Elapsed ms without the time in which this process could not run: a busy machine stops a process for seconds at times,
 * and what is measured by the wall then says nothing about the program.
 */
export interface RunningClock {
  now(): number;
  stop(): void;
}

const beatMs = 5;

/** What this process computes counts as running, however long it blocks the event loop. */
export function openRunningClock(): RunningClock {
  let ranMs = 0;
  let last = performance.now();
  let used = process.cpuUsage();
  const now = (): number => {
    const at = performance.now();
    const { user, system } = process.cpuUsage(used);
    ranMs += Math.min(at - last, Math.max(2 * beatMs, (user + system) / 1_000));
    last = at;
    used = process.cpuUsage();
    return ranMs;
  };
  const beats = setInterval(now, beatMs);
  return { now, stop: () => clearInterval(beats) };
}

export interface Timed<Result> {
  result: Result;
  /** elapsed ms; for lower bounds */
  tookMs: number;
  /** those in which this process could run; for upper bounds */
  ranMs: number;
}

/** Measures how long `work` takes. */
export async function timed<Result>(work: () => Result | Promise<Result>): Promise<Timed<Result>> {
  const began = performance.now();
  const clock = openRunningClock();
  try {
    const result = await work();
    const ranMs = clock.now();
    return { result, tookMs: performance.now() - began, ranMs };
  } finally {
    clock.stop();
  }
}
