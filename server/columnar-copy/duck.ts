import type { DuckDBConnection, DuckDBResultReader, JS } from "@duckdb/node-api";

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
 * The rows of a statement in the form of `plainRows`. No prepared statement is kept from one change of a copy to the next:
 * DuckDB 1.5 makes a kept plan anew when tables change, but not when their statistics do, and then counts wrongly.
 */
export async function read<Row>(duck: DuckDBConnection, sql: string): Promise<Row[]> {
  return plainRows(await duck.runAndReadAll(sql)) as Row[];
}

/**
 * Rows as plain objects: BIGINT as number, UUID as text, DATE as Date, DECIMAL as the nearest double. Converting by
 * column takes a fifth of the time of the driver's own row objects: thousands of rows take a few ms.
 */
export function plainRows(reader: DuckDBResultReader): Record<string, unknown>[] {
  const names = reader.deduplicatedColumnNames();
  const rows = Array.from({ length: reader.currentRowCount }, (): Record<string, unknown> => ({}));
  for (const [index, values] of reader.getColumnsJS().entries()) {
    const name = names[index] ?? "";
    for (const [at, value] of values.entries()) {
      const row = rows[at];
      if (row) row[name] = plain(value);
    }
  }
  return rows;
}

const plain = (value: JS): unknown => (typeof value === "bigint" ? Number(value) : value);

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
