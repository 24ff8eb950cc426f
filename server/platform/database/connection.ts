import type pg from "pg";
import type { Deadline } from "../deadline.ts";
import { Problem } from "../problems.ts";
import { isTraced, tracePart } from "../tracing/spans.ts";
import { statementSpan } from "../tracing/statements.ts";
import { databaseProblem, losesConnection } from "./failures.ts";
import type { Statement } from "./sql.ts";

declare module "pg" {
  // members of the driver's classes that its types do not declare
  interface Client {
    /** process id and key that the server, or a pooler in front, gave to this connection */
    processID: number;
    secretKey: number;
    sslNegotiation: "postgres" | "direct";
  }
  interface PoolClient {
    /** whether statements are sent without waiting for earlier answers; the driver checks it for each statement */
    pipeline: boolean;
    connection: pg.Connection;
  }
  interface Connection {
    connect(portOrSocket: number | string, host?: string): void;
    requestSsl(): void;
    cancel(processID: number, secretKey: number): void;
  }
}

/** One connection that runs statements under a deadline. */
export class Connection {
  readonly #client: pg.PoolClient;
  readonly #deadline: Deadline;
  readonly #host: ConnectionHost;
  #cancelling: Promise<void> | null = null;
  #cancelAgain: NodeJS.Timeout | undefined;
  #giveUp: NodeJS.Timeout | undefined;
  #underWay = 0;
  #broken = false;
  #gathering = false;
  /** why a statement was not sent; null: all were sent */
  #unsent: { error: unknown } | null = null;
  #isCommitted = false;

  constructor(client: pg.PoolClient, deadline: Deadline, host: ConnectionHost) {
    this.#client = client;
    this.#deadline = deadline;
    this.#host = host;
  }

  async all<Row>({ sql, parameters }: Statement<Row>): Promise<Row[]> {
    // the server would run it outside the transaction that it was meant for
    if (this.#isCommitted) throw new Error("a statement of a transaction is sent behind COMMIT");
    const name = this.#host.nameOf(sql);
    return (await this.#run<Row>(sql, { name, text: sql, values: parameters as unknown[] })).rows;
  }

  /** Statements without parameters, several in one round trip. */
  async plain(sql: string): Promise<void> {
    await this.#run(sql, { text: sql });
  }

  /**
   * Sends COMMIT, possibly behind statements that are not answered yet: if one of them fails, the server rolls back.
   * The server does not know about a statement that was never sent, so COMMIT is then not sent either.
   */
  async commit(): Promise<void> {
    if (this.#unsent !== null) throw this.#unsent.error;
    this.#isCommitted = true;
    await this.plain("COMMIT");
  }

  /** Marks the connection as unusable, for instance with a transaction that could not be rolled back. */
  abandon(): void {
    this.#broken = true;
  }

  /**
   * Returns the connection to the pool. A cancelled one is discarded, because its cancel may still hit the next
   * statement.
   */
  async release(): Promise<void> {
    await this.#cancelling;
    this.#client.release(this.#broken || this.#cancelling !== null);
  }

  #run<Row>(sql: string, query: pg.QueryConfig): Promise<{ rows: Row[] }> {
    if (!isTraced()) return this.#send<Row>(sql, query);
    return tracePart(statementSpan(sql), () => this.#send<Row>(sql, query));
  }

  async #send<Row>(sql: string, query: pg.QueryConfig): Promise<{ rows: Row[] }> {
    this.#admit(sql);
    const forget = this.#deadline.onExpiry(() => this.#stop());
    this.#underWay += 1;
    this.#gather();
    try {
      // the caller who wrote the statement knows its rows' type, not the driver
      return await this.#client.query<Row & pg.QueryResultRow>(query);
    } catch (error) {
      if (losesConnection(error)) this.#broken = true;
      throw databaseProblem(error, this.#deadline.expired) ?? error;
    } finally {
      forget();
      this.#underWay -= 1;
      // others may still be running in the pipeline: they share one timer
      if (this.#underWay === 0) {
        clearTimeout(this.#cancelAgain);
        clearTimeout(this.#giveUp);
        this.#giveUp = undefined;
      }
    }
  }

  #admit(sql: string): void {
    try {
      this.#host.observe?.(sql);
      if (this.#deadline.expired) throw new Problem("timeout");
    } catch (error) {
      this.#unsent ??= { error };
      throw error;
    }
  }

  /** Sends everything of one event loop turn in one write, because each write costs as much as a small statement. */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }

  /**
   * Cancels the running statement. If the server does not obey in time, or cannot be reached, the connection is
   * dropped: a statement that never gets an answer would occupy its place in the pool for good.
   */
  #stop(): void {
    if (this.#cancelling === null) this.#cancel();
    this.#giveUp ??= setTimeout(() => {
      this.#client.connection.stream.destroy();
    }, obeysWithinMs).unref();
  }

  /**
   * Repeated until the statement has ended, because a cancel has no effect if it reaches the server before the
   * statement does, and ends only the first of several statements sent one behind the other.
   */
  #cancel(): void {
    this.#cancelling = this.#host.cancel(this.#client).then(() => {
      if (this.#underWay > 0) this.#cancelAgain = setTimeout(() => this.#cancel(), cancelAgainMs).unref();
    });
  }
}

// real time, because an unresponsive network has nothing to do with the calendar
const cancelAgainMs = 200;
const obeysWithinMs = 5_000;

export interface ConnectionHost {
  /** the name of the prepared statement, or undefined for one not worth preparing */
  nameOf(sql: string): string | undefined;
  /** Asks the server to cancel the connection's statement; resolves when that was tried, successfully or not. */
  cancel(client: pg.PoolClient): Promise<void>;
  observe?: ((sql: string) => void) | undefined;
}
