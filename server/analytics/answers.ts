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
import { LastErasures } from "./last-erasures.ts";
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

/** A person who watches figures and should see them change [analytics.live]. */
export interface LiveReader {
  /** the `If-None-Match` header: which answer is already on the screen */
  seen: string | undefined;
}

/** Whether some answer is on the screen, even an outdated one. Before its first answer the dashboard sends `none`. */
const holdsAnswer = ({ seen }: LiveReader): boolean => seen !== undefined && seen !== '"none"';

/** real ms for an answer that nobody is waiting for; the same as a request has */
const makingMs = 30_000;

/** fraction of a viewer's five seconds during which an answer counts as fresh as the round's own */
const justMade = 0.2;

interface Making {
  /** somebody needs it now; otherwise, if another process is making it, leave it to that process */
  waiting: boolean;
  /** age in calendar ms from which an answer is due to be made again */
  refreshMs: number;
  /** a usable answer exists already, and a newer one is wanted */
  again: boolean;
}

interface Made<Body> extends CachedAnswer<Body> {
  /** made by another process, so it may be due again already */
  found: boolean;
}

/**
 * Answers questions. A cached answer younger than the store's soft TTL is sent as it is [analytics.kept]. One up to ten
 * times as old is sent at once and marked `stale`, while a newer one is made [analytics.stale]. Any other question
 * waits for its figures. Concurrent requests for the same answer share the work [analytics.shared-work]; an answer that
 * another process is making is awaited for at most two seconds [analytics.other-process].
 *
 * For people watching the dashboard, five seconds replace the soft TTL. If they have already seen the cached answer,
 * they wait for the next one, which is made together with all other figures on the store's screens in one read of its
 * copy [analytics.live].
 */
export class Answers {
  readonly #options: AnswersDeps;
  readonly #cached: CachedAnswers;
  readonly #work = new SingleFlight<Made<unknown>>();
  /** separate from the work for programs, which do not wait for a round */
  readonly #looking = new SingleFlight<Made<unknown>>();
  readonly #rounds: Rounds;
  readonly #erasures: LastErasures;

  constructor(options: AnswersDeps) {
    this.#options = options;
    this.#cached = new CachedAnswers(options.cache);
    this.#erasures = new LastErasures(options.database, options.elapsed);
    this.#rounds = new Rounds({
      calendar: options.calendar,
      make: (storeId, questions) => this.#makeRound(storeId, questions),
    });
  }

  /** @param liveReader null for a program, which takes figures as they are cached */
  async answer<Op extends Operation>(
    question: Question<Op>,
    deadline: Deadline,
    liveReader: LiveReader | null = null,
  ): Promise<Tagged<BodyOf<Op>>> {
    const erased = await this.#erasures.of(question.selection.store.id);
    const key = answerKey(question.operation, question.selection, question.own) + erased;
    const refreshMs = this.#refreshMs(question, liveReader);
    const sent = (cached: CachedAnswer<BodyOf<Op>>, stale: boolean) => send(cached, { stale, refreshMs });
    // read before the cache, since a round that ends in between makes a newer answer than the one found there
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
      // an answer that somebody without one is waiting for is being made already
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

  /** The age in calendar ms from which an answer is made again for this reader. */
  #refreshMs({ selection }: Question<Operation>, liveReader: LiveReader | null): number {
    return liveReader === null ? softTtlOf(selection) : refreshMsOf(this.#options.calendar);
  }

  #isDue({ asOf }: CachedAnswer<unknown>, refreshMs: number): boolean {
    return this.#options.calendar.now() - asOf >= refreshMs;
  }

  #isUsable({ selection }: Question<Operation>, { asOf }: CachedAnswer<unknown>): boolean {
    return this.#options.calendar.now() - asOf < staleAtMostOf(selection);
  }

  /** Makes an answer for later requests [analytics.failed-refresh]. */
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
    // another viewer's request may have finished it since this one looked
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

  /**
   * Makes the answer together with the others on the store's screens, or alone if that fails or another process is
   * making it.
   */
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

  /** Makes the answers that no other process is making or has just made. */
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

  /** Computes all questions in one read of the copy. A question that is refused does not affect the others. */
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
 * `stale` and the viewer's refresh time are added when sending. They are not part of the figures and do not change the
 * ETag [analytics.etag].
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
