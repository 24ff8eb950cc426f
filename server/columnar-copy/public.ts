import { availableParallelism } from "node:os";
import type { Calendar } from "../platform/clock.ts";
import type { Database } from "../platform/database/database.ts";
import { ownStore, type Runner, type Statement, sql } from "../platform/database/sql.ts";
import { assertTimeLeft, type Deadline, type ElapsedClock, noDeadline } from "../platform/deadline.ts";
import { FairQueue } from "../platform/fair-queue.ts";
import { FreshReads } from "../platform/fresh-reads.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import { Problem, retryLater } from "../platform/problems.ts";
import { BrokenCopy } from "./failures.ts";
import { measureCopies, measureQuestion, measureSync } from "./metrics.ts";
import { type CopyQuery, putQuestions } from "./questions.ts";
import { forgetCopy } from "./records.ts";
import { Slot } from "./slot.ts";
import { StoreFiles } from "./store-files.ts";
import { Sync, type Synced } from "./sync.ts";
import { Upkeep } from "./upkeep.ts";

/** What other slices may ask of the columnar copy (schema.ts says what is in it). */

export type { CopyParameter, CopyQuery } from "./questions.ts";

export interface CopyAnswer<Result> {
  result: Result;
  /** the store's revision that the answer reflects: the one at the time of asking, or a later one */
  revision: number;
  /** the calendar's ms at which that revision was the newest */
  asOf: number;
}

export interface CopyReader {
  /** One statement over the copy, brought up to date first. Errors as `read`. */
  ask<Row>(
    storeId: string,
    question: Statement<Row>,
    deadline?: Deadline,
  ): Promise<{ rows: Row[]; revision: number; asOf: number }>;
  /**
   * Several statements over one state of the copy, brought up to date first: numbers looked up by the first are valid
   * in the next. `work` may run a second time, should the copy prove damaged.
   *
   * Throws FactsLoading while the store is loaded for the first time, a timeout when the deadline passes, and
   * `dependency_unavailable` when memory or PostgreSQL is short.
   */
  read<Result>(
    storeId: string,
    work: (query: CopyQuery) => Promise<Result>,
    deadline?: Deadline,
  ): Promise<CopyAnswer<Result>>;
}

/** The store's facts are being loaded for the first time, which takes longer than a request waits: 503. */
export class CopyLoading extends Problem {
  constructor() {
    super("dependency_unavailable", {
      detail: "The store's facts are being loaded. Try again shortly.",
      extra: { retry_after: 5 },
    });
  }
}

export interface ColumnarCopiesDeps {
  /** folder of the copies: disposable, on a disk of this machine */
  directory: string;
  database: Database;
  calendar: Calendar;
  elapsed: ElapsedClock;
  random: RandomBytes;
  log: Log;
  /** for DuckDB in all; 512 */
  memoryLimitMb?: number;
  /** for DuckDB in all; as many as the machine has, at most 4 */
  threads?: number;
  /** what the files of this process may take on disk together; the least recently used go first. 20,000 */
  diskBudgetMb?: number;
  /** store files attached at once, one place of them kept free; 64 */
  attachedAtMost?: number;
  /** nobody else has copies of this database: what is recorded of other folders is left over, as after a restore */
  alone?: boolean;
  /** how long a question waits for a store's first load, ms; 20,000 */
  loadWaitMs?: number;
  /** how large a file of rows grows before it is taken over, bytes; 8 MiB, and later ones up to 32 */
  partBytes?: number;
  /** see SyncTools; tests set others */
  fewAtMost?: number;
}

const questionsAtOnce = 2;

/** The columnar copies of this process. One a process: a second one in it takes a place, and memory, of its own. */
export class ColumnarCopies implements CopyReader {
  readonly #options: ColumnarCopiesDeps;
  readonly #slot: Slot;
  readonly #files: StoreFiles;
  readonly #sync: Sync;
  readonly #upkeep: Upkeep;
  readonly #syncs = new FreshReads<Synced>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #questions = new FairQueue(questionsAtOnce);
  #closed = false;

  private constructor(options: ColumnarCopiesDeps, slot: Slot, files: StoreFiles) {
    this.#options = options;
    this.#slot = slot;
    this.#files = files;
    const { database, calendar, log, partBytes = 8 << 20, fewAtMost = 2_000, diskBudgetMb = 20_000 } = options;
    this.#sync = new Sync({ database, calendar, log, slot, files, writing: new FairQueue(2), partBytes, fewAtMost });
    measureCopies(() => ({
      running: this.#questions.running,
      waiting: this.#questions.waiting,
      attached: files.attachedCount,
    }));
    this.#upkeep = new Upkeep({
      database,
      calendar,
      log,
      slot,
      files,
      diskBudgetMb,
      slotSettings: slotSettings(options),
      alone: options.alone ?? false,
    });
  }

  static async open(options: ColumnarCopiesDeps): Promise<ColumnarCopies> {
    const slot = await Slot.open(slotSettings(options));
    return new ColumnarCopies(options, slot, await StoreFiles.open(slot, options.attachedAtMost ?? 64, options.log));
  }

  /** Where this process's copies lie. */
  get folder(): string {
    return this.#slot.folder;
  }

  async ask<Row>(storeId: string, question: Statement<Row>, deadline?: Deadline) {
    const { result, revision, asOf } = await this.read(storeId, (query) => query(question), deadline);
    return { rows: result, revision, asOf };
  }

  async read<Result>(
    storeId: string,
    work: (query: CopyQuery) => Promise<Result>,
    deadline: Deadline = noDeadline,
  ): Promise<CopyAnswer<Result>> {
    for (let attempt = 1; ; attempt++) {
      const { asOf } = await this.#upToDate(storeId, deadline);
      try {
        const answer = await this.#guarded(
          this.#questions.run(
            storeId,
            () => measureQuestion(storeId, () => this.#put(storeId, deadline, work)),
            deadline,
          ),
        );
        // null: between the two another question's file took its place, or an erasure threw it away
        if (answer) return { ...answer, asOf };
        if (attempt === 3) throw retryLater("dependency_unavailable", 2);
      } catch (error) {
        if (!(error instanceof BrokenCopy)) throw error;
        this.#options.log.warn({ err: error, store: storeId }, "a columnar copy is damaged; it is built anew");
        await this.forget(storeId);
        if (attempt === 2) throw retryLater("dependency_unavailable", 2, error);
      }
    }
  }

  /** Deletes this process's copy of a store. The next question builds it anew. */
  async forget(storeId: string): Promise<void> {
    await this.#files.remove(storeId);
    const place = { node: this.#slot.node, slot: this.#slot.number };
    await forgetCopy(this.#options.database.reader(), storeId, place);
  }

  /**
   * Deletes copies that an erasure wants gone, that were untouched for 7 days, or that are beyond the disk budget, and
   * those that killed processes left in this folder. For whoever runs due work, once a minute or so.
   */
  async upkeep(): Promise<void> {
    await this.#upkeep.run((storeId) => this.forget(storeId));
  }

  /** Lets questions and loads under way come to their end. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#underWay]);
    await this.#files.close();
    this.#slot.close();
  }

  /**
   * Brings the copy to a revision no older than this call. Who asks while that is under way shares the next round. The
   * work goes on when nobody waits any more, so that a long first load comes to its end.
   */
  async #upToDate(storeId: string, deadline: Deadline): Promise<Synced> {
    assertTimeLeft(deadline);
    if (this.#closed) throw retryLater("dependency_unavailable", 2);
    const sync = () => measureSync(storeId, (note) => this.#sync.bringUpToDate(storeId, note));
    const round = this.#syncs.read(storeId, () => this.#guarded(sync()));
    const patience = new WaitLimit(this.#options.loadWaitMs ?? 20_000, deadline);
    try {
      return await Promise.race([round, patience.over]);
    } catch (error) {
      if (error instanceof BrokenCopy) throw retryLater("dependency_unavailable", 2, error);
      throw error;
    } finally {
      patience.end();
    }
  }

  /** Work that `close` waits for. */
  #guarded<Result>(work: Promise<Result>): Promise<Result> {
    this.#underWay.add(work);
    const done = () => this.#underWay.delete(work);
    work.then(done, done);
    return work;
  }

  async #put<Result>(
    storeId: string,
    deadline: Deadline,
    work: (query: CopyQuery) => Promise<Result>,
  ): Promise<{ result: Result; revision: number } | null> {
    const copy = await this.#files.hold(storeId);
    if (!copy) return null;
    try {
      const spare = () => this.#questions.running + this.#questions.waiting === 1;
      const bytes = () => this.#files.size(storeId);
      return copy.state === null ? null : await putQuestions({ slot: this.#slot, copy, deadline, spare, bytes }, work);
    } finally {
      this.#files.release(copy);
    }
  }
}

const slotSettings = ({ directory, memoryLimitMb = 512, threads, random }: ColumnarCopiesDeps) => ({
  directory,
  memoryLimitMb,
  threads: threads ?? Math.min(4, availableParallelism()),
  random,
});

/** Ends a wait when the first load takes too long, or time is up. */
class WaitLimit {
  readonly over: Promise<never>;
  readonly #timer: NodeJS.Timeout;
  readonly #forget: () => void;

  constructor(milliseconds: number, deadline: Deadline) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.over = promise;
    this.over.catch(() => undefined);
    this.#timer = setTimeout(() => reject(new CopyLoading()), milliseconds).unref();
    this.#forget = deadline.onExpiry(() => reject(new Problem("timeout")));
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#forget();
  }
}

/**
 * Wants every copy of a store thrown away, wherever it lies: rows deleted from a file leave their content in its free
 * blocks. Each process does so before it next answers from the copy, or with its upkeep. For an erasure's transaction.
 */
export const discardCopies = (db: Runner, storeId: string): Promise<unknown> =>
  db.forStore(storeId).all(sql<never>`UPDATE facts_copies SET discard = true WHERE store_id = ${ownStore}`);

export interface RecordedCopy {
  /** UUID of the folder of copies */
  node: string;
  slot: number;
  /** the copy is at least here; null while it is being made */
  revision: number | null;
  seen_at: Date;
  /** an erasure wants it gone, and it is not known to be */
  discard: boolean;
}

/** Every copy of a store that may exist. */
export const recordedCopies = (db: Runner, storeId: string): Promise<RecordedCopy[]> =>
  db
    .forStore(storeId)
    .all(
      sql<RecordedCopy>`SELECT node, slot, revision, seen_at, discard FROM facts_copies WHERE store_id = ${ownStore} ORDER BY node, slot`,
    );
