import type { FiguresOf, Freshness } from "../../contract/analytics-shapes.ts";
import type { Operation } from "../../contract/operation.ts";
import { CopyLoading, type CopyReader } from "../columnar-copy/reader.ts";
import type { Cache } from "../platform/cache/types.ts";
import { type Calendar, isoTime } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { assertTimeLeft, type Deadline, type Deadlines, type ElapsedClock } from "../platform/deadline.ts";
import { matchesTag, Tagged } from "../platform/http/etag.ts";
import type { Log } from "../platform/log.ts";
import { Problem } from "../platform/problems.ts";
import { SingleFlight } from "../platform/single-flight.ts";
import { answerKey, type CachedAnswer, CachedAnswers, softTtlOf, staleAtMostOf, tagOf } from "./cached-answers.ts";
import { freshnessAt, pendingFreshness } from "./freshness.ts";
import { countAnswer, measureCompute } from "./metrics.ts";
import type { BodyOf, Question } from "./question.ts";
import { rangeBody } from "./range.ts";
import { type Outcome, type Questions, Rounds, refreshMsOf } from "./rounds.ts";
import type { Selection } from "./selection.ts";

export interface AnswersDeps {
  facts: CopyReader;
  cache: Cache;
  database: Pick<Database, "reader">;
  calendar: Calendar;
  deadlines: Deadlines;
  elapsed: ElapsedClock;
  log: Log;
}

/** Somebody who looks at figures and is to see them change [analytics.live]. */
export interface LiveReader {
  /** the `If-None-Match` header: what is on the screen already */
  seen: string | undefined;
}

/** An answer is on the screen, an older one perhaps. The dashboard names `none` before it has any. */
const holdsAnswer = ({ seen }: LiveReader): boolean => seen !== undefined && seen !== '"none"';

/** time for an answer that nobody waits for, real ms; as much as a request has */
const makingMs = 30_000;

/** the share of a looker's five seconds for which an answer is as good as the round's own */
const justMade = 0.2;

interface Making {
  /** somebody needs it now; else another process that is at it is left to it */
  waiting: boolean;
  /** calendar ms after which an answer is due */
  refreshMs: number;
  /** one that is usable is there already, and a newer one is wanted */
  again: boolean;
}

interface Made<Body> extends CachedAnswer<Body> {
  /** not by this process, so that it may be due already */
  found: boolean;
}

/**
 * Answers questions. One younger than the store's soft TTL is sent as it was kept [analytics.kept]; one up to ten times
 * as old is sent at once, as `stale`, while a newer one is made [analytics.stale]; any other question waits for its
 * figures. Who asks the same at the same time shares the work [analytics.shared-work]; what another process is making
 * is waited for two seconds at most [analytics.other-process].
 *
 * For people who look, five seconds take the place of the soft TTL, and whoever has seen what is kept waits for what is
 * made: with all else that is on screens of the store, in one reading of its copy [analytics.live].
 */
export class Answers {
  readonly #options: AnswersDeps;
  readonly #cached: CachedAnswers;
  readonly #work = new SingleFlight<Made<unknown>>();
  /** apart from the work for programs, which do not wait for a round */
  readonly #looking = new SingleFlight<Made<unknown>>();
  readonly #rounds: Rounds;

  constructor(options: AnswersDeps) {
    this.#options = options;
    this.#cached = new CachedAnswers(options.cache);
    this.#rounds = new Rounds({
      calendar: options.calendar,
      make: (storeId, questions) => this.#makeRound(storeId, questions),
    });
  }

  /** @param looker null: a program, which asks for figures as they are kept */
  async answer<Op extends Operation>(
    question: Question<Op>,
    deadline: Deadline,
    liveReader: LiveReader | null = null,
  ): Promise<Tagged<BodyOf<Op>>> {
    const key = answerKey(question.operation, question.selection, question.own);
    const refreshMs = this.#refreshMs(question, liveReader);
    const sent = (cached: CachedAnswer<BodyOf<Op>>, stale: boolean) => send(cached, { stale, refreshMs });
    // looked for before the cache is: what is found there may be older than a round that ends meanwhile
    const underWay = liveReader === null ? undefined : this.#rounds.underWay(key, question);
    const cached = await this.#cached.find<BodyOf<Op>>(key);
    const stale = cached !== null && this.#isDue(cached, refreshMs);
    if (liveReader !== null && holdsAnswer(liveReader)) this.#rounds.watch(key, question);
    const waits = stale && liveReader !== null && matchesTag(liveReader.seen, cached.tag);
    if (cached && this.#isUsable(question, cached) && !waits) {
      if (stale) this.#refresh(key, question, { waiting: false, refreshMs, again: liveReader !== null });
      countAnswer(stale ? "stale" : "kept");
      return sent(cached, stale);
    }
    try {
      // what somebody has just come to is under way already
      const made = await (waits && !this.#work.has(key)
        ? this.#looking.run(key, deadline, (joint) =>
            this.#makeWithOthers(key, question, joint, { refreshMs, underWay }),
          )
        : this.#work.run(key, deadline, (joint) =>
            this.#make(key, question, joint, { waiting: true, refreshMs, again: waits }),
          ));
      countAnswer(made.found ? "found" : "made");
      return sent(made as Made<BodyOf<Op>>, made.found && this.#isDue(made, refreshMs));
    } catch (error) {
      if (!(error instanceof CopyLoading)) throw error;
      countAnswer(cached ? "stale" : "pending");
      return cached ? sent(cached, true) : this.#pending(question);
    }
  }

  /** After how long, in the calendar's ms, an answer is made anew for whoever asks. */
  #refreshMs({ selection }: Question<Operation>, liveReader: LiveReader | null): number {
    return liveReader === null ? softTtlOf(selection) : refreshMsOf(this.#options.calendar);
  }

  #isDue({ asOf }: CachedAnswer<unknown>, refreshMs: number): boolean {
    return this.#options.calendar.now() - asOf >= refreshMs;
  }

  #isUsable({ selection }: Question<Operation>, { asOf }: CachedAnswer<unknown>): boolean {
    return this.#options.calendar.now() - asOf < staleAtMostOf(selection);
  }

  /** Makes an answer for those who come later [analytics.failed-refresh]. */
  #refresh(key: string, question: Question<Operation>, making: Making): void {
    if (this.#work.has(key)) return;
    const { deadlines, log } = this.#options;
    const deadline = deadlines.open(makingMs);
    void this.#work
      .run(key, deadline, (joint) => this.#make(key, question, joint, making))
      .catch((error: unknown) => {
        if (error instanceof CopyLoading) return;
        log.warn({ err: error, operation: question.operation.id }, "an analytics answer could not be refreshed");
      })
      .finally(() => deadlines.close(deadline));
  }

  async #make<Op extends Operation>(
    key: string,
    question: Question<Op>,
    deadline: Deadline,
    { waiting, refreshMs, again }: Making,
  ): Promise<Made<BodyOf<Op>>> {
    const isFresh = (cached: CachedAnswer<BodyOf<Op>>) => !this.#isDue(cached, refreshMs);
    if (!(await this.#cached.begin(key))) {
      const usable = (cached: CachedAnswer<BodyOf<Op>>) =>
        waiting && !again ? this.#isUsable(question, cached) : isFresh(cached);
      const found = await this.#cached.awaitOther<BodyOf<Op>>(key, deadline, usable);
      if (found) return { ...found, found: true };
      assertTimeLeft(deadline);
    }
    // another looker's may have come to its end since this one looked for it
    const made = again ? await this.#cached.find<BodyOf<Op>>(key) : null;
    if (made && isFresh(made)) {
      this.#cached.end(key);
      return { ...made, found: true };
    }
    try {
      const { id } = question.operation;
      const made = await measureCompute(id, () => this.#compute(key, question, deadline));
      return { ...made, found: false };
    } finally {
      this.#cached.end(key);
    }
  }

  async #compute<Op extends Operation>(
    key: string,
    { selection, compute }: Question<Op>,
    deadline: Deadline,
  ): Promise<CachedAnswer<BodyOf<Op>>> {
    const { facts, database } = this.#options;
    const { result, asOf } = await facts.read(
      selection.store.id,
      (query) => compute(query, database.reader(deadline).forStore(selection.store.id)),
      deadline,
    );
    return this.#keep<Op>(key, selection, result, asOf);
  }

  #keep<Op extends Operation>(
    key: string,
    selection: Selection,
    figures: FiguresOf<BodyOf<Op>>,
    asOf: number,
  ): CachedAnswer<BodyOf<Op>> {
    const body = wrap<Op>(figures, selection, freshnessAt(selection.range, asOf, softTtlOf(selection)));
    return this.#cached.keep(key, asOf, body, staleAtMostOf(selection));
  }

  /** With what else is on screens of the store, or alone where that fails or another process is at it. */
  async #makeWithOthers(
    key: string,
    question: Question<Operation>,
    deadline: Deadline,
    { refreshMs, underWay }: { refreshMs: number; underWay: Promise<Outcome> | undefined },
  ): Promise<Made<unknown>> {
    const outcome = await (underWay ?? this.#rounds.next(key, question));
    if (outcome !== null) return { ...outcome, found: false };
    return this.#make(key, question, deadline, { waiting: true, refreshMs, again: true });
  }

  /** What no other process is making, nor has just made. */
  async #makeRound(storeId: string, questions: Questions): Promise<Map<string, Outcome>> {
    const { calendar, log } = this.#options;
    const outcomes = new Map<string, Outcome>();
    const begun = new Map<string, Question<Operation>>();
    const begin = async ([key, question]: readonly [string, Question<Operation>]) => {
      if (!(await this.#cached.begin(key))) return;
      begun.set(key, question);
      const cached = await this.#cached.find<BodyOf<Operation>>(key);
      if (cached && !this.#isDue(cached, refreshMsOf(calendar) * justMade)) outcomes.set(key, cached);
    };
    try {
      await Promise.all([...questions].map(begin));
      const due = [...begun].filter(([key]) => !outcomes.has(key));
      for (const [key, made] of await this.#readRound(storeId, due)) outcomes.set(key, made);
    } catch (error) {
      if (error instanceof CopyLoading) throw error;
      log.warn({ err: error, store: storeId }, "figures that are looked at could not be made together");
      if (error instanceof Problem) throw error;
    } finally {
      for (const key of begun.keys()) this.#cached.end(key);
    }
    return outcomes;
  }

  /** All in one reading of the copy. What a question is refused for itself is nobody else's. */
  async #readRound(
    storeId: string,
    questions: readonly (readonly [string, Question<Operation>])[],
  ): Promise<[string, CachedAnswer<unknown>][]> {
    if (questions.length === 0) return [];
    const { facts, database, deadlines } = this.#options;
    const read = (deadline: Deadline) =>
      facts.read(
        storeId,
        async (query) => {
          const db = database.reader(deadline).forStore(storeId);
          const found: [string, Selection, FiguresOf<BodyOf<Operation>>][] = [];
          for (const [key, { operation, selection, compute }] of questions) {
            const figures = await unlessRefused(measureCompute(operation.id, () => compute(query, db)));
            if (figures !== null) found.push([key, selection, figures]);
          }
          return found;
        },
        deadline,
      );
    const { result, asOf } = await deadlines.within(makingMs, read);
    return result.map(([key, selection, figures]) => [key, this.#keep(key, selection, figures, asOf)]);
  }

  #pending<Op extends Operation>({ selection, zero }: Question<Op>): Tagged<BodyOf<Op>> {
    const body = wrap<Op>(zero(), selection, pendingFreshness(selection.range, this.#options.calendar.now()));
    return new Tagged(tagOf(JSON.stringify(body)), body);
  }
}

async function unlessRefused<Result>(work: Promise<Result>): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return null;
    throw error;
  }
}

const wrap = <Op extends Operation>(
  figures: FiguresOf<BodyOf<Op>>,
  { range, filters }: Selection,
  freshness: Freshness,
): BodyOf<Op> => ({ ...figures, range: rangeBody(range), filters, freshness }) as BodyOf<Op>;

/**
 * `stale`, and when a looker's figures are made anew, are added when sending, and are no part of the figures: they do not
 * change the tag [analytics.etag].
 */
function send<Body>(
  { tag, body, asOf }: CachedAnswer<Body>,
  { stale, refreshMs }: { stale: boolean; refreshMs: number },
): Tagged<Body> {
  const { freshness } = body as { freshness: Freshness };
  const next = isoTime(new Date(asOf + refreshMs));
  if (!stale && next === freshness.next_refresh_at) return new Tagged(tag, body);
  return new Tagged(tag, { ...body, freshness: { ...freshness, stale, next_refresh_at: next } });
}
