import {
  type DuckDBConnection,
  type DuckDBMaterializedResult,
  type DuckDBValue,
  type DuckDBValueConverter,
  JSDuckDBValueConverter,
} from "@duckdb/node-api";

/** Helpers to run statements on a DuckDB connection. */

export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/**
 * Runs the statements in one call, since each call is a round trip to another thread, a noticeable part of a small
 * change.
 */
export async function runAll(duck: DuckDBConnection, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await duck.run(statements.join(";\n"));
}

/**
 * The rows of a statement as plain objects: BIGINT as number, UUID as text, DATE as Date, DECIMAL as the nearest double.
 *
 * It is one call, or two with parameters. The driver's own way takes three and five, and each of them waits for its turn
 * in a busy program. No prepared statement is kept from one change of a copy to the next: DuckDB 1.5 makes a kept plan
 * anew when tables change, but not when their statistics do, and then counts wrongly.
 */
export async function read<Row>(
  duck: DuckDBConnection,
  sql: string,
  parameters: readonly DuckDBValue[] = [],
): Promise<Row[]> {
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
  duck: DuckDBConnection,
  work: () => Promise<unknown>,
  last: () => readonly string[] = () => [],
): Promise<void> {
  await duck.run("BEGIN TRANSACTION");
  try {
    await work();
    await runAll(duck, [...last(), "COMMIT"]);
  } catch (error) {
    await duck.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Waits for both even if one fails, since a connection must not be closed while it is in use. */
export async function both<One, Other>(first: Promise<One>, second: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([first, second]);
  return Promise.all([first, second]);
}
