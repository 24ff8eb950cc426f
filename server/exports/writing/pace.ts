import { assertTimeLeft, type Deadline, type ElapsedClock } from "../../platform/deadline.ts";

/** A throttled build rests this many times as long as it worked, so that a core is free most of the time. */
const restsPerWork = 4;

/** Batch size of a throttled build: one or two ms each, the longest that other work may have to wait for it. */
const kindBatchRows = 20;

/** The longest rest. Work that took this long was held up itself, so it has not been in anybody's way. */
const restAtMostMs = 1_000;

interface PaceOptions {
  /** the store's pause between pages in ms (`export_page_pause_ms`); 0 means its builds are never throttled */
  pauseMs: number;
  limits: { snapshotMs: number; batchRows: number };
  deadline: Deadline;
  elapsed: ElapsedClock;
}

/**
 * Throttles a build [exports.pace]. Unthrottled, PostgreSQL and this process would each use a core without a pause, and
 * the shoppers of every store would wait. A build is throttled for half of the snapshot's time; a file that takes
 * longer is written at full speed.
 */
export class Pace {
  readonly #options: PaceOptions;
  #rested: number;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#rested = options.elapsed();
  }

  get batchRows(): number {
    const { batchRows } = this.#options.limits;
    return this.#kindMs() > 0 ? Math.min(batchRows, kindBatchRows) : batchRows;
  }

  /** How many batches are requested ahead; at full speed the build should never wait for the database. */
  get batchesAhead(): number {
    return this.#kindMs() > 0 ? 1 : 2;
  }

  async afterBatch(): Promise<void> {
    const worked = this.#options.elapsed() - this.#rested;
    await this.#rest(Math.min(worked * restsPerWork, restAtMostMs));
  }

  afterPage(): Promise<void> {
    return this.#rest(this.#options.pauseMs);
  }

  /** ms for which the build is still throttled */
  #kindMs(): number {
    const { pauseMs, deadline, limits } = this.#options;
    return pauseMs > 0 ? Math.max(0, deadline.remaining() - limits.snapshotMs / 2) : 0;
  }

  async #rest(milliseconds: number): Promise<void> {
    const { deadline, elapsed } = this.#options;
    await pause(Math.min(milliseconds, this.#kindMs()), deadline);
    this.#rested = elapsed();
  }
}

/** Waits that long. If the deadline expires first, throws a timeout. */
export async function pause(milliseconds: number, deadline: Deadline): Promise<void> {
  assertTimeLeft(deadline);
  if (milliseconds <= 0) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  const forget = deadline.onExpiry(resolve);
  await promise;
  clearTimeout(timer);
  forget();
  assertTimeLeft(deadline);
}
