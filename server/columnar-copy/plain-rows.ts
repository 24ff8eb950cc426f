import type { DuckDBResultReader, JS } from "@duckdb/node-api";

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
