import type { Calendar } from "../clock.ts";
import type { Database, DueStatement } from "../database/database.ts";
import { raw } from "../database/sql.ts";
import { Deadlines, type ElapsedClock } from "../deadline.ts";
import { type Reading, readGauge } from "./metrics.ts";

/**
 * Due work that is not done yet, over all stores: how much, and how long the oldest has waited [operations.overdue].
 * Read when metrics are scraped, at most once in five seconds, and given up after a second.
 */
export interface OverdueQueue {
  /** the value of the label `queue` */
  queue: string;
  /** A query across stores on a partial index that returns one row. */
  query: (now: Date) => DueStatement<Overdue>;
}

export interface Overdue {
  waiting: number;
  /** null: nothing waits */
  oldest: Date | null;
}

export interface OverdueDeps {
  /** a separate pool, because it is read just when the others are in trouble */
  database: Database;
  calendar: Calendar;
  elapsed: ElapsedClock;
  queues: readonly OverdueQueue[];
  /**
   * a cluster's nodes: while one is away nothing is counted, because each attempt may occupy a process of the
   * coordinator
   */
  nodes?: { readonly someAway: boolean };
}

const readEveryMs = 5_000;
const readWithinMs = 1_000;

export function measureOverdue(settings: OverdueDeps): void {
  const queues = settings.queues.map((queue) => new LateQueue(queue, settings));
  const readings = async (value: (late: LateQueue, found: Overdue) => number): Promise<Reading<"queue">[]> => {
    const found = await Promise.all(queues.map(async (late) => ({ late, overdue: await late.read() })));
    return found.flatMap(({ late, overdue }) =>
      overdue ? [{ labels: { queue: late.queue }, value: value(late, overdue) }] : [],
    );
  };
  readGauge<"queue">(
    {
      name: "quizstore_due_work",
      help: "Pieces of due work that are not done yet",
      labelNames: ["queue"],
    },
    () => readings((_late, { waiting }) => waiting),
  );
  readGauge<"queue">(
    {
      name: "quizstore_due_work_oldest_seconds",
      help: "How long the oldest piece of due work has waited; 0 if there is none",
      labelNames: ["queue"],
    },
    () =>
      readings((_late, { oldest }) =>
        oldest === null ? 0 : Math.max(0, (settings.calendar.now() - oldest.getTime()) / 1_000),
      ),
  );
  readGauge<"queue">(
    {
      name: "quizstore_due_work_unread",
      help: "1 if the last reading of the queue failed or took too long",
      labelNames: ["queue"],
    },
    async () => {
      const found = await Promise.all(queues.map(async (late) => ({ late, overdue: await late.read() })));
      return found.map(({ late, overdue }) => ({ labels: { queue: late.queue }, value: overdue ? 0 : 1 }));
    },
  );
}

/** Counts a single queue, so that one too long to count in time does not affect the others. */
class LateQueue {
  readonly queue: string;
  readonly #statement: OverdueQueue["query"];
  readonly #settings: OverdueDeps;
  readonly #deadlines: Deadlines;
  #found: Promise<Overdue | null> | null = null;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor({ queue, query }: OverdueQueue, settings: OverdueDeps) {
    this.queue = queue;
    this.#statement = query;
    this.#settings = settings;
    this.#deadlines = new Deadlines(settings.elapsed);
  }

  /** null: it could not be read. */
  read(): Promise<Overdue | null> {
    const now = this.#settings.elapsed();
    if (this.#found === null || now - this.#readAt >= readEveryMs) {
      this.#readAt = now;
      this.#found = this.#count().catch(() => null);
    }
    return this.#found;
  }

  async #count(): Promise<Overdue | null> {
    const { database, calendar, nodes } = this.#settings;
    if (nodes?.someAway) return null;
    const deadline = this.#deadlines.open(readWithinMs);
    const query = this.#statement(new Date(calendar.now()))(raw(""));
    // an unreachable server takes longer to report an error
    const { promise: late, resolve } = Promise.withResolvers<null>();
    deadline.onExpiry(() => resolve(null));
    try {
      // the transaction's own time-out ends the statement in the server, whatever happens to this process
      const found = database.transaction((tx) => tx.first(query), deadline);
      return (await Promise.race([found, late])) ?? null;
    } finally {
      this.#deadlines.close(deadline);
    }
  }
}
