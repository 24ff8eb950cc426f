import pg from "pg";
import { assertTimeLeft, type Deadline, noDeadline } from "../deadline.ts";
import type { Log } from "../log.ts";
import { timeAround } from "../own-time.ts";
import { cancelStatement } from "./cancel.ts";
import { Connection, type ConnectionHost } from "./connection.ts";
import { databaseProblem } from "./failures.ts";
import type { ClusterNodes } from "./nodes.ts";
import { prepareSession } from "./session.ts";
import {
  type DueWork,
  joined,
  type Runner,
  runnerOf,
  type Statement,
  type StoreTransaction,
  sql,
  type Transaction,
  transactionOf,
} from "./sql.ts";

export interface DatabaseDeps {
  /** the server: a connection string, or a socket directory with user and database */
  connection: pg.PoolConfig;
  /** maximum number of connections */
  size: number;
  log: Log;
  /** Sees every statement before it runs; tests throw from it. */
  observe?: (sql: string) => void;
  /**
   * Starts a transaction's work without waiting for the answer to BEGIN: for transactions with many small statements
   * that are not awaited one by one, whose round trips would otherwise take longer than their work.
   */
  pipelined?: boolean;
  /** the nodes of a cluster; queries across stores skip those that are away */
  nodes?: ClusterNodes;
}

/** A query across stores. `only` goes behind its conditions, and either restricts the stores or is empty. */
export type DueStatement<Row> = (only: Statement<never>) => Statement<Row>;

const cancelTimeoutMs = 5_000;
const connectTimeoutMs = 5_000;
export const statementTimeoutMs = 30_000;
/** Ms after which waiting for a lock fails: another transaction hangs, so failing is better than queueing behind it. */
export const lockTimeoutMs = 2_000;
/**
 * Ms between checks whether the client is still there; otherwise a statement whose client is gone would keep its locks
 * until it ends.
 */
const noticesLossMs = 1_000;
/** Plans are stored per connection; beyond this number statements run unprepared. */
const preparedAtMost = 400;

const parsers = new Map<number, (text: string) => unknown>([
  // counts and revisions: they stay far below 2^53
  [pg.types.builtins.INT8, Number],
  // a calendar day has no zone; the driver would turn it into a local midnight
  [pg.types.builtins.DATE, String],
]);

const getTypeParser: typeof pg.types.getTypeParser = (oid, format) =>
  (format !== "binary" && parsers.get(oid)) || pg.types.getTypeParser(oid, format);

/** The pool of connections to the one PostgreSQL that holds the truth. */
export class Database {
  readonly #pool: pg.Pool;
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
    this.#host = {
      nameOf: (sql) => this.#nameOf(sql),
      cancel: (client) => this.#cancel(client),
      observe: settings.observe,
    };
  }

  /** The state of the pool: active and idle connections, and callers that wait for one. */
  get connections(): { inUse: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /** Sets the listener that learns, after a commit, of work that the transaction announced. */
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
   * A query across stores for due work; while a node of a cluster is away, only over the stores of the other nodes
   * [database.due-work]. In a store's own time (`StoreCalendars`), only over that store.
   *
   * @param usual the deadline if no node of a cluster is affected
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

  /** Sets the stores with a calendar of their own, whose due work is only looked for in their own time. */
  excludeStores(stores: () => readonly string[]): void {
    this.#apart = stores;
  }

  /** Whether the store's node does not respond: its due work is postponed. */
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
      // If BEGIN fails, the transaction refuses what is sent behind it, or there is no connection: nothing runs outside
      // the transaction, and the failure surfaces before the commit.
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

  /** The same for one store. */
  inStore<Result>(
    storeId: string,
    work: (tx: StoreTransaction) => Promise<Result>,
    deadline: Deadline = noDeadline,
  ): Promise<Result> {
    return this.transaction((tx) => work(tx.forStore(storeId)), deadline);
  }

  /** A dedicated connection, for as long as it is open: LISTEN, advisory locks, COPY. */
  async dedicated(): Promise<pg.PoolClient> {
    try {
      // queries of other classes than the driver's own, such as COPY's, need a connection without pipelining
      return setPipelined(await this.#pool.connect(), false);
    } catch (error) {
      throw databaseProblem(error, false) ?? error;
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    await this.#pool.end();
  }

  #openPool(connection: pg.PoolConfig, max: number): pg.Pool {
    // the caller's connection may have another
    const withinMs = connection.connectionTimeoutMillis ?? connectTimeoutMs;
    const pool = new pg.Pool({
      ...connection,
      connectionTimeoutMillis: withinMs,
      types: { getTypeParser },
      max,
      idleTimeoutMillis: 30_000,
      onConnect: (client: pg.ClientBase) => prepareSession(client, { statementTimeoutMs, withinMs }),
      application_name: "quizstore",
      keepAlive: true,
    } as pg.PoolConfig);
    // An idle connection that dies is just dropped; the next caller gets a new one. The pool ends before its
    // connections do, so a stopping server may still report that, which is expected.
    pool.on("error", (error) => {
      if (!this.#closing) this.#log.warn({ err: error }, "an idle database connection was lost");
    });
    // one that dies in use reports it to its statement; an unhandled error event would end the process
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
        // if the work itself fails later, its error is the cause and nobody reads theirs
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
      // the error above is the cause; if the rollback fails too, closing the connection rolls back
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
      // without a limit, a cancel that the network swallows would hold its statement's connection for good
      await cancelStatement(client, cancelTimeoutMs);
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
 * BEGIN is a message of its own: Citus would take a statement behind it in the same message for one outside a
 * transaction, and warn. The second message is sent without waiting for the first.
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
    // it may still be in a failed transaction
    connection.abandon();
    throw error;
  }
}

/** Sets whether an idle connection sends statements without waiting for earlier answers. */
function setPipelined(client: pg.PoolClient, on: boolean): pg.PoolClient {
  client.pipeline = on;
  return client;
}
