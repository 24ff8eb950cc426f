import {
  type DuckDBAppender,
  type DuckDBConnection,
  type DuckDBMaterializedResult,
  type DuckDBPreparedStatement,
  type DuckDBValue,
  type DuckDBValueConverter,
  JSDuckDBValueConverter,
} from "@duckdb/node-api";

/** Helpers to run statements on a DuckDB connection. */

export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** What runs statements: a DuckDB connection, or a WriteConnection. */
export type Duck = Pick<DuckDBConnection, "run" | "prepare" | "createAppender">;

/** Runs the statements in one call. */
export async function runAll(duck: Duck, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await duck.run(statements.join(";\n"));
}

/**
 * A connection that changes a copy. Each call is a round trip to another thread, after which the answer waits for its
 * turn in a busy program: a noticeable part of a small change. So a statement without a needed result can be
 * deferred to the next call. If it fails, that call fails.
 */
export class WriteConnection implements Duck {
  readonly #duck: DuckDBConnection;
  #waiting: string[] = [];

  constructor(duck: DuckDBConnection) {
    this.#duck = duck;
  }

  /** Sends the statements with the next call. */
  sendLater(...statements: readonly string[]): void {
    this.#waiting.push(...statements);
  }

  /** Sends the statements that wait. */
  async sendWaiting(): Promise<void> {
    const statements = this.#waiting;
    this.forgetWaiting();
    await runAll(this.#duck, statements);
  }

  /** Forgets the statements that were not sent yet. */
  forgetWaiting(): void {
    this.#waiting = [];
  }

  run(sql: string): Promise<DuckDBMaterializedResult> {
    const statements = [...this.#waiting, sql];
    this.#waiting = [];
    return this.#duck.run(statements.join(";\n"));
  }

  async prepare(sql: string): Promise<DuckDBPreparedStatement> {
    await this.sendWaiting();
    return this.#duck.prepare(sql);
  }

  async createAppender(table: string, schema?: string | null, catalog?: string | null): Promise<DuckDBAppender> {
    await this.sendWaiting();
    return this.#duck.createAppender(table, schema, catalog);
  }

  close(): void {
    this.#duck.closeSync();
  }
}

/**
 * The rows of a statement as plain objects: BIGINT as number, UUID as text, DATE as Date, DECIMAL as the nearest double.
 *
 * It is one call, or two with parameters. The driver's own way takes three and five, and each of them waits for its turn
 * in a busy program. No prepared statement is kept from one change of a copy to the next: DuckDB 1.5 makes a kept plan
 * anew when tables change, but not when their statistics do, and then counts wrongly.
 */
export async function read<Row>(duck: Duck, sql: string, parameters: readonly DuckDBValue[] = []): Promise<Row[]> {
  if (parameters.length === 0) return plainRows(await duck.run(sql)) as Row[];
  const prepared = await duck.prepare(sql);
  try {
    prepared.bind([...parameters]);
    return plainRows(await prepared.run()) as Row[];
  } finally {
    prepared.destroySync();
  }
}

/**
 * Converting by column takes a fifth of the time of the driver's own row objects: thousands of rows take a few ms.
 */
function plainRows(result: DuckDBMaterializedResult): Record<string, unknown>[] {
  const names = result.deduplicatedColumnNames();
  const rows: Record<string, unknown>[] = [];
  for (const chunk of chunksOf(result)) {
    const from = rows.length;
    for (let at = 0; at < chunk.rowCount; at++) rows.push({});
    for (const [column, name] of names.entries())
      for (const [at, value] of chunk.convertColumnValues(column, plain).entries()) {
        const row = rows[from + at];
        if (row) row[name] = value;
      }
  }
  return rows;
}

const chunksOf = (result: DuckDBMaterializedResult) =>
  Array.from({ length: result.chunkCount }, (_, index) => result.getChunk(index));

const plain: DuckDBValueConverter<unknown> = (value, type) => {
  const converted = JSDuckDBValueConverter(value, type, JSDuckDBValueConverter);
  return typeof converted === "bigint" ? Number(converted) : converted;
};

/** Runs `work` in a transaction, and in one call with its commit the statements `last`. */
export async function inTransaction(
  duck: WriteConnection,
  work: () => Promise<unknown>,
  last: () => readonly string[] = () => [],
): Promise<void> {
  duck.sendLater("BEGIN TRANSACTION");
  try {
    await work();
    duck.sendLater(...last());
    await duck.run("COMMIT");
  } catch (error) {
    duck.forgetWaiting();
    await duck.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}
