import type { DuckDBConnection, DuckDBResultReader, JS } from "@duckdb/node-api";

/** Statements on a connection of DuckDB. */

export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** In one call: each is a trip to another thread and back, which for a small change is a part of its time. */
export async function runAll(duck: DuckDBConnection, statements: readonly string[]): Promise<void> {
  if (statements.length > 0) await duck.run(statements.join(";\n"));
}

/** A statement's rows, as `plainRows` has them. */
export async function read<Row>(duck: DuckDBConnection, sql: string): Promise<Row[]> {
  return plainRows(await duck.runAndReadAll(sql)) as Row[];
}

/**
 * Rows as plain objects; BIGINT comes as a number, UUID as a text, DATE as a Date, DECIMAL as the nearest DOUBLE. Column by
 * column, which takes a fifth of the time of the driver's own objects: thousands of rows are a matter of a few ms.
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

/** What `work` does happens as a whole, or not at all. */
export async function inTransaction(duck: DuckDBConnection, work: () => Promise<unknown>): Promise<void> {
  await duck.run("BEGIN TRANSACTION");
  try {
    await work();
    await duck.run("COMMIT");
  } catch (error) {
    await duck.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** Also when one fails the other has ended before anybody hears of it: nothing may use a connection that is closed. */
export async function both<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
