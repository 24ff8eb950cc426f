import { availableParallelism } from "node:os";
import type { Calendar } from "../platform/clock.ts";
import { CoalescedReads } from "../platform/coalesced-reads.ts";
import type { Database } from "../platform/database/database.ts";
import type { Statement } from "../platform/database/sql.ts";
import { assertTimeLeft, type Deadline, type ElapsedClock, noDeadline } from "../platform/deadline.ts";
import { FairQueue } from "../platform/fair-queue.ts";
import type { RandomBytes } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import { Problem, retryLater } from "../platform/problems.ts";
import { CopiesFolder, deleteStoreFile, storeIdsIn } from "./copies-folder.ts";
import { BrokenCopy } from "./failures.ts";
import { measureCopies, measureQuestion, measureSync } from "./metrics.ts";
import { putQuestions } from "./questions.ts";
import { type CopyAnswer, CopyLoading, type CopyQuery, type CopyReader } from "./reader.ts";
import { forgetCopy } from "./records.ts";
import { StoreFiles } from "./store-files.ts";
import { Sync, type Synced } from "./sync.ts";
import { Upkeep } from "./upkeep.ts";

export interface ColumnarCopiesDeps {
  /** folder of the copies, on a local disk; its content can be rebuilt at any time */
  directory: string;
  database: Database;
  calendar: Calendar;
  elapsed: ElapsedClock;
  random: RandomBytes;
  log: Log;
  /** DuckDB's memory limit in total; default 512 */
  memoryLimitMb?: number;
  /** DuckDB's threads in total; default the machine's cores, at most 4 */
  threads?: number;
  /** disk space for the files of this process; the least recently used are deleted first; default 20,000 */
  diskBudgetMb?: number;
  /** limit of attached store files, including one place that is kept free; default 64 */
  attachedAtMost?: number;
  /**
   * no other process has copies of this database, so records of other folders are stale, for example after a restore
   */
  alone?: boolean;
  /** the folder does not outlast the process, which therefore deletes its copies when it closes */
  ephemeral?: boolean;
  /** how long a question waits for a store's first load, in ms; default 20,000 */
  loadWaitMs?: number;
  /** size in bytes at which a file of rows is inserted; default 8 MiB, growing to 32 MiB for later files */
  partBytes?: number;
  /** see SyncDeps; set by tests */
  fewAtMost?: number;
}

const questionsAtOnce = 2;

/** The columnar copies of this process. A second instance in the same process has its own folder and memory. */
export class ColumnarCopies implements CopyReader {
  readonly #options: ColumnarCopiesDeps;
  readonly #folder: CopiesFolder;
  readonly #files: StoreFiles;
  readonly #sync: Sync;
  readonly #upkeep: Upkeep;
  readonly #syncs = new CoalescedReads<Synced>();
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #questions = new FairQueue(questionsAtOnce);
  #closed = false;

  private constructor(options: ColumnarCopiesDeps, folder: CopiesFolder, files: StoreFiles) {
    this.#options = options;
    this.#folder = folder;
    this.#files = files;
    const { database, calendar, log, partBytes = 8 << 20, fewAtMost = 2_000, diskBudgetMb = 20_000 } = options;
    this.#sync = new Sync({ database, calendar, log, folder, files, writing: new FairQueue(2), partBytes, fewAtMost });
    measureCopies(() => ({
      running: this.#questions.running,
      waiting: this.#questions.waiting,
      attached: files.attachedCount,
    }));
    this.#upkeep = new Upkeep({
      database,
      calendar,
      log,
      folder,
      files,
      diskBudgetMb,
      folderSettings: folderSettings(options),
      alone: options.alone ?? false,
    });
  }

  static async open(options: ColumnarCopiesDeps): Promise<ColumnarCopies> {
    const folder = await CopiesFolder.open(folderSettings(options));
    return new ColumnarCopies(
      options,
      folder,
      await StoreFiles.open(folder, options.attachedAtMost ?? 64, options.log),
    );
  }

  /** The path of this process's copies. */
  get folder(): string {
    return this.#folder.path;
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
      // the answer covers everything accepted before the question [analytics.covers-accepted-events]
      const { asOf } = await this.#upToDate(storeId, deadline);
      try {
        const answer = await this.#guarded(
          this.#questions.run(
            storeId,
            () => measureQuestion(storeId, () => this.#put(storeId, deadline, work)),
            deadline,
          ),
        );
        // null: the file was closed for another question's file, or deleted by an erasure, in the meantime
        if (answer) return { ...answer, asOf };
        if (attempt === 3) throw retryLater("dependency_unavailable", 2);
      } catch (error) {
        if (!(error instanceof BrokenCopy)) throw error;
        this.#options.log.warn({ err: error, store: storeId }, "a columnar copy is damaged; it is rebuilt");
        await this.forget(storeId);
        if (attempt === 2) throw retryLater("dependency_unavailable", 2, error);
      }
    }
  }

  /** Deletes this process's copy of a store. The next question rebuilds it. */
  async forget(storeId: string): Promise<void> {
    await this.#files.remove(storeId);
    await forgetCopy(this.#options.database.reader().forStore(storeId), this.#folder.place);
  }

  /**
   * Deletes copies that an erasure has discarded, that were unused for 7 days, or that exceed the disk budget, and
   * copies left in this directory by killed processes. Runs about once a minute.
   */
  async upkeep(): Promise<void> {
    await this.#upkeep.run((storeId) => this.forget(storeId));
  }

  /** Waits for running questions and loads. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#underWay]);
    await this.#files.close();
    if (this.#options.ephemeral) await this.#deleteAll();
    await this.#folder.close();
  }

  /** Deletes the files, and then their records, so that no erasure waits for them [copy.at-stop]. */
  async #deleteAll(): Promise<void> {
    const { database, log } = this.#options;
    try {
      for (const storeId of await storeIdsIn(this.#folder.path)) {
        await deleteStoreFile(this.#folder.path, storeId);
        await forgetCopy(database.reader().forStore(storeId), this.#folder.place);
      }
    } catch (error) {
      log.warn({ err: error }, "the records of this process's columnar copies stay for 8 days");
    }
  }

  /**
   * Brings the copy to a revision no older than this call [copy.fresh]. Calls during a sync share the next one. A sync
   * continues even if nobody waits any more, so that a long first load completes.
   */
  async #upToDate(storeId: string, deadline: Deadline): Promise<Synced> {
    assertTimeLeft(deadline);
    if (this.#closed) throw retryLater("dependency_unavailable", 2);
    const sync = () => measureSync(storeId, (note) => this.#sync.bringUpToDate(storeId, note));
    const round = this.#syncs.read(storeId, () => this.#guarded(sync()));
    const wait = new WaitLimit(this.#options.loadWaitMs ?? 20_000, deadline);
    try {
      return await Promise.race([round, wait.over]);
    } catch (error) {
      if (error instanceof BrokenCopy) throw retryLater("dependency_unavailable", 2, error);
      throw error;
    } finally {
      wait.end();
    }
  }

  /** Registers work that `close` waits for. */
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
      return copy.state === null
        ? null
        : await putQuestions({ folder: this.#folder, copy, deadline, spare, bytes }, work);
    } finally {
      this.#files.release(copy);
    }
  }
}

const folderSettings = ({ directory, memoryLimitMb = 512, threads, random }: ColumnarCopiesDeps) => ({
  directory,
  memoryLimitMb,
  threads: threads ?? Math.min(4, availableParallelism()),
  random,
});

/** Rejects when the first load takes too long or the deadline expires [copy.first-load]. */
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
