/**
 * The interface of hard tests: suites too long, too random or too violent for `npm test`. `node hard/run.ts` runs them.
 */

export interface HardRun {
  seed: number;
  /** 1 = the full size; each suite sets its own smaller one for --short */
  scale: number;
  /** Seeded, in [0, 1): every decision of a reproducible run comes from here or from `seed`. */
  random: () => number;
  /** Root of the checkout whose program is tested: this one unless `--program` names another. */
  program: string;
  /** The parts named by `--only`; empty: all. */
  only: readonly string[];
  /** Registers something to close or remove when the suite is over, however it ends; the last is closed first. */
  atEnd(close: () => unknown): void;
  /** Prints a line of the report. */
  say(line: string): void;
}

export interface HardSuite {
  /** One word, as in `hard/<name>.hard.ts`. */
  name: string;
  /** One sentence. */
  what: string;
  /**
   * The scale for --short, at which all suites together take at most three minutes on two slow cores, except
   * `journeys` and `sweeps`, which always run completely.
   */
  short: number;
  /** It has parts that can be run separately, and runs against other checkouts: `--only`, `--program`. */
  inParts?: true;
  /**
   * Returns the failures, each with instructions to reproduce it; empty if there are none. Throwing counts as one
   * failure.
   */
  run(run: HardRun): Promise<readonly string[]>;
}

/** A number for a run: `full` at scale 1, at least `least`. */
export function sized(run: Pick<HardRun, "scale">, full: number, least = 1): number {
  return Math.max(least, Math.round(full * run.scale));
}
