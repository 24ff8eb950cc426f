import type { Operation } from "../../contract/operation.ts";
import type { Calendar } from "../platform/clock.ts";
import { LeastRecentlyUsed } from "../platform/least-recently-used.ts";
import type { CachedAnswer } from "./cached-answers.ts";
import type { Question } from "./question.ts";

/** How old figures may be that are sent to somebody who looks, and after how long a store's next round may begin, real ms. */
const liveMs = 5_000;

/** figures of a round; of more that are on screens at once, those that were asked for last wait for the round after it */
const figuresAtMost = 50;

/** in how many more rounds a figure is made with the others after it was asked for again: a screen asks about once a round */
const watchedRounds = 2;

/** stores that are remembered; past them those whose last round is over long enough are forgotten, the longest unasked first */
const storesAtMost = 1_000;

/** `liveMs` as it is counted by the calendar. */
export const refreshMsOf = (calendar: Calendar): number => calendar.afterReal(liveMs) - calendar.now();

/** Questions by the keys of their answers. */
export type Questions = ReadonlyMap<string, Question<Operation>>;
/** null: it could not be made with the others, and whoever asks for it goes on alone */
export type Outcome = CachedAnswer<unknown> | null;

export interface RoundsDeps {
  calendar: Calendar;
  /** makes figures of one store anew, together */
  make: (storeId: string, questions: Questions) => Promise<ReadonlyMap<string, Outcome>>;
}

/**
 * When figures are made anew that people look at [analytics.live]: all that are on screens of a store in one round, and
 * one round in five seconds, however many look [analytics.live-rounds].
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

  /** It is on a screen, whose reader asks again and again: the next round makes it with the others. */
  watch(key: string, question: Question<Operation>): void {
    this.#of(question).watch(key, question);
  }

  /** What the round that is under way makes of it. */
  underWay(key: string, { selection: { store } }: Question<Operation>): Promise<Outcome> | undefined {
    return this.#stores.get(store.id)?.underWay(key);
  }

  /** What the round that is under way, or else the next one, makes of it. */
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

interface Wanted extends PromiseWithResolvers<Outcome> {
  question: Question<Operation>;
}

class StoreRounds {
  readonly #storeId: string;
  readonly #deps: RoundsDeps;
  /** calendar ms */
  #beganAt = Number.NEGATIVE_INFINITY;
  /** what is being made now, if a round is under way */
  #making: ReadonlyMap<string, Promise<Outcome>> | null = null;
  /** what somebody waits for, the first to ask first */
  readonly #wanted = new Map<string, Wanted>();
  /** what was on screens lately, the last to be asked for last */
  readonly #watched = new Map<string, Watched>();
  #timer: NodeJS.Timeout | undefined;

  constructor(storeId: string, deps: RoundsDeps) {
    this.#storeId = storeId;
    this.#deps = deps;
  }

  isIdle(): boolean {
    return this.#making === null && this.#wanted.size === 0 && this.#waitMs() === 0;
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
    const wanted = this.#wanted.get(key) ?? { question, ...Promise.withResolvers<Outcome>() };
    this.#wanted.set(key, wanted);
    // whoever waits for it may have left before it fails
    wanted.promise.catch(() => undefined);
    this.#schedule();
    return wanted.promise;
  }

  /** Real ms until a round may begin. */
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
    const wanted = [...this.#wanted].slice(0, figuresAtMost);
    for (const [key] of wanted) this.#wanted.delete(key);
    const questions = this.#questionsNow(wanted);
    const round = this.#deps.make(this.#storeId, questions);
    const outcomeOf = (key: string) => round.then((outcomes) => outcomes.get(key) ?? null);
    this.#making = new Map([...questions.keys()].map((key) => [key, outcomeOf(key)]));
    for (const made of this.#making.values()) made.catch(() => undefined);
    for (const [key, { resolve }] of wanted) resolve(outcomeOf(key));
    await round.catch(() => undefined);
    this.#making = null;
    if (this.#wanted.size > 0) this.#schedule();
  }

  /** The questions of the round that begins now: those that are waited for, and those that are on screens. */
  #questionsNow(wanted: readonly (readonly [string, Wanted])[]): Questions {
    const { calendar } = this.#deps;
    const now = calendar.now();
    const since = now - watchedRounds * refreshMsOf(calendar);
    const questions = new Map(wanted.map(([key, { question }]) => [key, question]));
    for (const [key, { question, at }] of [...this.#watched].reverse())
      if (at < since) this.#watched.delete(key);
      else if (questions.size < figuresAtMost) questions.set(key, question);
    this.#beganAt = now;
    return questions;
  }
}
