/** What a hard test is: a suite too long, too random or too violent for `npm test`. `node hard/run.ts` runs them. */

export interface HardRun {
  seed: number;
  /** 1 = the full size; each suite names its own smaller one for --short */
  scale: number;
  /** Seeded, in [0, 1): every decision of a run that is to be replayed comes from here or from `seed`. */
  random: () => number;
  /** Root of the checkout whose program is tested: this one unless `--program` names another. */
  program: string;
  /** Parts that `--only` names; all when it is empty. */
  only: readonly string[];
  /** Has something closed or removed when the suite is over, however it ends; the last comes first. */
  atEnd(close: () => unknown): void;
  /** A line of the report, for people. */
  say(line: string): void;
}

export interface HardSuite {
  /** One word, as in `hard/<name>.hard.ts`. */
  name: string;
  /** One sentence. */
  what: string;
  /**
   * The scale under --short, at which all suites together take at most three minutes on two slow cores, but for `journeys`, which are
   * always whole.
   */
  short: number;
  /** It has parts that can be run alone, and runs against other checkouts: `--only`, `--program`. */
  inParts?: true;
  /**
   * Gives the failures, each with what shows it again; none where all is well. Throwing counts as one failure.
   */
  run(run: HardRun): Promise<readonly string[]>;
}

/** How many of something a run does: `full` at scale 1, at least `least`. */
export function sized(run: Pick<HardRun, "scale">, full: number, least = 1): number {
  return Math.max(least, Math.round(full * run.scale));
}
