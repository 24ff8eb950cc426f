import type { Static } from "typebox";
import type { FiguresOf, Freshness } from "../../contract/analytics-shapes.ts";
import type { Operation } from "../../contract/operation.ts";
import { CopyLoading, type CopyQuery, type CopyReader } from "../columnar-copy/reader.ts";
import type { Cache } from "../platform/cache/types.ts";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import type { StoreRunner } from "../platform/database/sql.ts";
import { assertTimeLeft, type Deadline, type Deadlines, type ElapsedClock } from "../platform/deadline.ts";
import { Tagged } from "../platform/http/etag.ts";
import type { Log } from "../platform/log.ts";
import { freshnessAt, pendingFreshness } from "./freshness.ts";
import { answerKey, type KeptAnswer, KeptAnswers, softTtlOf, staleAtMostOf, tagOf } from "./kept-answers.ts";
import { countAnswer, measureCompute } from "./metrics.ts";
import { rangeBody } from "./range.ts";
import type { Selection } from "./selection.ts";
import { SharedWork } from "./shared-work.ts";

export type BodyOf<Op extends Operation> = Static<Op["answer"]["shape"]>;

/** A question, ready to be put. */
export interface Question<Op extends Operation> {
  operation: Op;
  asked: Selection;
  /** the parameters of this question alone, defaults filled in */
  own: unknown;
  compute: (query: CopyQuery, db: StoreRunner) => Promise<FiguresOf<BodyOf<Op>>>;
  /** the same without data, for a store that is still being loaded */
  zero: () => FiguresOf<BodyOf<Op>>;
}

export interface AnswersDeps {
  facts: CopyReader;
  cache: Cache;
  database: Pick<Database, "reader">;
  calendar: Calendar;
  deadlines: Deadlines;
  elapsed: ElapsedClock;
  log: Log;
}

/** time for an answer that nobody waits for, real ms; as much as a request has */
const refreshMs = 30_000;

interface Made<Body> extends KeptAnswer<Body> {
  /** not by this process, so that it may be due already */
  found: boolean;
}

/**
 * Answers questions. One younger than the store's soft TTL is sent as it was kept [analytics.kept]; one up to ten times
 * as old is sent at once, as `stale`, while a newer one is made [analytics.stale]; any other question waits for its
 * figures. Who asks the same at the same time shares the work [analytics.shared-work]; what another process is making
 * is waited for two seconds at most [analytics.other-process].
 */
export class Answers {
  readonly #options: AnswersDeps;
  readonly #kept: KeptAnswers;
  readonly #work = new SharedWork<Made<unknown>>();

  constructor(options: AnswersDeps) {
    this.#options = options;
    this.#kept = new KeptAnswers(options.cache);
  }

  async answer<Op extends Operation>(question: Question<Op>, deadline: Deadline): Promise<Tagged<BodyOf<Op>>> {
    const key = answerKey(question.operation, question.asked, question.own);
    const kept = await this.#kept.find<BodyOf<Op>>(key);
    if (kept && this.#isUsable(question, kept)) {
      const stale = this.#isDue(question, kept);
      if (stale) this.#refresh(key, question);
      countAnswer(stale ? "stale" : "kept");
      return send(kept, stale);
    }
    try {
      const made = await this.#work.run(key, deadline, (joint) => this.#make(key, question, joint, true));
      countAnswer(made.found ? "found" : "made");
      return send(made as Made<BodyOf<Op>>, made.found && this.#isDue(question, made));
    } catch (error) {
      if (!(error instanceof CopyLoading)) throw error;
      countAnswer(kept ? "stale" : "pending");
      return kept ? send(kept, true) : this.#pending(question);
    }
  }

  #isDue({ asked }: Question<Operation>, { asOf }: KeptAnswer<unknown>): boolean {
    return this.#options.calendar.now() - asOf >= softTtlOf(asked);
  }

  #isUsable({ asked }: Question<Operation>, { asOf }: KeptAnswer<unknown>): boolean {
    return this.#options.calendar.now() - asOf < staleAtMostOf(asked);
  }

  /** Makes an answer for those who come later. */
  #refresh(key: string, question: Question<Operation>): void {
    if (this.#work.has(key)) return;
    const { deadlines, log } = this.#options;
    const deadline = deadlines.open(refreshMs);
    void this.#work
      .run(key, deadline, (joint) => this.#make(key, question, joint, false))
      .catch((error: unknown) => {
        if (error instanceof CopyLoading) return;
        log.warn({ err: error, operation: question.operation.id }, "an analytics answer could not be refreshed");
      })
      .finally(() => deadlines.close(deadline));
  }

  /** `waiting`: somebody needs it now. Else another process that is at it is left to it. */
  async #make<Op extends Operation>(
    key: string,
    question: Question<Op>,
    deadline: Deadline,
    waiting: boolean,
  ): Promise<Made<BodyOf<Op>>> {
    if (!(await this.#kept.begin(key))) {
      const usable = (kept: KeptAnswer<BodyOf<Op>>) =>
        waiting ? this.#isUsable(question, kept) : !this.#isDue(question, kept);
      const found = await this.#kept.awaitOther<BodyOf<Op>>(key, deadline, usable);
      if (found) return { ...found, found: true };
      assertTimeLeft(deadline);
    }
    try {
      const { id } = question.operation;
      const made = await measureCompute(id, () => this.#compute(key, question, deadline));
      return { ...made, found: false };
    } finally {
      this.#kept.end(key);
    }
  }

  async #compute<Op extends Operation>(
    key: string,
    { asked, compute }: Question<Op>,
    deadline: Deadline,
  ): Promise<KeptAnswer<BodyOf<Op>>> {
    const { facts, database } = this.#options;
    const { result, asOf } = await facts.read(
      asked.store.id,
      (query) => compute(query, database.reader(deadline).forStore(asked.store.id)),
      deadline,
    );
    const body = wrap<Op>(result, asked, freshnessAt(asked.range, asOf, softTtlOf(asked)));
    return this.#kept.keep(key, asOf, body, staleAtMostOf(asked));
  }

  #pending<Op extends Operation>({ asked, zero }: Question<Op>): Tagged<BodyOf<Op>> {
    const body = wrap<Op>(zero(), asked, pendingFreshness(asked.range, this.#options.calendar.now()));
    return new Tagged(tagOf(JSON.stringify(body)), body);
  }
}

const wrap = <Op extends Operation>(
  figures: FiguresOf<BodyOf<Op>>,
  { range, filters }: Selection,
  freshness: Freshness,
): BodyOf<Op> => ({ ...figures, range: rangeBody(range), filters, freshness }) as BodyOf<Op>;

/** `stale` is added when sending, and is no part of the figures: it does not change the tag [analytics.etag]. */
function send<Body>({ tag, body }: KeptAnswer<Body>, stale: boolean): Tagged<Body> {
  if (!stale) return new Tagged(tag, body);
  const { freshness } = body as { freshness: Freshness };
  return new Tagged(tag, { ...body, freshness: { ...freshness, stale: true } });
}
