import type { Sender } from "./attack-send.ts";
import type { Ground } from "./attack-world.ts";

/** What a scripted attack is. Those of one kind lie in a file: attack-sessions, attack-bodies, attack-figures, attack-people, attack-passwords. */

export interface Scene {
  ground: Ground;
  /** the attacker's, from one address */
  sender: Sender;
  scale: number;
  /** ms: p99 of honest reads without the attack, which tells how busy the machine is with other things */
  calmMs: number;
}

export interface Finding {
  /** for the table */
  measured: string;
  faults: string[];
}

export interface Attack {
  /** One word, for `--only`. */
  name: string;
  what: string;
  /** Longer than this, and the program is killed. */
  seconds: number;
  /** how many times as fast as real time the calendar runs; 1 unless something has to fall due */
  clockSpeed?: number;
  run(scene: Scene): Promise<Finding>;
}

/** How many of something at this scale: `full` at 1. */
export const scaled = ({ scale }: Scene, full: number, least = 1): number => Math.max(least, Math.round(full * scale));

/**
 * Longer than this no answer may take: on a machine with nothing else to do `ms`, on a busy one as many times that as it
 * holds up everybody.
 */
export const patience = ({ calmMs }: Scene, ms: number): number => ms + 10 * calmMs;

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** A fault where it does not hold. */
export const must = (holds: boolean, otherwise: string): string[] => (holds ? [] : [otherwise]);

export const inMs = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(0)} ms`);
export const inMb = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;
