import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import type { Group, Shot } from "./load-mix.ts";

/** Outcomes of a load run's requests, by kind. Times in ms from when a request was due. */

export interface Times {
  p50: number;
  p95: number;
  p99: number;
  longest: number;
}

export interface KindReport extends Times {
  kind: string;
  group: Group;
  requests: number;
  /** by status, or by what happened instead of an answer; without intended refusals */
  errors: Record<string, number>;
  /** number of 429s of stores that get requests beyond their limits on purpose */
  refused: number;
}

export interface GroupReport extends Times {
  requests: number;
}

/** In microseconds, with three digits. */
export const openHistogram = (): RecordableHistogram =>
  createHistogram({ lowest: 1, highest: 1_000_000_000, figures: 3 });

export const record = (histogram: RecordableHistogram, milliseconds: number): void =>
  histogram.record(Math.max(1, Math.round(milliseconds * 1_000)));

export function timesOf(histogram: RecordableHistogram): Times {
  const at = (percentile: number) => (histogram.count === 0 ? 0 : histogram.percentile(percentile) / 1_000);
  return { p50: at(50), p95: at(95), p99: at(99), longest: histogram.count === 0 ? 0 : histogram.max / 1_000 };
}

interface Tallied {
  group: Group;
  requests: number;
  errors: Record<string, number>;
  refused: number;
  times: RecordableHistogram;
}

export class Tally {
  readonly #kinds = new Map<string, Tallied>();
  readonly #groups = new Map<Group, RecordableHistogram>();

  /** @param outcome status, or what happened instead of an answer */
  count({ kind, group, statuses }: Shot, outcome: number | string, milliseconds: number): void {
    const tallied = this.#of(kind, group);
    tallied.requests += 1;
    if (typeof outcome !== "number" || !statuses.includes(outcome)) {
      tallied.errors[outcome] = (tallied.errors[outcome] ?? 0) + 1;
    } else if (outcome === 429) tallied.refused += 1;
    record(tallied.times, milliseconds);
    const ofGroup = this.#groups.get(group) ?? openHistogram();
    this.#groups.set(group, ofGroup);
    record(ofGroup, milliseconds);
  }

  get errors(): number {
    return this.kinds().reduce(
      (sum, { errors }) => sum + Object.values(errors).reduce((all, each) => all + each, 0),
      0,
    );
  }

  kinds(): KindReport[] {
    return Array.from(this.#kinds, ([kind, { times, ...rest }]) => ({ kind, ...rest, ...timesOf(times) }));
  }

  group(group: Group): GroupReport {
    const histogram = this.#groups.get(group) ?? openHistogram();
    return { requests: histogram.count, ...timesOf(histogram) };
  }

  #of(kind: string, group: Group): Tallied {
    const known = this.#kinds.get(kind);
    if (known) return known;
    const made = { group, requests: 0, errors: {}, refused: 0, times: openHistogram() };
    this.#kinds.set(kind, made);
    return made;
  }
}
