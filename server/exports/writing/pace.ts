import { assertTimeLeft, type Deadline, type ElapsedClock } from "../../platform/deadline.ts";

/** A build that gives way rests this many times as long as it worked, so that a core is free for most of the time. */
const restsPerWork = 4;

/** Batches of a build that gives way: one or two ms each, which is what somebody else may have to wait for. */
const kindBatchRows = 20;

/** The longest rest: what took that long was held up itself, and has not been in anybody's way. */
const restAtMostMs = 1_000;

interface PaceOptions {
  /** of the store, ms between pages (`export_page_pause_ms`); with 0 its builds give way to nobody */
  pauseMs: number;
  limits: { snapshotMs: number; batchRows: number };
  deadline: Deadline;
  elapsed: ElapsedClock;
}

/**
 * How fast a build goes [exports.pace]. PostgreSQL and this process work for it without a pause otherwise, each on a
 * core, and shoppers of every store wait behind it. Half of the snapshot's time is for being kind; a file that needs
 * more is written in haste.
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

  /** How many batches the database is asked for before they are needed; in haste it should never wait for the next. */
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

  /** ms in which there is still time to be kind */
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

/** Waits for that long, or until the deadline comes, which throws a timeout. */
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
