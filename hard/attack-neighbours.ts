import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Ground } from "./attack-world.ts";

/** Starts the process of honest clients (attack-neighbours-process.ts), and receives its reports. */

interface Live {
  store: string;
  quiz_id: string;
  version_id: string;
}

export interface NeighbourPlan {
  url: string;
  /** the attacked store's quiz */
  own: Live;
  others: readonly (Live & { key: string })[];
  /** requests, one third of each kind */
  perSecond: number;
}

interface KindReport {
  requests: number;
  /** ms */
  p50: number;
  p99: number;
  slowest: number;
  /** number of unexpected answers by status */
  wrong: Record<string, number>;
  /** an example for each of these */
  samples: string[];
}

export interface NeighbourReport {
  kinds: Record<string, KindReport>;
}

export class Neighbours {
  readonly #child: ChildProcess;

  constructor({ url, victim, neighbours }: Ground, perSecond = 30) {
    this.#child = fork(join(import.meta.dirname, "attack-neighbours-process.ts"));
    const liveOf = (publishableKey: string, quiz: { quiz_id: string; version_id: string }): Live => {
      return { store: publishableKey, quiz_id: quiz.quiz_id, version_id: quiz.version_id };
    };
    const own = liveOf(victim.publishableKey, victim.quizzes.short);
    const others = neighbours.map(({ publishableKey, quiz, key }) => ({ ...liveOf(publishableKey, quiz), key }));
    const plan: NeighbourPlan = { url, own, others, perSecond };
    this.#child.send(plan);
  }

  /** Reports the requests since the last report. */
  async report(): Promise<NeighbourReport> {
    const answer = once(this.#child, "message");
    this.#child.send("report");
    const [report] = (await answer) as [NeighbourReport];
    return report;
  }

  /** Stops sending; requests in flight are still answered. */
  pause(): void {
    this.#child.send("pause");
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

/** `others' reads p50 3, p99 12, slowest 40 ms (2 x 503)` */
export function neighbourLine({ kinds }: NeighbourReport): string {
  return Object.entries(kinds)
    .map(([name, { p50, p99, slowest, wrong }]) => {
      const odd = Object.entries(wrong).map(([status, times]) => `${times} x ${status}`);
      const bad = odd.length > 0 ? ` (${odd.join(", ")})` : "";
      return `${name} p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)}, slowest ${slowest.toFixed(0)} ms${bad}`;
    })
    .join("; ");
}

/** The maximum p99 in ms, given the p99 without the attack. */
export type NeighbourBound = (alone: number) => number;

/** Violations of what honest clients are entitled to. */
export function neighbourFaults(alone: NeighbourReport, now: NeighbourReport, bound: NeighbourBound): string[] {
  return Object.entries(now.kinds).flatMap(([name, { p99, wrong, requests, samples }]) => {
    const calm = alone.kinds[name]?.p99 ?? 0;
    const odd = Object.entries(wrong).map(([status, times]) => `${name}: ${times} of ${requests} answered ${status}`);
    const slow = p99 > bound(calm) ? [`${name}: p99 ${p99.toFixed(0)} ms, alone ${calm.toFixed(0)}`] : [];
    return [...odd, ...samples.map((sample) => `${name}: ${sample}`), ...slow];
  });
}
