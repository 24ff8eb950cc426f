import type { DuckDBConnection, DuckDBValue } from "@duckdb/node-api";
import type { Statement } from "../platform/database/sql.ts";
import { assertTimeLeft, type Deadline } from "../platform/deadline.ts";
import { plainRows } from "./duck.ts";
import { BrokenCopy, duckProblem } from "./failures.ts";
import type { Slot } from "./slot.ts";
import type { Copy } from "./store-files.ts";

export type CopyParameter = string | number | bigint | boolean | null;

/**
 * Puts a statement of DuckDB's SQL over the tables of schema.ts, unqualified; it names no store. Rows are as `plainRows` has them: what has to be exact, such as money, is cast to VARCHAR.
 * Those that do not need each other's answers may be put at once: of a small copy they run side by side while nobody else asks.
 */
export type CopyQuery = <Row>(statement: Statement<Row>) => Promise<Row[]>;

interface Asking {
  slot: Pick<Slot, "connect">;
  copy: Pick<Copy, "catalog">;
  deadline: Deadline;
  /** whether nobody else asks anything just now */
  spare: () => boolean;
  /** of the copy's file; never rejects */
  bytes: () => Promise<number>;
}

/** Runs `work`, whose statements all see one state of the copy. */
export async function putQuestions<Result>(
  asking: Asking,
  work: (query: CopyQuery) => Promise<Result>,
): Promise<{ result: Result; revision: number }> {
  const lanes = await Lanes.open(asking);
  try {
    const result = await work((question) => lanes.put(question));
    return { result, revision: lanes.revision };
  } finally {
    await lanes.close();
  }
}

/** A connection whose transaction sees one state of the copy; nothing that a question says can write. */
interface Lane {
  connection: DuckDBConnection;
  revision: number;
}

async function openLane({ slot, copy, deadline }: Asking): Promise<Lane> {
  const connection = await slot.connect();
  try {
    const begin = `USE "${copy.catalog}"; BEGIN TRANSACTION READ ONLY; SELECT revision FROM meta`;
    const [meta] = await allRows(connection, begin, []);
    if (!meta) throw new BrokenCopy("a columnar copy has no revision");
    return { connection, revision: Number(meta["revision"]) };
  } catch (error) {
    connection.closeSync();
    throw duckProblem(error, deadline);
  }
}

const interruptsEveryMs = 20;
/** A larger copy's statements take longer to run than to plan, and two of them at once more memory. */
const sideBySideBytes = 64 << 20;

/**
 * The connections of one reading: they are interrupted when time is up, and go when their statements have settled.
 *
 * Of a small copy, what a statement costs is mostly its planning, which takes one core. So a second connection joins when a
 * second statement is put meanwhile and nobody else asks anything, if its state is that of the first: every sync that
 * changes something changes the revision with it.
 */
class Lanes {
  readonly #asking: Asking;
  readonly #lanes: Lane[];
  readonly #free: Lane[];
  readonly #waiting: ((lane: Lane) => void)[] = [];
  readonly #settling = new Set<Promise<unknown>>();
  readonly #forget: () => void;
  /** nothing more is to run */
  #over = false;
  #interrupts: NodeJS.Timeout | undefined;
  /** null: it was not tried */
  #second: Promise<void> | null = null;

  private constructor(asking: Asking, first: Lane) {
    this.#asking = asking;
    this.#lanes = [first];
    this.#free = [first];
    this.#forget = asking.deadline.onExpiry(() => this.#interrupt());
  }

  static async open(asking: Asking): Promise<Lanes> {
    return new Lanes(asking, await openLane(asking));
  }

  get revision(): number {
    return this.#lanes[0]?.revision ?? 0;
  }

  put<Row>(statement: Statement<Row>): Promise<Row[]> {
    const rows = this.#put(statement);
    const settled = rows.then(
      () => undefined,
      () => undefined,
    );
    this.#settling.add(settled);
    void settled.then(() => this.#settling.delete(settled));
    return rows;
  }

  /** Gives up what still runs: after a failure nobody wants its answer any more. */
  async close(): Promise<void> {
    this.#over = true;
    if (this.#settling.size > 0) this.#interrupt();
    while (this.#settling.size > 0) await Promise.all(this.#settling);
    await this.#second;
    this.#forget();
    clearInterval(this.#interrupts);
    for (const { connection } of this.#lanes) connection.closeSync();
  }

  async #put<Row>({ sql, parameters }: Statement<Row>): Promise<Row[]> {
    const { deadline } = this.#asking;
    const lane = await this.#take();
    try {
      assertTimeLeft(deadline);
      if (this.#over) throw new Error("another statement of the same reading has failed");
      return (await allRows(lane.connection, sql, parameters)) as Row[];
    } catch (error) {
      this.#over = true;
      throw duckProblem(error, deadline);
    } finally {
      this.#give(lane);
    }
  }

  #take(): Promise<Lane> | Lane {
    const lane = this.#free.pop();
    if (lane) return lane;
    if (this.#second === null && this.#asking.spare()) this.#second = this.#openSecond();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #give(lane: Lane): void {
    const next = this.#waiting.shift();
    if (next) next(lane);
    else this.#free.push(lane);
  }

  /** Without it the first does it all, and tells what is wrong. */
  async #openSecond(): Promise<void> {
    if ((await this.#asking.bytes()) > sideBySideBytes) return;
    const lane = await openLane(this.#asking).catch(() => null);
    if (lane === null) return;
    if (lane.revision !== this.revision) {
      lane.connection.closeSync();
      return;
    }
    this.#lanes.push(lane);
    this.#give(lane);
  }

  /** Again and again: an interrupt that comes while a statement is only being prepared hits nothing. */
  #interrupt(): void {
    const interrupt = () => {
      for (const { connection } of this.#lanes) connection.interrupt();
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
