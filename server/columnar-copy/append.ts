import { setImmediate as nextTurn } from "node:timers/promises";
import {
  BIGINT,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
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
import { isUuid } from "../platform/ids.ts";
import { type Duck, literal, type WriteConnection } from "./duck.ts";
import type { TableDefinition } from "./schema-dictionaries.ts";

/** Inserts rows: many through DuckDB's appender, a few by statements. */

/**
 * A value of a column: an integer for BIGINT and INTEGER, days since 1970 for DATE, a text with four decimals for
 * DECIMAL, a text for UUID.
 */
export type Cell = string | number | boolean | null;

interface ColumnKind {
  type: DuckDBType;
  /** whether a non-null cell is valid for the column */
  holds: (cell: Cell) => boolean;
  /** converts a cell for which `holds` is true */
  value: (cell: Cell) => DuckDBValue;
  /** writes the same value as an SQL literal */
  sql: (cell: Cell) => string;
}

const whole = (cell: Cell): boolean => Number.isSafeInteger(cell);
const within = (most: number) => (cell: Cell) => whole(cell) && Math.abs(Number(cell)) <= most;
/** exactly four digits after the point and at most 34 before it */
const amountForm = /^-?\d{1,34}\.\d{4}$/;
/** days since 1970; about 270,000 years */
const daysAtMost = 100_000_000;

function numberIn(cell: Cell): number {
  if (typeof cell !== "number") throw new TypeError("a cell of a numeric column is not a number");
  return cell;
}

function textIn(cell: Cell): string {
  if (typeof cell !== "string") throw new TypeError("a cell of a text column is not a text");
  return cell;
}

const cast = (type: string) => (cell: Cell) => `CAST(${literal(String(cell))} AS ${type})`;

const kinds: Readonly<Record<string, ColumnKind>> = {
  BIGINT: { type: BIGINT, holds: whole, value: (cell) => BigInt(numberIn(cell)), sql: String },
  INTEGER: { type: INTEGER, holds: within(2 ** 31 - 1), value: numberIn, sql: String },
  DOUBLE: {
    type: DOUBLE,
    holds: Number.isFinite,
    value: numberIn,
    // a literal would be read as a DECIMAL first
    sql: (cell) => cast("DOUBLE")(Object.is(cell, -0) ? "-0" : cell),
  },
  BOOLEAN: { type: BOOLEAN, holds: (cell) => typeof cell === "boolean", value: (cell) => cell === true, sql: String },
  VARCHAR: {
    type: VARCHAR,
    holds: (cell) => typeof cell === "string",
    value: textIn,
    sql: (cell) => literal(textIn(cell)),
  },
  UUID: {
    type: UUID,
    holds: (cell) => typeof cell === "string" && isUuid(cell),
    value: (cell) => uuidValue(BigInt(`0x${textIn(cell).replaceAll("-", "")}`)),
    sql: cast("UUID"),
  },
  DATE: {
    type: DATE,
    holds: within(daysAtMost),
    value: (cell) => new DuckDBDateValue(numberIn(cell)),
    sql: (cell) => `DATE '1970-01-01' + (${numberIn(cell)})`,
  },
  "DECIMAL(38, 4)": {
    type: DECIMAL(38, 4),
    holds: (cell) => typeof cell === "string" && amountForm.test(cell),
    value: (cell) => new DuckDBDecimalValue(BigInt(textIn(cell).replace(".", "")), 38, 4),
    sql: cast("DECIMAL(38, 4)"),
  },
};

/** Cells per chunk, which take a few ms to fill; then the event loop continues with other work. */
const chunkCells = 8_000;
/** DuckDB's maximum rows per chunk, and the rows after which the appender is flushed */
const [chunkRowsAtMost, flushRows] = [2_048, 8_192];

interface Place {
  schema?: string;
  catalog?: string;
}

/** Appends rows within the connection's transaction. Cells are in the order of the table's columns. */
export async function appendRows(
  connection: Duck,
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
    // otherwise closing it would flush again and hide the original error
    appender.clear();
    throw error;
  } finally {
    appender.closeSync();
  }
}

/** Cells of a table up to which statements are faster. */
const listedAtMost = 300;

/** A NUL character would end the statement. */
const isListed = (rows: readonly (readonly Cell[])[]): boolean =>
  rows.reduce((cells, row) => cells + row.length, 0) <= listedAtMost &&
  !rows.some((row) => row.some((cell) => typeof cell === "string" && cell.includes("\0")));

/**
 * Inserts rows of several tables within the connection's transaction: those of tables with only a few with the next call,
 * since an appender plans a statement for each table too, and holds up the event loop meanwhile.
 */
export async function insertRows(
  connection: WriteConnection,
  tables: Iterable<readonly [TableDefinition, readonly (readonly Cell[])[]]>,
): Promise<void> {
  for (const [table, rows] of tables) {
    if (rows.length > 0 && isListed(rows)) connection.sendLater(insertOf(table, rows));
    else await appendRows(connection, table, rows);
  }
}

function insertOf({ name, columns }: TableDefinition, rows: readonly (readonly Cell[])[]): string {
  const writes = columns.map(([, type]) => kindOf(type).sql);
  const cellOf = (cell: Cell, column: number) => (cell === null ? "NULL" : (writes[column]?.(cell) ?? "NULL"));
  const list = rows.map((row) => `(${columns.map((_, column) => cellOf(row[column] ?? null, column)).join(", ")})`);
  return `INSERT INTO ${name} VALUES ${list.join(", ")}`;
}

/** Returns a check whether a table can hold a row with a cell for every column. */
export function rowCheck({ columns }: TableDefinition): (row: readonly Cell[]) => boolean {
  const checks = columns.map(([, type]) => kindOf(type).holds);
  return (row) =>
    row.length === checks.length &&
    checks.every((holds, index) => {
      const cell = row[index] ?? null;
      return cell === null || holds(cell);
    });
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
      vector.setItem(index, cell === null ? null : value(cell));
    }
    vector.flush();
  }
  return chunk;
}
