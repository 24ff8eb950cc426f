import type pg from "pg";
import type { Database } from "./database/database.ts";
import { type DueWork, sql } from "./database/sql.ts";
import { Deadlines, type ElapsedClock } from "./deadline.ts";
import type { RandomBytes } from "./ids.ts";
import type { Log } from "./log.ts";

/**
 * Notifies all processes of new work, after the commit that created it [operations.wake-ups]. Never within a
 * transaction: a NOTIFY takes a lock that all such commits queue behind. A lost notification costs a second, because
 * listeners poll once a second anyway.
 */

export const wakeUps = ["outbox", "deliveries", "exports"] as const satisfies readonly DueWork[];

export interface WakeUpDeps {
  database: Database;
  elapsed: ElapsedClock;
  random: RandomBytes;
  log: Log;
  /** ms between two notifications of this process; signals in between are combined */
  gapMs?: number;
}

const channel = "quizstore_wake_up";
/** A notification that takes longer than this many ms is given up. */
const sendsWithinMs = 3_000;
const listensAgainAfterMs = 1_000;

export class WakeUp {
  readonly #database: Database;
  readonly #log: Log;
  readonly #deadlines: Deadlines;
  readonly #gapMs: number;
  /** identifies this process's own notifications, which it has already handled */
  readonly #self: string;
  readonly #listeners = new Map<DueWork, Set<() => void>>();
  readonly #signalled = new Set<DueWork>();
  #gap: NodeJS.Timeout | null = null;
  #sending: Promise<void> = Promise.resolve();
  #connection: pg.PoolClient | null = null;
  #listening: Promise<void> | null = null;
  #again: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor({ database, elapsed, random, log, gapMs = 20 }: WakeUpDeps) {
    this.#database = database;
    this.#log = log;
    this.#deadlines = new Deadlines(elapsed);
    this.#gapMs = gapMs;
    this.#self = Buffer.from(random(8)).toString("hex");
  }

  /** There is work of this kind. Call it after the commit. */
  signal(kind: DueWork): void {
    if (this.#stopped) return;
    this.#signalled.add(kind);
    if (this.#gap === null) this.#tell();
  }

  /**
   * Calls `listener` when there may be work of this kind, in this process or another; returns a function that
   * unsubscribes.
   */
  on(kind: DueWork, listener: () => void): () => void {
    const listeners = this.#listeners.get(kind) ?? new Set();
    this.#listeners.set(kind, listeners.add(listener));
    this.#listening ??= this.#listen();
    return () => void listeners.delete(listener);
  }

  /** Resolves when the first listening connection is established or has failed; at once without a listener. */
  async ready(): Promise<void> {
    await this.#listening;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#gap) clearTimeout(this.#gap);
    clearTimeout(this.#again);
    await Promise.all([this.#listening, this.#sending]);
    // destroys the connection with its LISTEN, so that no other user of the pool gets our notifications
    this.#connection?.release(true);
    this.#connection = null;
  }

  /** Sends the first signal at once, and later ones within the gap together at its end. */
  #tell(): void {
    const kinds = [...this.#signalled];
    this.#signalled.clear();
    this.#gap = null;
    if (kinds.length === 0) return;
    this.#gap = setTimeout(() => this.#tell(), this.#gapMs);
    for (const kind of kinds) this.#call(kind);
    this.#sending = this.#sending.then(() => this.#notify(kinds));
  }

  async #notify(kinds: readonly DueWork[]): Promise<void> {
    const deadline = this.#deadlines.open(sendsWithinMs);
    try {
      await this.#database
        .reader(deadline)
        .all(sql`SELECT pg_notify(${channel}::text, ${`${this.#self} ${kinds.join(" ")}`}::text) /* wake-up */`);
    } catch (error) {
      this.#log.debug({ err: error }, "a wake-up was not sent; other processes find the work by polling");
    } finally {
      this.#deadlines.close(deadline);
    }
  }

  #call(kind: DueWork): void {
    for (const listener of this.#listeners.get(kind) ?? []) {
      try {
        listener();
      } catch (error) {
        this.#log.error({ err: error, kind }, "a wake-up's listener failed");
      }
    }
  }

  async #listen(): Promise<void> {
    if (this.#stopped) return;
    try {
      const connection = await this.#database.dedicated();
      let lost = false;
      const lose = () => {
        if (lost) return;
        lost = true;
        if (this.#connection !== connection) return;
        this.#connection = null;
        connection.release(true);
        this.#listenLater();
      };
      connection.on("error", lose);
      connection.on("end", lose);
      connection.on("notification", ({ payload = "" }) => this.#heard(payload));
      await connection.query(`LISTEN ${channel}`);
      if (lost) throw new Error("the connection was lost");
      this.#connection = connection;
      // notifications sent before this are lost, so assume there is work
      for (const kind of this.#listeners.keys()) this.#call(kind);
    } catch (error) {
      this.#log.debug({ err: error }, "listening for wake-ups failed; work is polled once a second meanwhile");
      this.#listenLater();
    }
  }

  #listenLater(): void {
    if (this.#stopped) return;
    this.#again = setTimeout(() => {
      this.#listening = this.#listen();
    }, listensAgainAfterMs);
  }

  #heard(payload: string): void {
    const [from, ...kinds] = payload.split(" ");
    if (from === this.#self) return;
    for (const kind of wakeUps) if (kinds.includes(kind)) this.#call(kind);
  }
}
