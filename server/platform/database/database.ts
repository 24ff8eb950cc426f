import pg from "pg";
import { assertTimeLeft, type Deadline, noDeadline } from "../deadline.ts";
import type { Log } from "../log.ts";
import { timeAround } from "../own-time.ts";
import { Connection, type ConnectionHost } from "./connection.ts";
import { databaseProblem } from "./failures.ts";
import type { ClusterNodes } from "./nodes.ts";
import {
  type DueWork,
  joined,
  type Runner,
  runnerOf,
  type Statement,
  sql,
  type Transaction,
  transactionOf,
} from "./sql.ts";

export interface DatabaseDeps {
  /** how to reach the server: a connection string, or a socket directory with its user and database */
  connection: pg.PoolConfig;
  /** connections at most */
  size: number;
  log: Log;
  /** Sees every statement before it runs; tests throw from it. */
  observe?: (sql: string) => void;
  /**
   * A transaction's work begins without waiting for the answer to BEGIN: for transactions of many small statements that
   * are not awaited one by one, whose round trips would otherwise take longer than their work.
   */
  pipelined?: boolean;
  /** those of a cluster, which looks across stores go around while they are away */
  nodes?: ClusterNodes;
}

/** A look across stores; `only` stands behind its conditions, and is one on the stores or nothing. */
export type DueStatement<Row> = (only: Statement<never>) => Statement<Row>;

/** Citus has a function of that name for its own numbers of processes, which are bigint. */
const cancelSql = "SELECT pg_cancel_backend($1::integer)";
const statementTimeoutMs = 30_000;
/** A lock that is not had in this time means that another transaction hangs; better to answer than to queue behind it. */
export const lockTimeoutMs = 2_000;
/** A server that waits or computes for a client that is gone would keep its locks until it is done. */
const noticesLossMs = 1_000;
/** Plans are kept by connection; texts past this number are run unprepared. */
const preparedAtMost = 400;

const parsers = new Map<number, (text: string) => unknown>([
  // counts and revisions: they stay far below 2^53
  [pg.types.builtins.INT8, Number],
  // a calendar day has no zone; the driver would make it a local midnight
  [pg.types.builtins.DATE, String],
]);

const getTypeParser: typeof pg.types.getTypeParser = (oid, format) =>
  (format !== "binary" && parsers.get(oid)) || pg.types.getTypeParser(oid, format);

/** The pool of connections to the one PostgreSQL that holds the truth. */
export class Database {
  readonly #pool: pg.Pool;
  /** cancels go past the pool: when every connection of it runs a statement past its deadline, none is left to ask on */
  readonly #cancels: pg.Pool;
  readonly #log: Log;
  readonly #host: ConnectionHost;
  readonly #names = new Map<string, string>();
  readonly #pipelined: boolean;
  #closing = false;
  readonly #nodes: ClusterNodes | null;
  #hear: (work: DueWork) => void = () => undefined;
  #apart: () => readonly string[] = () => [];

  constructor(settings: DatabaseDeps) {
    this.#log = settings.log;
    this.#pipelined = settings.pipelined ?? false;
    this.#nodes = settings.nodes ?? null;
    this.#pool = this.#openPool(settings.connection, settings.size);
    this.#cancels = this.#openPool(settings.connection, 1);
    this.#host = {
      nameOf: (sql) => this.#nameOf(sql),
      cancel: (client) => this.#cancel(client),
      observe: settings.observe,
    };
  }

  /** The pool at this moment: connections that do something, that do not, and callers that wait for one. */
  get connections(): { inUse: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /** Sets who is told, after a commit, of the work that its transaction announced. */
  onAnnounced(hear: (work: DueWork) => void): void {
    this.#hear = hear;
  }

  /** Statements outside a transaction, each on whichever connection is free. */
  reader(deadline: Deadline = noDeadline): Runner {
    return runnerOf(async <Row>(statement: Statement<Row>): Promise<Row[]> => {
      const connection = await this.#acquire(deadline);
      try {
        return await connection.all(statement);
      } finally {
        await connection.release();
      }
    });
  }

  /**
   * A look across stores for what is due; while a node of a cluster is away, over the stores of the others
   * [database.due-work]. In the time of a store (`StoreCalendars`), over that one alone.
   *
   * @param usual where no node of a cluster is in question
   */
  due<Row>(statement: DueStatement<Row>, usual: Deadline = noDeadline): Promise<Row[]> {
    const own = timeAround()?.storeId;
    const others = own === undefined ? this.#apart() : [];
    const timed = joined([
      ...(own === undefined ? [] : [sql`AND store_id = ${own}::uuid`]),
      ...(others.length === 0 ? [] : [sql`AND store_id <> ALL (${others}::uuid[])`]),
    ]);
    const query = (deadline: Deadline | null, stores: readonly string[] | null): Promise<Row[]> => {
      const only = stores === null ? timed : sql<never>`AND store_id = ANY (${stores}::uuid[]) ${timed}`;
      return this.reader(deadline ?? usual).all(statement(only));
    };
    return this.#nodes ? this.#nodes.across(query) : query(null, null);
  }

  /** Sets which stores have a time of their own, in which alone what is due of them is looked for. */
  excludeStores(stores: () => readonly string[]): void {
    this.#apart = stores;
  }

  /** Whether the store lies on a node of a cluster that gives no answer: due work of it is left for later. */
  isAway(storeId: string): boolean {
    return this.#nodes?.isAway(storeId) ?? false;
  }

  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws [operations.transactions].
   */
  async transaction<Result>(
    work: (tx: Transaction) => Promise<Result>,
    deadline: Deadline = noDeadline,
  ): Promise<Result> {
    const connection = await this.#acquire(deadline);
    const committed: (() => void)[] = [];
    try {
      const left = Math.min(deadline.remaining(), statementTimeoutMs);
      assertTimeLeft(deadline);
      const begun = begin(connection, left);
      // A BEGIN that fails leaves a transaction that refuses what is sent behind it, or no connection at all: nothing
      // runs outside of it, and its failure is met before the commit.
      if (this.#pipelined) begun.catch(() => undefined);
      else await begun;
      const result = await this.#within(connection, deadline, committed, async (tx) => {
        const worked = await work(tx);
        await begun;
        return worked;
      });
      for (const action of committed) this.#guarded(action);
      return result;
    } finally {
      await connection.release();
    }
  }

  /** A connection of one's own, for as long as it is open: LISTEN, advisory locks, COPY. */
  async dedicated(): Promise<pg.PoolClient> {
    try {
      // queries of other classes than the driver's own, such as COPY's, are for connections that are not pipelined
      return setPipelined(await this.#pool.connect(), false);
    } catch (error) {
      throw databaseProblem(error, false) ?? error;
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([this.#pool.end(), this.#cancels.end()]);
  }

  #openPool(connection: pg.PoolConfig, max: number): pg.Pool {
    const pool = new pg.Pool({
      ...connection,
      types: { getTypeParser },
      max,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
      statement_timeout: statementTimeoutMs,
      application_name: "quizstore",
      keepAlive: true,
    } as pg.PoolConfig);
    // A connection that dies while idle is only dropped; whoever needs one next gets a new one. A pool has ended before its
    // connections have: a server that stops meanwhile tells them so, which is no news.
    pool.on("error", (error) => {
      if (!this.#closing) this.#log.warn({ err: error }, "an idle database connection was lost");
    });
    // one that dies while it is in use says so to its statement; an event that nobody hears would end the process
    pool.on("connect", (client) => client.on("error", () => undefined));
    return pool;
  }

  async #within<Result>(
    connection: Connection,
    deadline: Deadline,
    committed: (() => void)[],
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const sent: Promise<unknown>[] = [];
    const tx = transactionOf((statement) => connection.all(statement), {
      afterCommit: (action) => committed.push(action),
      announce: (due) => committed.push(() => this.#hear(due)),
      beforeCommit: (statements) => {
        sent.push(statements);
        // where the work itself fails afterwards, that is the reason, and nobody asks for theirs
        statements.catch(() => undefined);
      },
    });
    let isOver = false;
    try {
      const result = await work(tx);
      assertTimeLeft(deadline);
      const [commit, ...answers] = await Promise.allSettled([connection.commit(), ...sent]);
      isOver = commit.status === "fulfilled";
      for (const answer of [...answers, commit]) if (answer.status === "rejected") throw answer.reason;
      return result;
    } catch (error) {
      // the reason is the error above; where the rollback fails too, closing the connection rolls back
      if (!isOver) await connection.plain("ROLLBACK").catch(() => connection.abandon());
      throw error;
    }
  }

  async #acquire(deadline: Deadline): Promise<Connection> {
    assertTimeLeft(deadline);
    try {
      return new Connection(setPipelined(await this.#pool.connect(), true), deadline, this.#host);
    } catch (error) {
      throw databaseProblem(error, deadline.expired) ?? error;
    }
  }

  #nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= preparedAtMost) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }

  async #cancel(client: pg.PoolClient): Promise<void> {
    try {
      this.#host.observe?.(cancelSql);
      await this.#cancels.query(cancelSql, [client.processID]);
    } catch (error) {
      this.#log.warn({ err: error }, "a statement past its deadline could not be cancelled");
    }
  }

  #guarded(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#log.error({ err: error }, "an action after a commit failed");
    }
  }
}

/**
 * BEGIN is a message of its own: what stands behind it in the same one, a Citus cluster takes for a statement outside of
 * transactions, and warns. The second is sent without waiting for the first.
 */
async function begin(connection: Connection, millisecondsLeft: number): Promise<void> {
  const timeout = Math.max(1, Math.floor(millisecondsLeft));
  try {
    await Promise.all([
      connection.plain("BEGIN"),
      connection.plain(
        `SET LOCAL statement_timeout = ${timeout}; SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL client_connection_check_interval = ${noticesLossMs}`,
      ),
    ]);
  } catch (error) {
    // it may stand in a transaction that failed
    connection.abandon();
    throw error;
  }
}

/** Whether an idle connection sends statements without waiting for the answers to those before. */
function setPipelined(client: pg.PoolClient, on: boolean): pg.PoolClient {
  client.pipeline = on;
  return client;
}
