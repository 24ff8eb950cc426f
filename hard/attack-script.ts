import type { Sender } from "./attack-send.ts";
import type { Ground } from "./attack-world.ts";

/**
 * The interface of scripted attacks. Each file holds those of one kind: attack-sessions, attack-bodies, attack-figures,
 * attack-people, attack-passwords.
 */

export interface Scene {
  ground: Ground;
  /** the attacker's, with a single address */
  sender: Sender;
  scale: number;
  /** ms: p99 of honest reads without the attack, which shows the machine's other load */
  calmMs: number;
}

export interface Finding {
  /** the result's text for the table */
  measured: string;
  faults: string[];
}

export interface Attack {
  /** A single word, for `--only`. */
  name: string;
  what: string;
  /** Time limit, after which the program is killed. */
  seconds: number;
  /** speed of the calendar relative to real time; 1 unless something has to fall due */
  clockSpeed?: number;
  run(scene: Scene): Promise<Finding>;
}

/** A number at this scale: `full` at 1. */
export const scaled = ({ scale }: Scene, full: number, least = 1): number => Math.max(least, Math.round(full * scale));

/**
 * Time limit for an answer: `ms` on an otherwise idle machine, and more on a busy one, in proportion to the delay of
 * honest requests.
 */
export const patience = ({ calmMs }: Scene, ms: number): number => ms + 10 * calmMs;

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** A fault if the condition is false. */
export const must = (holds: boolean, otherwise: string): string[] => (holds ? [] : [otherwise]);

export const inMs = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : `${ms.toFixed(0)} ms`);
export const inMb = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 2 : 0)} MB`;
