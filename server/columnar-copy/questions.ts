import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { Statement } from "../platform/database/sql.ts";
import { assertTimeLeft, type Deadline } from "../platform/deadline.ts";
import type { CopiesFolder } from "./copies-folder.ts";
import { plainRows } from "./duck.ts";
import { BrokenCopy, duckProblem } from "./failures.ts";
import type { CopyQuery } from "./reader.ts";
import type { Copy } from "./store-files.ts";

interface Asking {
  folder: Pick<CopiesFolder, "connect">;
  copy: Pick<Copy, "catalog">;
  deadline: Deadline;
  /** whether nobody else asks anything just now */
  spare: () => boolean;
  /** of the copy's file; never rejects */
  bytes: () => Promise<number>;
}

/** Runs `work`, whose statements all see one state of the copy [copy.one-state]. */
export async function putQuestions<Result>(
  asking: Asking,
  work: (query: CopyQuery) => Promise<Result>,
): Promise<{ result: Result; revision: number }> {
  const connections = await Connections.open(asking);
  try {
    const result = await work((question) => connections.put(question));
    return { result, revision: connections.revision };
  } finally {
    await connections.close();
  }
}

/** A connection whose transaction sees one state of the copy; nothing that a question says can write [copy.read-only]. */
interface ReadConnection {
  duck: DuckDBConnection;
  revision: number;
}

async function openConnection({ folder, copy, deadline }: Asking): Promise<ReadConnection> {
  const duck = await folder.connect();
  try {
    const begin = `USE "${copy.catalog}"; BEGIN TRANSACTION READ ONLY; SELECT revision FROM meta`;
    const [meta] = await allRows(duck, begin, []);
    if (!meta) throw new BrokenCopy("a columnar copy has no revision");
    return { duck, revision: Number(meta["revision"]) };
  } catch (error) {
    duck.closeSync();
    throw duckProblem(error, deadline);
  }
}

const interruptsEveryMs = 20;
/** A larger copy's statements take longer to run than to plan, and two of them at once more memory. */
const sideBySideBytes = 64 << 20;

/**
 * The connections of one reading: they are interrupted when time is up, and are closed when their statements have ended
 * [copy.deadline].
 *
 * Of a small copy, what a statement costs is mostly its planning, which takes one core. So a second connection joins when a
 * second statement is put meanwhile and nobody else asks anything, if its state is that of the first: every sync that
 * changes something changes the revision with it.
 */
class Connections {
  readonly #asking: Asking;
  readonly #all: ReadConnection[];
  readonly #free: ReadConnection[];
  readonly #waiting: ((connection: ReadConnection) => void)[] = [];
  readonly #running = new Set<Promise<unknown>>();
  readonly #forget: () => void;
  /** nothing more is to run */
  #over = false;
  #interrupts: NodeJS.Timeout | undefined;
  /** null: it was not tried */
  #second: Promise<void> | null = null;

  private constructor(asking: Asking, first: ReadConnection) {
    this.#asking = asking;
    this.#all = [first];
    this.#free = [first];
    this.#forget = asking.deadline.onExpiry(() => this.#interrupt());
  }

  static async open(asking: Asking): Promise<Connections> {
    return new Connections(asking, await openConnection(asking));
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

  /** Gives up what still runs: after a failure nobody wants its answer any more [copy.failed-statement]. */
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
    const { deadline } = this.#asking;
    const connection = await this.#borrow();
    try {
      assertTimeLeft(deadline);
      if (this.#over) throw new Error("another statement of the same reading has failed");
      return (await allRows(connection.duck, sql, parameters)) as Row[];
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
    if (this.#second === null && this.#asking.spare()) this.#second = this.#openSecond();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #giveBack(connection: ReadConnection): void {
    const next = this.#waiting.shift();
    if (next) next(connection);
    else this.#free.push(connection);
  }

  /** Without it the first does it all, and tells what is wrong. */
  async #openSecond(): Promise<void> {
    if ((await this.#asking.bytes()) > sideBySideBytes) return;
    const connection = await openConnection(this.#asking).catch(() => null);
    if (connection === null) return;
    if (connection.revision !== this.revision) {
      connection.duck.closeSync();
      return;
    }
    this.#all.push(connection);
    this.#giveBack(connection);
  }

  /** Again and again: an interrupt that comes while a statement is only being prepared hits nothing. */
  #interrupt(): void {
    const interrupt = () => {
      for (const { duck } of this.#all) duck.interrupt();
    };
    interrupt();
    this.#interrupts ??= setInterval(interrupt, interruptsEveryMs);
  }
}

async function allRows(
  connection: DuckDBConnection,
  sql: string,
  parameters: readonly unknown[],
): Promise<Record<string, unknown>[]> {
  const values = parameters.length === 0 ? undefined : ([...parameters] as DuckDBValue[]);
  return plainRows(await connection.runAndReadAll(sql, values));
}
