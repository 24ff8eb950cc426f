import { Deadlines, type ElapsedClock } from "../deadline.ts";
import type { Log } from "../log.ts";
import { inSharedTime } from "../own-time.ts";
import type { Database } from "./database.ts";
import type { Runner } from "./sql.ts";

export interface SideWritesDeps {
  database: Pick<Database, "reader">;
  elapsed: ElapsedClock;
  log: Pick<Log, "warn">;
}

type Write<Result> = (db: Runner) => Promise<Result>;

const writtenWithinMs = 2_000;
/** in ms: what a cluster's hanging node holds up may keep one of the coordinator's connections until the node is back */
const pauseMs = 60_000;
const waitingAtMost = 1_000;

/**
 * Writes that no answer depends on, such as when a session was last used [operations.side-writes]. Their tables are on
 * every node of a cluster, so that none of them can be written while a node is away.
 */
export class SideWrites {
  readonly #deps: SideWritesDeps;
  readonly #deadlines: Deadlines;
  readonly #waiting = new Map<string, Write<unknown>>();
  /** the key of the one that is being written */
  #writing: string | null = null;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(deps: SideWritesDeps) {
    this.#deps = deps;
    this.#deadlines = new Deadlines(deps.elapsed);
  }

  /**
   * Writes later, one after the other, without anybody waiting for it.
   *
   * @param key what it is about: of several that wait, the last is written
   */
  behind(key: string, write: Write<unknown>): void {
    if (this.#isPaused || key === this.#writing) return;
    if (this.#waiting.size >= waitingAtMost && !this.#waiting.has(key)) return;
    this.#waiting.set(key, write);
    if (this.#writing === null) void inSharedTime(() => this.#writeAll());
  }

  /** Writes now, and waits for it no longer than two seconds; null: it was given up. */
  async soon<Result>(write: Write<Result>): Promise<Result | null> {
    if (this.#isPaused) return null;
    const { database, elapsed, log } = this.#deps;
    try {
      return await this.#deadlines.within(writtenWithinMs, (deadline) => write(database.reader(deadline)));
    } catch (error) {
      this.#pausedUntil = elapsed() + pauseMs;
      this.#waiting.clear();
      log.warn(
        { err: error },
        "when sessions, tokens and keys were last used cannot be written; tried again in a minute",
      );
      return null;
    }
  }

  get #isPaused(): boolean {
    return this.#deps.elapsed() < this.#pausedUntil;
  }

  async #writeAll(): Promise<void> {
    for (const [key, write] of this.#waiting) {
      this.#waiting.delete(key);
      this.#writing = key;
      await this.soon(write);
    }
    this.#writing = null;
  }
}
