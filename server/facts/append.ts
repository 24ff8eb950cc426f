import { setImmediate as nextTurn } from "node:timers/promises";
import {
  BIGINT,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  type DuckDBConnection,
  DuckDBDataChunk,
  DuckDBDateValue,
  DuckDBDecimalValue,
  type DuckDBType,
  type DuckDBValue,
  INTEGER,
  UUID,
  uuidValue,
  VARCHAR,
} from "@duckdb/node-api";
import type { TableDefinition } from "./schema-dictionaries.ts";

/** Puts rows into a table without a statement: planning one takes DuckDB longer than a few rows are worth. */

/** BIGINT and INTEGER are whole numbers, DATE is days since 1970, DECIMAL a text with four decimals, UUID its text. */
export type Cell = string | number | boolean | null;

interface ColumnKind {
  type: DuckDBType;
  /** of a cell that is not null */
  value: (cell: never) => DuckDBValue;
}

const kinds: Readonly<Record<string, ColumnKind>> = {
  BIGINT: { type: BIGINT, value: (cell: number) => BigInt(cell) },
  INTEGER: { type: INTEGER, value: (cell: number) => cell },
  DOUBLE: { type: DOUBLE, value: (cell: number) => cell },
  BOOLEAN: { type: BOOLEAN, value: (cell: boolean) => cell },
  VARCHAR: { type: VARCHAR, value: (cell: string) => cell },
  UUID: { type: UUID, value: (cell: string) => uuidValue(BigInt(`0x${cell.replaceAll("-", "")}`)) },
  DATE: { type: DATE, value: (cell: number) => new DuckDBDateValue(cell) },
  "DECIMAL(38, 4)": {
    type: DECIMAL(38, 4),
    value: (cell: string) => new DuckDBDecimalValue(BigInt(cell.replace(".", "")), 38, 4),
  },
};

/** Filling a chunk with these takes a few ms; then others have their turn. */
const chunkCells = 8_000;
/** a chunk of DuckDB has no more rows, and these are handed over at once */
const [chunkRowsAtMost, flushRows] = [2_048, 8_192];

interface Place {
  schema?: string;
  catalog?: string;
}

/** Appends rows, cells in the order of the table's columns, within the connection's transaction. */
export async function appendRows(
  connection: DuckDBConnection,
  { name, columns }: TableDefinition,
  rows: readonly (readonly Cell[])[],
  { schema, catalog }: Place = {},
): Promise<void> {
  if (rows.length === 0) return;
  const filled = columns.map(([, type]) => kindOf(type));
  const chunkRows = Math.min(chunkRowsAtMost, Math.floor(chunkCells / columns.length));
  const appender = await connection.createAppender(name, schema, catalog);
  try {
    let waiting = 0;
    for (let from = 0; from < rows.length; from += chunkRows) {
      if (from > 0) await nextTurn();
      const some = rows.slice(from, from + chunkRows);
      appender.appendDataChunk(chunkOf(filled, some));
      waiting += some.length;
      if (waiting < flushRows) continue;
      appender.flushSync();
      waiting = 0;
    }
    appender.flushSync();
  } catch (error) {
    // else closing it tries again, and hides what went wrong first
    appender.clear();
    throw error;
  } finally {
    appender.closeSync();
  }
}

function kindOf(type: string): ColumnKind {
  const kind = kinds[type];
  if (!kind) throw new Error(`no way to append a column of type ${type}`);
  return kind;
}

function chunkOf(columns: readonly ColumnKind[], rows: readonly (readonly Cell[])[]): DuckDBDataChunk {
  const types = columns.map(({ type }) => type);
  const chunk = DuckDBDataChunk.create(types, rows.length);
  for (const [column, { value }] of columns.entries()) {
    const vector = chunk.getColumnVector(column);
    for (const [index, row] of rows.entries()) {
      const cell = row[column] ?? null;
      // which of the forms a cell has is said by its column's type, in the table's definition
      vector.setItem(index, cell === null ? null : value(cell as never));
    }
    vector.flush();
  }
  return chunk;
}
