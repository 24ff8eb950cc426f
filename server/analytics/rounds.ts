import type { Operation } from "../../contract/operation.ts";
import type { Calendar } from "../platform/clock.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";
import type { CachedAnswer } from "./cached-answers.ts";
import type { Question } from "./question.ts";

/** How old the figures on a screen may be, and the minimum time between the starts of a store's rounds, in real ms. */
const liveMs = 5_000;

/** figures per round; if more are on screens, the least recently requested ones wait for a later round */
const figuresAtMost = 50;

/** for how many more rounds a figure is included after its last request; a screen requests it about once per round */
const watchedRounds = 2;

/**
 * stores that are remembered; beyond that, idle ones whose last round is long enough ago are forgotten, least recently
 * used first
 */
const storesAtMost = 1_000;

/** `liveMs` converted to calendar ms. */
export const refreshMsOf = (calendar: Calendar): number => calendar.afterReal(liveMs) - calendar.now();

/** Questions by answer key. */
export type Questions = ReadonlyMap<string, Question<Operation>>;
/** null: it could not be made in the round, so the request has to make it alone */
export type Outcome = CachedAnswer<unknown> | null;

export interface RoundsDeps {
  calendar: Calendar;
  /** makes figures of one store again, in one read */
  make: (storeId: string, questions: Questions) => Promise<ReadonlyMap<string, Outcome>>;
}

/**
 * Schedules when figures on screens are made again [analytics.live]: all figures on a store's screens in one round, and
 * one round per five seconds, however many people watch [analytics.live-rounds].
 */
export class Rounds {
  readonly #deps: RoundsDeps;
  readonly #stores = new LeastRecentlyUsed<StoreRounds>(
    storesAtMost,
    () => 1,
    (rounds) => rounds.isIdle(),
  );

  constructor(deps: RoundsDeps) {
    this.#deps = deps;
  }

  /** Marks a question as on a screen that requests it repeatedly, so that the next round includes it. */
  watch(key: string, question: Question<Operation>): void {
    this.#of(question).watch(key, question);
  }

  /** The outcome of the current round for this question, if it includes it. */
  underWay(key: string, { selection: { store } }: Question<Operation>): Promise<Outcome> | undefined {
    return this.#stores.get(store.id)?.underWay(key);
  }

  /** The outcome of the current round, or else of the next one, for this question. */
  next(key: string, question: Question<Operation>): Promise<Outcome> {
    return this.#of(question).next(key, question);
  }

  #of({ selection: { store } }: Question<Operation>): StoreRounds {
    const known = this.#stores.get(store.id);
    if (known) return known;
    const rounds = new StoreRounds(store.id, this.#deps);
    this.#stores.set(store.id, rounds);
    return rounds;
  }
}

interface Watched {
  question: Question<Operation>;
  /** calendar ms */
  at: number;
}

interface Requested extends PromiseWithResolvers<Outcome> {
  question: Question<Operation>;
}

class StoreRounds {
  readonly #storeId: string;
  readonly #deps: RoundsDeps;
  /** calendar ms */
  #beganAt = Number.NEGATIVE_INFINITY;
  /** what the current round is making; null if none is running */
  #making: ReadonlyMap<string, Promise<Outcome>> | null = null;
  /** questions that requests wait for, in order of arrival */
  readonly #requested = new Map<string, Requested>();
  /** questions recently on screens, least recently requested first */
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(storeId: string, deps: RoundsDeps) {
    this.#storeId = storeId;
    this.#deps = deps;
  }

  isIdle(): boolean {
    return this.#making === null && this.#requested.size === 0 && this.#waitMs() === 0;
  }

  watch(key: string, question: Question<Operation>): void {
    const { calendar } = this.#deps;
    this.#watched.delete(key);
    this.#watched.set(key, { question, at: calendar.now() });
    if (this.#watched.size <= figuresAtMost) return;
    const [oldest = key] = this.#watched.keys();
    this.#watched.delete(oldest);
  }

  underWay(key: string): Promise<Outcome> | undefined {
    return this.#making?.get(key);
  }

  next(key: string, question: Question<Operation>): Promise<Outcome> {
    const made = this.underWay(key);
    if (made) return made;
    const requested = this.#requested.get(key) ?? { question, ...Promise.withResolvers<Outcome>() };
    this.#requested.set(key, requested);
    // whoever waits for it may be gone before it fails
    requested.promise.catch(() => undefined);
    this.#schedule();
    return requested.promise;
  }

  /** Real ms until a round may start. */
  #waitMs(): number {
    const { calendar } = this.#deps;
    const share = (calendar.now() - this.#beganAt) / refreshMsOf(calendar);
    return Math.max(0, Math.ceil(liveMs * (1 - share)));
  }

  #schedule(): void {
    if (this.#making !== null) return;
    const waitMs = this.#waitMs();
    if (waitMs === 0) void this.#begin();
    else this.#timer ??= setTimeout(() => void this.#begin(), waitMs).unref();
  }

  async #begin(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const requested = [...this.#requested].slice(0, figuresAtMost);
    for (const [key] of requested) this.#requested.delete(key);
    const questions = this.#questionsNow(requested);
    const round = this.#deps.make(this.#storeId, questions);
    const outcomeOf = (key: string) => round.then((outcomes) => outcomes.get(key) ?? null);
    this.#making = new Map([...questions.keys()].map((key) => [key, outcomeOf(key)]));
    for (const made of this.#making.values()) made.catch(() => undefined);
    for (const [key, { resolve }] of requested) resolve(outcomeOf(key));
    await round.catch(() => undefined);
    this.#making = null;
    if (this.#requested.size > 0) this.#schedule();
  }

  /** The questions of a round that starts now: those that requests wait for, and those on screens. */
  #questionsNow(requested: readonly (readonly [string, Requested])[]): Questions {
    const { calendar } = this.#deps;
    const now = calendar.now();
    const since = now - watchedRounds * refreshMsOf(calendar);
    const questions = new Map(requested.map(([key, { question }]) => [key, question]));
    for (const [key, { question, at }] of [...this.#watched].reverse())
      if (at < since) this.#watched.delete(key);
      else if (questions.size < figuresAtMost) questions.set(key, question);
    this.#beganAt = now;
    return questions;
  }
}
