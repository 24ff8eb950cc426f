import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { Statement } from "../platform/database/sql.ts";
import { assertTimeLeft, type Deadline } from "../platform/deadline.ts";
import type { CopiesFolder } from "./copies-folder.ts";
import { read } from "./duck.ts";
import { BrokenCopy, duckProblem } from "./failures.ts";
import type { CopyQuery } from "./reader.ts";
import type { Copy } from "./store-files.ts";

interface ReadContext {
  folder: Pick<CopiesFolder, "connect">;
  copy: Pick<Copy, "catalog">;
  deadline: Deadline;
  /** whether nobody else is asking anything at the moment */
  spare: () => boolean;
  /** returns the size of the copy's file; never rejects */
  bytes: () => Promise<number>;
}

/** Runs `work`. All its statements see one state of the copy [copy.one-state]. */
export async function putQuestions<Result>(
  context: ReadContext,
  work: (query: CopyQuery) => Promise<Result>,
): Promise<{ result: Result; revision: number }> {
  const connections = await Connections.open(context);
  try {
    const result = await work((question) => connections.put(question));
    return { result, revision: connections.revision };
  } finally {
    await connections.close();
  }
}

/**
 * A connection whose transaction sees one state of the copy and is read-only, whatever a statement says
 * [copy.read-only].
 */
interface ReadConnection {
  duck: DuckDBConnection;
  revision: number;
}

async function openConnection({ folder, copy, deadline }: ReadContext): Promise<ReadConnection> {
  const duck = await folder.connect();
  try {
    const begin = `USE "${copy.catalog}"; BEGIN TRANSACTION READ ONLY; SELECT revision FROM meta`;
    const [meta] = await read<{ revision: number }>(duck, begin);
    if (!meta) throw new BrokenCopy("a columnar copy has no revision");
    return { duck, revision: meta.revision };
  } catch (error) {
    duck.closeSync();
    throw duckProblem(error, deadline);
  }
}

const interruptsEveryMs = 20;
/** Statements on a larger copy take longer to run than to plan, and two at a time would need more memory. */
const sideBySideBytes = 64 << 20;

/**
 * The connections of one read. They are interrupted when the deadline expires, and closed when their statements have
 * ended [copy.deadline].
 *
 * On a small copy most of a statement's cost is planning, which uses one core. So a second connection is opened when a
 * second statement arrives meanwhile and nobody else is asking. It is used only if it sees the same state as the first,
 * which the revision tells: every sync that changes anything changes the revision too.
 */
class Connections {
  readonly #context: ReadContext;
  readonly #all: ReadConnection[];
  readonly #free: ReadConnection[];
  readonly #waiting: ((connection: ReadConnection) => void)[] = [];
  readonly #running = new Set<Promise<unknown>>();
  readonly #forget: () => void;
  /** no more statements may run */
  #over = false;
  #interrupts: NodeJS.Timeout | undefined;
  /** null: not tried yet */
  #second: Promise<void> | null = null;

  private constructor(context: ReadContext, first: ReadConnection) {
    this.#context = context;
    this.#all = [first];
    this.#free = [first];
    this.#forget = context.deadline.onExpiry(() => this.#interrupt());
  }

  static async open(context: ReadContext): Promise<Connections> {
    return new Connections(context, await openConnection(context));
  }

  get revision(): number {
    return this.#all[0]?.revision ?? 0;
  }

  put<Row>(statement: Statement<Row>): Promise<Row[]> {
    const rows = this.#put(statement);
    this.#running.add(rows);
    const ended = () => this.#running.delete(rows);
    rows.then(ended, ended);
    return rows;
  }

  /** Interrupts running statements, since after a failure nobody needs their results [copy.failed-statement]. */
  async close(): Promise<void> {
    this.#over = true;
    if (this.#running.size > 0) this.#interrupt();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.#second;
    this.#forget();
    clearInterval(this.#interrupts);
    for (const { duck } of this.#all) duck.closeSync();
  }

  async #put<Row>({ sql, parameters }: Statement<Row>): Promise<Row[]> {
    const { deadline } = this.#context;
    const connection = await this.#borrow();
    try {
      assertTimeLeft(deadline);
      if (this.#over) throw new Error("another statement of the same reading has failed");
      return await read<Row>(connection.duck, sql, parameters as readonly DuckDBValue[]);
    } catch (error) {
      this.#over = true;
      throw duckProblem(error, deadline);
    } finally {
      this.#giveBack(connection);
    }
  }

  async #borrow(): Promise<ReadConnection> {
    const connection = this.#free.pop();
    if (connection) return connection;
    if (this.#second === null && this.#context.spare()) this.#second = this.#openSecond();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #giveBack(connection: ReadConnection): void {
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#free.push(connection);
  }

  /** If this fails, the first connection does all the work and reports any error. */
  async #openSecond(): Promise<void> {
    if ((await this.#context.bytes()) > sideBySideBytes) return;
    const connection = await openConnection(this.#context).catch(() => null);
    if (connection === null) return;
    if (connection.revision !== this.revision) {
      connection.duck.closeSync();
      return;
    }
    this.#all.push(connection);
    this.#giveBack(connection);
  }

  /** Repeated, since an interrupt has no effect while a statement is still being prepared. */
  #interrupt(): void {
    const interrupt = () => {
      for (const { duck } of this.#all) duck.interrupt();
    };
    interrupt();
    this.#interrupts ??= setInterval(interrupt, interruptsEveryMs);
  }
}
