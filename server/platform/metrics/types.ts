/**
 * What the program counts of itself for whoever watches it. Slices are given a `Meter` and know no monitoring system;
 * without one they count into nothing.
 *
 * Labels take few values, known beforehand: never an id, an address or a text of somebody's.
 */
export interface Definition<Label extends string> {
  /** as the monitoring system shows it, unit at its end: `quizstore_..._seconds`, `..._bytes`, `..._total` */
  name: string;
  /** one line */
  help: string;
  labels?: readonly Label[];
}

export type Labels<Label extends string> = Readonly<Record<Label, string>>;

/** Only grows. */
export interface Counter<Label extends string> {
  add(labels: Labels<Label>, by?: number): void;
}

/** How values are spread over buckets, with their number and sum. */
export interface Histogram<Label extends string> {
  observe(labels: Labels<Label>, value: number): void;
}

export interface Reading<Label extends string> {
  labels: Labels<Label>;
  value: number;
}

export interface Meter {
  /** Asked again by the same name, it gives the same counter. */
  counter<Label extends string = never>(definition: Definition<Label>): Counter<Label>;
  /** `buckets`: upper ends, ascending. Asked again by the same name, it gives the same histogram. */
  histogram<Label extends string = never>(
    definition: Definition<Label> & { buckets: readonly number[] },
  ): Histogram<Label>;
  /** A value that is looked up whenever somebody asks; where the look-up fails, it is left out. */
  gauge<Label extends string = never>(
    definition: Definition<Label>,
    read: () => readonly Reading<Label>[] | Promise<readonly Reading<Label>[]>,
  ): void;
  /** Totals that somebody else counts, such as the operating system. */
  total<Label extends string = never>(definition: Definition<Label>, read: () => readonly Reading<Label>[]): void;
}

const nothing = { add: () => undefined, observe: () => undefined };

/** Counts into nothing: for commands, and for tests of other things. */
export const noMeter: Meter = {
  counter: () => nothing,
  histogram: () => nothing,
  gauge: () => undefined,
  total: () => undefined,
};

/** Seconds: from what a cache answers to what a request may take at most. */
export const requestSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Seconds of work in the background. */
export const workSeconds = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800];
