import type pg from "pg";
import type { Deadline } from "../deadline.ts";
import { Problem } from "../problems.ts";
import { isTraced, tracePart } from "../tracing/spans.ts";
import { statementSpan } from "../tracing/statements.ts";
import { databaseProblem, losesConnection } from "./failures.ts";
import type { Statement } from "./sql.ts";

declare module "pg" {
  /** What a client of the driver has besides, though its types do not show it. */
  interface PoolClient {
    /** of the server's process that serves it */
    processID: number;
    /** whether statements are sent without waiting for the answers to those before; looked at with each of them */
    pipeline: boolean;
    connection: pg.Connection;
  }
}

/** One connection that runs statements under a deadline. */
export class Connection {
  readonly #client: pg.PoolClient;
  readonly #deadline: Deadline;
  readonly #host: ConnectionHost;
  #cancelling: Promise<void> | null = null;
  #giveUp: NodeJS.Timeout | undefined;
  #underWay = 0;
  #broken = false;
  #gathering = false;
  /** why a statement was not sent; null: all were */
  #unsent: { error: unknown } | null = null;
  #isCommitted = false;

  constructor(client: pg.PoolClient, deadline: Deadline, host: ConnectionHost) {
    this.#client = client;
    this.#deadline = deadline;
    this.#host = host;
  }

  async all<Row>({ sql, parameters }: Statement<Row>): Promise<Row[]> {
    // the server would run it by itself, outside of the transaction that it was meant for
    if (this.#isCommitted) throw new Error("a statement of a transaction is sent behind COMMIT");
    const name = this.#host.nameOf(sql);
    return (await this.#run<Row>(sql, { name, text: sql, values: parameters as unknown[] })).rows;
  }

  /** Statements without parameters, several in one round trip. */
  async plain(sql: string): Promise<void> {
    await this.#run(sql, { text: sql });
  }

  /**
   * Sends COMMIT, which may stand behind statements that are not answered yet: where one of them fails, the server rolls
   * back. It does not know of one that was never sent, so that COMMIT is not sent either.
   */
  async commit(): Promise<void> {
    if (this.#unsent !== null) throw this.#unsent.error;
    this.#isCommitted = true;
    await this.plain("COMMIT");
  }

  /** Marks the connection as not to be used again, such as one with a transaction that could not be rolled back. */
  abandon(): void {
    this.#broken = true;
  }

  /** Gives the connection back. One that was cancelled is thrown away: its cancel may still hit the next statement. */
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
      // what rows a text gives is known to whoever wrote it, not to the driver
      return await this.#client.query<Row & pg.QueryResultRow>(query);
    } catch (error) {
      if (losesConnection(error)) this.#broken = true;
      throw databaseProblem(error, this.#deadline.expired) ?? error;
    } finally {
      forget();
      this.#underWay -= 1;
      // others may be under way still, in a pipeline: one timer is for all of them
      if (this.#underWay === 0) {
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

  /** What is sent in one turn of the event loop goes to the server in one write: each write costs as much as a small statement. */
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
   * Cancels what runs. A server that does not obey in time, or cannot be reached, loses the connection instead: a
   * statement whose answer never comes would keep its place in the pool for good.
   */
  #stop(): void {
    this.#cancelling ??= this.#host.cancel(this.#client);
    this.#giveUp ??= setTimeout(() => {
      this.#client.connection.stream.destroy();
    }, obeysWithinMs).unref();
  }
}

/** real time: a network that swallows everything is not a matter of the calendar */
const obeysWithinMs = 5_000;

export interface ConnectionHost {
  /** the name under which a statement is prepared, or undefined for one that is not worth it */
  nameOf(sql: string): string | undefined;
  /** Asks the server to stop what the connection runs; resolves when it was asked, failed or not. */
  cancel(client: pg.PoolClient): Promise<void>;
  observe?: ((sql: string) => void) | undefined;
}
